/** An answer that was asked for as JSON, from the last words of an agent that cannot be held to a schema. */
import type { JsonObject, JsonValue } from "../../../base/json.ts";

/** What stands behind the task when an answer must have a form. */
export function formOf(schema: JsonObject): string {
  return `\n\nEnd with an answer that is nothing but one JSON object of this schema, without any other text:\n${JSON.stringify(schema)}\n`;
}

/** So many places are tried: each costs a look at all that follows. */
const MOST_TRIES = 1000;

/** The JSON object that the text ends with; undefined: there is none. */
export function answerIn(text: string): JsonValue | undefined {
  const end = text.lastIndexOf("}");
  let from = text.indexOf("{");
  for (let tries = 0; tries < MOST_TRIES && from >= 0 && from < end; tries += 1) {
    try {
      return JSON.parse(text.slice(from, end + 1)) as JsonValue;
    } catch {
      from = text.indexOf("{", from + 1);
    }
  }
  return undefined;
}
