/** What a tool gives back is third-party text: it is capped, and what cannot be seen is made visible. */
import { canonical, isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { visible } from "../../base/visible.ts";

const MOST_BYTES = 256 * 1024;
const DEEPEST = 100;

/** Throws for what is no JSON, or nested beyond reason. */
export function shown(output: JsonValue): JsonValue {
  const seen = withoutHidden(output, 0);
  const text = canonical(seen);
  if (text.length <= MOST_BYTES) return seen;
  const half = MOST_BYTES / 4;
  return { truncated: true, characters: text.length, head: text.slice(0, half), tail: text.slice(-half) };
}

function withoutHidden(value: JsonValue, depth: number): JsonValue {
  if (typeof value === "string") return visible(value, { newlines: true });
  if (depth > DEEPEST) throw new RangeError("its result is nested too deeply");
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((entry) => withoutHidden(entry, depth + 1));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value as JsonObject).flatMap(([name, member]): readonly [string, JsonValue][] =>
    member === undefined ? [] : [[visible(name), withoutHidden(member, depth + 1)]],
  );
  return Object.fromEntries(members);
}
