/**
 * What of a call differs each time although the same is asked: who asks, ids that a client makes for its own records, and the clock.
 * For each wire these are named one by one, so that nothing else makes two different questions equal.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { WireName } from "../wires/wire.ts";

/** Members of the body that say who asks and not what. */
const WHO_ASKS: ReadonlySet<string> = new Set([
  ...["metadata", "user", "safety_identifier", "prompt_cache_key", "client_metadata"],
]);

/** Text that clients write themselves: the day, and what a tool of Codex says of one run of a command. */
const STAMPS: readonly (readonly [RegExp, string])[] = [
  [/<current_date>[^<]{1,40}<\/current_date>/g, "<current_date/>"],
  [/(Today's date(?: is|:)) [\w, ./-]{4,40}/g, "$1 …"],
  // Grok names the folder of its session in the description of a tool.
  [/(\.grok\/sessions\/[^/\s]{1,200})\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "$1/…"],
  [/^Chunk ID: [0-9a-f]{1,16}$/gm, "Chunk ID: …"],
  [/^Wall time: [\d.]{1,12} seconds$/gm, "Wall time: …"],
];

/** The body without that. */
export function withoutVolatile(wire: WireName, body: JsonObject): JsonObject {
  const asked = Object.fromEntries(Object.entries(body).filter(([name]) => !WHO_ASKS.has(name)));
  const named = wire === "responses" ? withoutItemIds(asked) : wire === "gemini" ? withOrdinals(asked) : asked;
  return withoutStamps(named) as JsonObject;
}

/** Codex gives each item an id; what joins a call and its result is `call_id`, which the model has given. */
function withoutItemIds(body: JsonObject): JsonObject {
  const { input } = body;
  if (!Array.isArray(input)) return body;
  const items = input.map((item) => {
    // An item that is named instead of written out is nothing but its id.
    if (!isJsonObject(item) || item["type"] === "item_reference") return item;
    return Object.fromEntries(Object.entries(item).filter(([name]) => name !== "id"));
  });
  return { ...body, input: items };
}

/** Gemini CLI makes the ids that join calls and results, out of the clock: they count in the order in which they come. */
function withOrdinals(body: JsonObject): JsonObject {
  const seen = new Map<string, number>();
  const ordinal = (id: string): number => {
    const number = seen.get(id) ?? seen.size;
    seen.set(id, number);
    return number;
  };
  const renamed = (value: JsonValue, holder: string): JsonValue => {
    if (Array.isArray(value)) return value.map((each) => renamed(each, holder));
    if (!isJsonObject(value)) return value;
    const isCall = holder === "functionCall" || holder === "functionResponse";
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        if (isCall) return [name, name === "id" && typeof each === "string" ? ordinal(each) : each];
        return [name, renamed(each as JsonValue, name)];
      }),
    );
  };
  const { contents } = body;
  return contents === undefined ? body : { ...body, contents: renamed(contents, "contents") };
}

function withoutStamps(value: JsonValue): JsonValue {
  if (typeof value === "string") return STAMPS.reduce((text, [stamp, plain]) => text.replace(stamp, plain), value);
  if (Array.isArray(value)) return value.map(withoutStamps);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutStamps(each as JsonValue)]));
}
