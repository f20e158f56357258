/** Tools that touch nothing: to think aloud, to know the time, to make an id, to look into JSON. */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { Tool } from "../tool.ts";
import { queryJson } from "./json-query.ts";

export interface ThinkingToolOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly uuid: () => string;
}

const HARMLESS = { risk: "low", timeout: "fast", idempotent: true, safeToShare: true } as const;
const NOTHING: JsonObject = { type: "object", properties: {}, additionalProperties: false };
const MOST_JSON = 1024 * 1024;

export function createThinkingTools({ now, uuid }: ThinkingToolOptions): readonly Tool[] {
  return [
    {
      ...HARMLESS,
      name: "think",
      summary: "Takes a thought and does nothing with it: a place to reason before acting.",
      input: {
        type: "object",
        properties: { thought: { type: "string", maxLength: 20_000 } },
        required: ["thought"],
        additionalProperties: false,
      },
      requests: () => [],
      run: async () => ({ ok: true, output: "noted" }),
    },
    {
      ...HARMLESS,
      name: "now",
      summary: "The present time, in UTC.",
      input: NOTHING,
      requests: () => [],
      run: async () => ({ ok: true, output: { utc: new Date(now()).toISOString(), unix_ms: now() } }),
    },
    {
      ...HARMLESS,
      name: "uuid_generate",
      summary: "A new random UUID.",
      input: NOTHING,
      requests: () => [],
      run: async () => ({ ok: true, output: uuid() }),
    },
    jsonTool(),
  ];
}

function jsonTool(): Tool {
  return {
    ...HARMLESS,
    name: "json_query",
    summary: "Reads JSON text and gives what is at a path such as a.b[0].c; [*] stands for every entry.",
    input: {
      type: "object",
      properties: { json: { type: "string", maxLength: MOST_JSON }, path: { type: "string", maxLength: 1000 } },
      required: ["json"],
      additionalProperties: false,
    },
    requests: () => [],
    async run(input) {
      let value: JsonValue;
      try {
        value = JSON.parse(String(input["json"])) as JsonValue;
      } catch (error) {
        return { ok: false, error: `it is no JSON: ${(error as Error).message}` };
      }
      const found = queryJson(value, String(input["path"] ?? ""));
      return typeof found === "string" ? { ok: false, error: found } : { ok: true, output: found.value };
    },
  };
}
