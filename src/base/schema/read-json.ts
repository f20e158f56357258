/** JSON that a model has written. What is nested beyond reason is none: whoever walks through it would run out of stack. */
import type { JsonValue } from "../json.ts";

const DEEPEST = 200;

/** undefined: it is not JSON, or nested too deeply. */
export function readJson(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isShallow(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Level by level, so that no depth is too much for it. */
function isShallow(value: JsonValue): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= DEEPEST; depth += 1) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return true;
  }
  return false;
}
