/** Tokens that an agent says it has used. There is no word of the protocol for it: agents put it in three places. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

const TOTALS = ["totalTokens", "total_tokens"];
const PARTS = ["inputTokens", "outputTokens", "input_tokens", "output_tokens"];

/** null: it does not say. */
export function usageIn(answer: JsonObject): number | null {
  const meta = objectOf(answer["_meta"]);
  const quota = objectOf(meta["quota"]);
  const told = [answer["usage"], quota["token_count"], meta["usage"], meta].map((place) => tokensIn(objectOf(place)));
  return told.find((tokens) => tokens !== null) ?? null;
}

function tokensIn(place: JsonObject): number | null {
  const total = TOTALS.map((name) => place[name]).find((value) => typeof value === "number");
  if (typeof total === "number") return total;
  const parts = PARTS.flatMap((name) => (typeof place[name] === "number" ? [place[name]] : []));
  return parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
