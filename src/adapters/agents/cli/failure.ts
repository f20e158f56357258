/** Why a call to a model failed, from what an agent tells of it: a status where it has one, else its words. */
import { visibleLine } from "../../../base/visible.ts";
import { type RefusalReason, refusalReason, type ToldRefusal } from "../../../limits/routes/refusal.ts";
import type { AgentOutcome } from "../../../ports/agents/agent-backend.ts";

const LONGEST = 300;

export function failureOf(told: ToldRefusal): AgentOutcome {
  return failureBy(refusalReason(told), told.message);
}

export function failureBy(why: RefusalReason, message: string): AgentOutcome {
  const error = visibleLine(message, LONGEST);
  return why === "budget" ? { kind: "budget", error } : { kind: "failed", why, error };
}

/** It ended, or was ended, without a last word. */
export function lost(error: string): AgentOutcome {
  return { kind: "failed", why: "lost", error: visibleLine(error, LONGEST) };
}
