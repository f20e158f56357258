/** What both APIs of OpenAI share: the form of errors, and the tiers whose prices are known. */
import type { JsonObject } from "../../base/json.ts";
import { objectIn, textIn } from "./members.ts";
import type { Refusal, WireError } from "./wire.ts";

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

/** `auto` is what the project of the key is set to. */
export const USUAL_TIER = /^(?:auto|default|flex)$/;

export function openAiError({ status, code, message }: Refusal): JsonObject {
  const usual = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type: TYPES[status] ?? usual, param: null, code } };
}

export function readOpenAiError(body: JsonObject): WireError | null {
  const error = objectIn(body["error"]);
  if (error === null) return null;
  const type = textIn(error["code"]) ?? textIn(error["type"]) ?? "error";
  return { type, message: textIn(error["message"]) ?? "" };
}
