/** What became of a task, by the last line of Claude Code. Neither its exit code nor the name of that line tells. */
import type { JsonObject } from "../../../base/json.ts";
import { visibleLine } from "../../../base/visible.ts";
import { saysNoCredit } from "../../../limits/quota/signals.ts";
import type { AgentFailure, AgentOutcome, ToolCall } from "../../../ports/agents/agent-backend.ts";
import type { ProcessReport } from "../../../ports/executor.ts";
import { amountAt, textAt } from "./fields.ts";

const MAX_ERROR = 300;

const BY_STATUS: Readonly<Record<number, AgentFailure | "budget">> = {
  401: "auth",
  402: "budget",
  403: "auth",
  413: "context_overflow",
  429: "rate_limited",
  503: "overloaded",
  529: "overloaded",
};

export interface Ending {
  readonly result: JsonObject | null;
  /** Why the talk was broken off. */
  readonly breach: string | null;
  readonly deferred: ToolCall | null;
  readonly report: ProcessReport;
  /** We were told to end it, and did. */
  readonly isEnded: boolean;
}

export function outcomeOf({ result, breach, deferred, report, isEnded }: Ending): AgentOutcome {
  if (breach !== null) return { kind: "failed", why: "lost", error: `Claude Code was ended: ${breach}` };
  // What it says while it is being ended is about that: the way to its model goes first.
  if (isEnded) return { kind: "cancelled" };
  if (result === null) return lost(report);
  if (deferred !== null) return { kind: "deferred", call: deferred };
  const reason = textAt(result, "terminal_reason");
  if (result["is_error"] === false && reason === "completed") return { kind: "completed" };
  const error = errorIn(result, reason);
  switch (reason) {
    case "prompt_too_long":
      return { kind: "failed", why: "context_overflow", error };
    case "max_turns":
    case "budget_exhausted":
      return { kind: "budget", error };
    case "aborted_streaming":
    case "aborted_tools":
      return { kind: "cancelled" };
    default:
      return byStatus(amountAt(result, "api_error_status"), error);
  }
}

function byStatus(status: number | null, error: string): AgentOutcome {
  const why = saysNoCredit(error) ? "billing" : ((status === null ? undefined : BY_STATUS[status]) ?? byWords(error));
  return why === "budget" ? { kind: "budget", error } : { kind: "failed", why, error };
}

/** An answer that breaks off with an error has no status of its own. */
function byWords(error: string): AgentFailure {
  return /overloaded/i.test(error) ? "overloaded" : "provider";
}

/** It ended, or was ended, without a last line: whatever its exit code says, nobody knows what it has done. */
function lost({ error, cause }: ProcessReport): AgentOutcome {
  const why = cause === "ok" ? "Claude Code ended without a result" : (error ?? "Claude Code was lost");
  return { kind: "failed", why: "lost", error: why };
}

function errorIn(result: JsonObject, reason: string | null): string {
  const said = textAt(result, "result") ?? "";
  return visibleLine(`Claude Code stopped (${reason ?? "no reason"})${said === "" ? "" : `: ${said}`}`, MAX_ERROR);
}
