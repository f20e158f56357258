/** An event of a run in the words of OpenExec: one line of timeline.jsonl, or none. */
import type { JsonObject } from "../../../base/json.ts";
import type { RunEvent, StoredEvent } from "../../../run/events.ts";
import type { StopReason, TerminalStatus } from "../../../run/reasons.ts";

/** Whatever else an agent may answer is an answer. */
const FAILED: readonly string[] = ["failure", "fail", "reject", "escalate"];
const CHECKPOINT = "-checkpoint";

type RunStatus = "pending" | "running" | "paused" | "completed" | "failed" | "cancelled";

/** Its statuses of a run that is over. */
const STATUSES: Readonly<Record<TerminalStatus, RunStatus>> = {
  succeeded: "completed",
  failed: "failed",
  blocked: "failed",
  rejected: "failed",
  cancelled: "cancelled",
  killed: "cancelled",
  timed_out: "failed",
};

export function timelineLine({ seq, event }: StoredEvent): JsonObject | null {
  const told = wordsOf(event);
  return told === null ? null : { seq, timestamp: new Date(event.at).toISOString(), ...told };
}

function wordsOf(event: RunEvent): JsonObject | null {
  switch (event.type) {
    case "run.created":
      return { type: "preflight_passed", run_status: "pending", blueprint: event.blueprint, plan: event.plan };
    case "run.started":
      return { type: "blueprint_start", run_status: "running" };
    case "run.resumed":
      return { type: "progress", run_status: "running", message: `goes on after ${event.after}` };
    case "run.waiting":
      return { type: "paused", run_status: "paused", message: event.reason };
    case "run.paused":
      return { type: "paused", run_status: "paused", message: `by ${event.by}` };
    case "run.finished":
      return ended(event.status as TerminalStatus, event.reason, event.detail);
    case "round.started":
      return { type: "route_decision", stage: event.stage, iteration: event.round };
    default:
      return aboutStage(event);
  }
}

function ended(status: TerminalStatus, reason: StopReason, detail: string | undefined): JsonObject {
  const type = status === "succeeded" ? "blueprint_complete" : "blueprint_failed";
  return { type, run_status: STATUSES[status], reason, ...(detail === undefined ? {} : { message: detail }) };
}

function aboutStage(event: RunEvent): JsonObject | null {
  switch (event.type) {
    case "stage.started": {
      const { stage, attempt, rule } = event;
      return { type: attempt > 1 ? "stage_retry" : "stage_start", stage, stage_status: "running", attempt, rule };
    }
    case "stage.finished":
      return finished(event);
    case "stage.interrupted":
      return {
        type: "stage_failed",
        stage: event.stage,
        stage_status: "failed",
        attempt: event.attempt,
        error: "interrupted",
      };
    case "stage.refused":
      return { type: "stage_failed", stage: event.stage, stage_status: "failed", error: event.error };
    case "policy.denied":
      return {
        type: "error",
        stage: event.stage,
        stage_status: "skipped",
        decision: "deny",
        rule: event.rule,
        error: event.why,
      };
    case "approval.requested":
      return { type: "operator_attention", stage: event.stage, approval: event.id, message: event.why };
    case "approval.answered":
      return { type: "signal_received", stage: event.stage, approval: event.id, answer: event.answer, by: event.by };
    default:
      return null;
  }
}

function finished(event: Extract<RunEvent, { type: "stage.finished" }>): JsonObject {
  const { stage, attempt, outcome, error, artifacts = {} } = event;
  const names = Object.entries(artifacts).map(([name, { sha256 }]) => ({ name, artifact_id: sha256 }));
  const isFailed = FAILED.includes(outcome);
  const done = stage.endsWith(CHECKPOINT) && !isFailed ? "checkpoint_created" : "stage_complete";
  return {
    type: isFailed ? "stage_failed" : done,
    stage,
    stage_status: isFailed ? "failed" : "completed",
    attempt,
    outcome,
    ...(error === undefined ? {} : { error }),
    ...(names.length === 0 ? {} : { artifacts: names }),
  };
}
