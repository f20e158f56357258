/** How a prompt ended, from the last word of the protocol, or from the error that stands for it. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { AgentOutcome } from "../../../ports/agents/agent-backend.ts";
import { failureOf, lost } from "../cli/failure.ts";

/** `denied`: what it was not allowed last, when nothing came after that: some agents give up then. */
export function outcomeOf(stopReason: string, denied: string | null): AgentOutcome {
  switch (stopReason) {
    case "end_turn":
      return denied === null ? { kind: "completed" } : { kind: "denied", error: denied };
    case "max_turn_requests":
      return { kind: "budget", error: "it has used all the turns that it gives itself" };
    case "max_tokens":
      return { kind: "failed", why: "context_overflow", error: "its answer is longer than the model can give" };
    case "refusal":
      return { kind: "failed", why: "provider", error: "the model refused to answer" };
    case "cancelled":
      return denied === null ? lost("it gave up without being asked to") : { kind: "denied", error: denied };
    default:
      return lost(`it ended with ${JSON.stringify(stopReason)}, which is no word of the protocol`);
  }
}

const DEEPEST = 4;
const STATUS_NAMES = ["statusCode", "status_code", "http_status", "httpStatus", "status", "code"];

/** Agents tell an error of a model as an error of the call that prompted them, each with data of its own. */
export function failureIn(error: unknown): AgentOutcome {
  if (!(error instanceof Error)) return lost(String(error));
  const { code, data } = error as Error & { readonly code?: unknown; readonly data?: JsonValue };
  const status = statusOf(code) ?? statusIn(data, DEEPEST);
  return failureOf({ status, message: [error.message, ...wordsIn(data)].join(": ") });
}

function statusOf(value: unknown): number | null {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && number >= 400 && number < 600 ? number : null;
}

function statusIn(data: JsonValue | undefined, depth: number): number | null {
  if (!isJsonObject(data) || depth === 0) return null;
  for (const name of STATUS_NAMES) {
    const status = statusOf(data[name]);
    if (status !== null) return status;
  }
  return Object.values(data).reduce<number | null>((found, inner) => found ?? statusIn(inner, depth - 1), null);
}

function wordsIn(data: JsonValue | undefined): readonly string[] {
  if (typeof data === "string") return [data];
  return isJsonObject(data) ? textsOf(data) : [];
}

function textsOf(data: JsonObject): readonly string[] {
  return Object.values(data).filter((value) => typeof value === "string");
}
