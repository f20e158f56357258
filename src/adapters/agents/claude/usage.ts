/** What Claude Code says that it has used: by its own count, and only as a cross-check. */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { Usage } from "../../../base/usage.ts";
import { amountAt, objectAt } from "./fields.ts";

const PARTS = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
/** Its other totals go on over a session that is resumed. */
const SINCE = "model_usage_since_last_result";

/** Of all models since the last line of this kind; null: it does not tell. */
export function usageIn(result: JsonObject): Usage | null {
  if (!isJsonObject(result[SINCE])) return null;
  const models = Object.values(objectAt(result, SINCE)).filter(isJsonObject);
  const tokens = sum(models.flatMap((model) => PARTS.map((part) => amountAt(model, part) ?? 0)));
  const usd = sum(models.map((model) => amountAt(model, "costUSD") ?? 0));
  return { tokens, microUsd: Math.round(usd * 1e6) };
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
