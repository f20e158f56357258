/** What `${…}` may mean while a run is under way. */
import type { JsonValue } from "../../base/json.ts";
import type { RunFacts, StageResult } from "../state.ts";

export interface ItemScope {
  readonly item: JsonValue;
  readonly index: number;
}

/** The value at a path, or undefined where there is none: nothing is guessed and nothing is inherited from a prototype. */
export function lookUp(facts: RunFacts, item: ItemScope | null, path: readonly string[]): JsonValue | undefined {
  const [root, ...rest] = path;
  switch (root) {
    case "params":
      return member(facts.params, rest);
    case "run":
      return member({ id: facts.run, round: facts.round, last_error: lastError(facts) }, rest);
    case "stages":
      return ofStage(facts.results.get(rest[0] ?? ""), rest.slice(1));
    case "item":
      return item === null ? undefined : member(item.item, rest);
    case "index":
      return item?.index;
    default:
      return undefined;
  }
}

/** The latest failure of a stage, in a line; empty: none has failed. */
function lastError({ lastFailure }: RunFacts): string {
  return lastFailure === null ? "" : `${lastFailure.stage}: ${lastFailure.error ?? lastFailure.cause}`;
}

function ofStage(result: StageResult | undefined, path: readonly string[]): JsonValue | undefined {
  if (result === undefined) return undefined;
  const { outcome, exit, output } = result;
  return member({ outcome, exit, output }, path);
}

function member(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    if (Array.isArray(current) && !/^\d+$/.test(key)) return undefined;
    current = (current as Readonly<Record<string, JsonValue>>)[key];
  }
  return current;
}
