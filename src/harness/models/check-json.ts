/** Whether a text is JSON that fits a schema. Models like to wrap it: what stands around it is left out, nothing is put right. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { readJson } from "../../base/schema/read-json.ts";
import { readSchema } from "../../base/schema/schema.ts";

export type Checked =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string };

const FENCED = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/;

export function checkJson(schema: JsonObject, text: string): Checked {
  const value = readJson(FENCED.exec(text)?.[1] ?? text);
  if (value === undefined) return { ok: false, problem: "it is not JSON, or nested too deeply" };
  const reading = readSchema(schema);
  if (!reading.ok) return { ok: false, problem: `the schema cannot be checked: ${reading.problem}` };
  const problems = reading.schema.problems(value);
  return problems.length === 0 ? { ok: true, value } : { ok: false, problem: problems.join("; ") };
}
