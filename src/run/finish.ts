/** How a run ends when its cursor has reached an end. Only evidence from outside makes a success. */
import type { Plan, Target } from "../plan/plan.ts";
import { levelNow } from "./budget/ceiling.ts";
import type { Cause, Fact } from "./events.ts";
import { REASONS, type StopReason } from "./reasons.ts";
import type { RunFacts } from "./state.ts";

const BY_CAUSE: Partial<Record<Cause, StopReason>> = {
  stall: "stall",
  oom: "oom",
  resource: "resource_exhausted",
  denied: "approval_denied",
  expired: "approval_expired",
  circuit_open: "circuit_open",
  budget: "budget_exhausted",
};

export function finishFact(plan: Plan, facts: RunFacts, target: Extract<Target, { end: string }>): Fact {
  switch (target.end) {
    case "done":
      return finished(
        doneReason(plan, facts, target.cut),
        target.cut === undefined ? undefined : `the level ends before "${target.cut}"`,
      );
    case "fail": {
      const failure = facts.lastFailure;
      const detail = failure === null ? undefined : `${failure.stage}: ${failure.error ?? failure.cause}`;
      return finished((failure && BY_CAUSE[failure.cause]) ?? "stage_failed", detail);
    }
    case "escalate":
      return finished("escalated", facts.lastFailure?.stage);
    case "paused":
      return { type: "run.paused", by: "route" };
  }
}

/**
 * Done means verified: a process has judged exactly the tree that the run ends with, and no gate's latest verdict is another
 * than a pass. A run that no process has judged may report (L1) but may not claim anything above that. A merge gate that does not pass says that a
 * person merges: what nobody has merged is proposed, and what was merged all the same is no success.
 */
function doneReason(plan: Plan, facts: RunFacts, cut: string | undefined): StopReason {
  const { withheld, verified, tree, base } = facts;
  if (isContradicted(facts)) return "unverified";
  // Nothing has changed, so there is nothing that could be wrong.
  if ([...facts.verdicts.values()].includes("empty") && tree === base) return "noop";
  const level = levelNow(plan, facts);
  const mayReport = level === "L0" || level === "L1";
  if (verified === null) return mayReport ? "reported" : "unverified";
  if (verified.tree !== tree) return "unverified";
  if (cut === undefined && withheld.size === 0) return "goal_achieved";
  return mayReport ? "reported" : "proposed";
}

/** A gate has said no to the tree, or it was merged although a gate held it back. */
function isContradicted({ verdicts, withheld, merged }: RunFacts): boolean {
  if (withheld.size > 0 && merged) return true;
  return [...verdicts.values()].some((verdict) => verdict !== "pass" && verdict !== "empty");
}

function finished(reason: StopReason, detail: string | undefined): Fact {
  return { type: "run.finished", status: REASONS[reason], reason, ...(detail === undefined ? {} : { detail }) };
}
