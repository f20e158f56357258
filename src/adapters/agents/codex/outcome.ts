/** How a turn of Codex ended. */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { ToldRefusal } from "../../../limits/routes/refusal.ts";
import type { AgentFailure, AgentOutcome } from "../../../ports/agents/agent-backend.ts";
import { failureOf, lost } from "../cli/failure.ts";
import { objectIn, textIn } from "./rpc.ts";

const BY_NAME: Readonly<Record<string, AgentFailure>> = {
  contextWindowExceeded: "context_overflow",
  usageLimitExceeded: "rate_limited",
  serverOverloaded: "overloaded",
  rateLimitExceeded: "rate_limited",
  unauthorized: "auth",
  internalServerError: "provider",
};

/** `denied`: what it was not allowed last. */
export function outcomeOf(turn: JsonObject, denied: string | null): AgentOutcome {
  switch (turn["status"]) {
    case "completed":
      return denied === null ? { kind: "completed" } : { kind: "denied", error: denied };
    case "failed":
      return failedWith(objectIn(turn["error"]));
    case "interrupted":
      return denied === null ? lost("its turn was interrupted") : { kind: "denied", error: denied };
    default:
      return lost(`its turn ended as ${JSON.stringify(turn["status"] ?? null)}`);
  }
}

function failedWith(error: JsonObject): AgentOutcome {
  const told = toldIn(error);
  const info = error["codexErrorInfo"];
  const outcome = failureOf(told);
  const why = typeof info === "string" ? BY_NAME[info] : undefined;
  const isKnown = outcome.kind === "budget" || (outcome.kind === "failed" && outcome.why === "billing");
  return why === undefined || isKnown ? outcome : { kind: "failed", why, error: told.message };
}

/** The status that the provider gave, where it is told. */
export function toldIn(error: JsonObject): ToldRefusal {
  const info = error["codexErrorInfo"];
  const inner = isJsonObject(info) ? Object.values(info).find(isJsonObject) : undefined;
  const status = inner?.["httpStatusCode"];
  const message = [error["message"], error["additionalDetails"]].map(textIn).filter((text) => text !== "");
  return { status: typeof status === "number" ? status : null, message: message.join(": ") };
}
