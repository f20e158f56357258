/** A path into JSON: names with dots between them, places in brackets, `[*]` for every entry. */
import { isJsonObject, type JsonValue } from "../../../base/json.ts";

const STEP = /^(?:\.?([^.[\]]+)|\[(\d{1,9}|\*)\]|\["([^"]*)"\])/;

/** The value; a text says why there is none. */
export function queryJson(value: JsonValue, path: string): { readonly value: JsonValue } | string {
  if (path === "" || path === ".") return { value };
  const found = STEP.exec(path);
  if (found === null) return `the path cannot be read at ${JSON.stringify(path.slice(0, 40))}`;
  const [whole, name, place, quoted] = found;
  const rest = path.slice(whole.length);
  if (place === "*") return each(value, rest);
  const key = name ?? quoted;
  const next = key === undefined ? entryAt(value, Number(place)) : memberAt(value, key);
  return next === undefined ? `there is nothing at ${JSON.stringify(whole)}` : queryJson(next, rest);
}

function each(value: JsonValue, rest: string): { readonly value: JsonValue } | string {
  if (!Array.isArray(value)) return "[*] needs a list";
  const found = (value as readonly JsonValue[]).map((entry) => queryJson(entry, rest));
  const problem = found.find((one) => typeof one === "string");
  if (problem !== undefined) return problem as string;
  return { value: found.map((one) => (one as { readonly value: JsonValue }).value) };
}

function entryAt(value: JsonValue, place: number): JsonValue | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[])[place] : undefined;
}

function memberAt(value: JsonValue, key: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
