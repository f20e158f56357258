/** What a model threw, in the words that the routes and the port of agents have for it. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { WireName } from "../../limits/routes/candidate.ts";
import { type CallFailure, isOutOfCredit } from "../../limits/routes/failure.ts";
import type { AgentFailure } from "../../ports/agents/agent-backend.ts";

/** The errors of the SDK are told by what they have: their classes would load it. */
interface ApiError {
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
  readonly responseBody?: unknown;
  readonly data?: unknown;
}

export function failureOf(thrown: unknown, provider: string): CallFailure {
  const error = (isJsonObject(thrown) ? thrown : {}) as ApiError;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const told = isJsonObject(error.data) ? error.data : bodyOf(error.responseBody);
  return {
    wire: wireOf(provider),
    status: typeof error.statusCode === "number" ? error.statusCode : null,
    headers: headersOf(error.responseHeaders),
    type: typeOf(told),
    message,
    ...(typeof error.responseBody === "string" ? { body: error.responseBody } : {}),
  };
}

/** `anthropic.messages`, `openai.responses`, `google.generative-ai`: of all others the usual form is that of chats. */
function wireOf(provider: string): WireName {
  if (provider.startsWith("anthropic")) return "anthropic";
  if (provider.startsWith("google")) return "gemini";
  return provider.endsWith(".responses") ? "responses" : "chat";
}

function bodyOf(text: unknown): JsonObject {
  try {
    const value: unknown = typeof text === "string" ? JSON.parse(text) : {};
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Providers name it `code`, `type` or `status`; a number is no name. */
function typeOf(told: JsonObject): string | null {
  const error = isJsonObject(told["error"]) ? told["error"] : told;
  const names = [error["code"], error["type"], error["status"]];
  return names.find((name): name is string => typeof name === "string") ?? null;
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(headers)) return {};
  const entries = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

const TOO_LONG = /too long|context.length|context window|maximum context|too many tokens|maximum number of tokens/i;
const OVERLOADED = /overloaded|unavailable/i;

/** `budget`: the payer refuses. `billing`: the account at the provider has no credit left. */
export function classify(failure: CallFailure): AgentFailure | "budget" {
  const { status, type, message } = failure;
  if (status === 402) return "budget";
  if (isOutOfCredit(failure)) return "billing";
  if (status === 401 || status === 403) return "auth";
  if (TOO_LONG.test(`${type ?? ""} ${message}`)) return "context_overflow";
  if (status === 529 || status === 503 || OVERLOADED.test(type ?? "")) return "overloaded";
  if (status === 429) return "rate_limited";
  // Nothing came, or what came broke off.
  return status === null || status === 200 ? "lost" : "provider";
}
