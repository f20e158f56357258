/** Limits: which bound, if any, this run has reached. Each has its own stop reason; none of them means success. */
import { addUsage, NO_USAGE, type Usage } from "../base/usage.ts";
import { modelCost } from "../plan/bound.ts";
import type { LeafStage, Plan, PlanStage } from "../plan/plan.ts";
import { childOf } from "./plan-index.ts";
import type { Lane, RunFacts, Stopping } from "./state.ts";

/** When the run clock ends the run, or null. */
export function wallDeadline(plan: Plan, facts: RunFacts): number | null {
  return plan.limits.wallMs === null ? null : facts.startedAt + facts.restedMs + plan.limits.wallMs;
}

/** Bounds that hold at any moment. */
export function reachedLimit(plan: Plan, facts: RunFacts, now: number): Stopping | null {
  if (facts.overspent !== null) return { reason: "budget_exhausted", detail: facts.overspent };
  const deadline = wallDeadline(plan, facts);
  if (deadline !== null && now >= deadline)
    return { reason: "max_runtime", detail: `limits.wall of ${plan.limits.wallMs} ms` };
  return failureLimit(plan, facts);
}

function failureLimit({ limits }: Plan, facts: RunFacts): Stopping | null {
  const { consecutiveFailures, failedRounds } = limits;
  if (consecutiveFailures !== null && facts.consecutiveFailures >= consecutiveFailures) {
    return { reason: "consecutive_failures", detail: `${facts.consecutiveFailures} failures in a row` };
  }
  if (failedRounds !== undefined && facts.failedRounds >= failedRounds) {
    return { reason: "consecutive_failures", detail: `${facts.failedRounds} failed rounds in a row` };
  }
  return null;
}

/** Whether one more round may begin, with this stage. */
export function roundLimit(plan: Plan, facts: RunFacts, next: PlanStage): Stopping | null {
  const { rounds } = plan.limits;
  if (rounds !== null && facts.round >= rounds) return { reason: "max_rounds", detail: `limits.rounds is ${rounds}` };
  return isStuck(facts) ? enterLimit(plan, facts, next) : null;
}

function isStuck({ stagnation }: RunFacts): boolean {
  return stagnation !== null && stagnation.found !== null;
}

/** Whether the run may go on with a stage. Where it is stuck and a bound is reached as well, the bound is the reason. */
export function enterLimit(plan: Plan, facts: RunFacts, stage: PlanStage): Stopping | null {
  const bound = visitLimit(stage, facts) ?? startLimit(plan, facts, NO_USAGE, NO_USAGE);
  const found = facts.stagnation?.found ?? null;
  return bound ?? (found === null ? null : { reason: "stagnation", detail: found.detail });
}

/** Whether the stage may be visited once more. */
function visitLimit(stage: PlanStage, facts: RunFacts): Stopping | null {
  const visits = facts.visits.get(stage.id) ?? 0;
  if (stage.maxVisits === null || visits < stage.maxVisits) return null;
  return { reason: "max_visits", detail: `"${stage.id}" was visited ${visits} times` };
}

/** The most that one attempt may spend; for a child run, its worst case. */
export function costOf(plan: Plan, leaf: LeafStage): Usage {
  if (leaf.kind === "run") return childOf(plan, leaf.plan).bound;
  return chargeOf(leaf);
}

/** What an attempt is charged that was lost, or did not say what it spent. A child run tells its own when it ends. */
export function chargeOf(leaf: LeafStage): Usage {
  if (leaf.kind === "action") return leaf.cost;
  return leaf.kind === "command" || leaf.kind === "agent" ? modelCost(leaf) : NO_USAGE;
}

/**
 * Books what an attempt has spent. What costs more than it said has no worst case, so that nothing more may begin after it. A child
 * run keeps to this by itself; what it has lost in crashes may come on top.
 */
export function charge(plan: Plan, facts: RunFacts, { path, leaf }: Lane, usage: Usage | undefined): void {
  const spent = usage ?? chargeOf(leaf);
  facts.usage = addUsage(facts.usage, spent);
  const most = costOf(plan, leaf);
  if (leaf.kind === "run") return;
  if (spent.tokens <= most.tokens && spent.microUsd <= most.microUsd) return;
  const told = `${spent.tokens} tokens and ${spent.microUsd} micro-dollars`;
  facts.overspent ??= `"${path}" has spent ${told}, and said that it would spend at most ${most.tokens} and ${most.microUsd}`;
}

/** Whether one more attempt may start, with the most it may cost reserved. */
export function startLimit(plan: Plan, facts: RunFacts, reserved: Usage, cost: Usage): Stopping | null {
  const { stages, tokens, microUsd } = plan.limits;
  if (stages !== null && facts.started >= stages) return { reason: "max_stages", detail: `limits.stages is ${stages}` };
  if (tokens !== null && facts.usage.tokens + reserved.tokens + cost.tokens > tokens) {
    return { reason: "budget_exhausted", detail: `limits.tokens is ${tokens}` };
  }
  if (microUsd !== null && facts.usage.microUsd + reserved.microUsd + cost.microUsd > microUsd) {
    return { reason: "budget_exhausted", detail: `limits.usd is ${microUsd / 1e6}` };
  }
  return null;
}
