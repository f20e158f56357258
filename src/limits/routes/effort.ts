/** How hard a model shall think, in the words of each wire. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Effort, WireName } from "./candidate.ts";

/** What Gemini models of before 3 take instead of a level. */
const GEMINI_BUDGET: Readonly<Record<Effort, number>> = { low: 1024, medium: 8192, high: 24_576 };
const TAKES_BUDGET = /^gemini-[12]\b/;

/** The members of the body that are then to be otherwise. */
export function effortMembers(body: JsonObject, wire: WireName, model: string, effort: Effort): JsonObject {
  switch (wire) {
    case "anthropic":
      return { output_config: { ...inner(body["output_config"]), effort } };
    case "responses":
      return { reasoning: { ...inner(body["reasoning"]), effort } };
    case "chat":
      return { reasoning_effort: effort };
    case "gemini": {
      const config = inner(body["generationConfig"]);
      const { thinkingBudget: _budget, thinkingLevel: _level, ...rest } = inner(config["thinkingConfig"]);
      const chosen = TAKES_BUDGET.test(model) ? { thinkingBudget: GEMINI_BUDGET[effort] } : { thinkingLevel: effort };
      return { generationConfig: { ...config, thinkingConfig: { ...rest, ...chosen } } };
    }
  }
}

function inner(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
