/** Plans, runs and events for tests of stores: valid, small, and different wherever it matters. */
import { randomBytes } from "node:crypto";
import { sha256 } from "../../src/base/digest.ts";
import { formatRunId, type RunId } from "../../src/base/ids.ts";
import { canonical } from "../../src/base/json.ts";
import type { Plan, PlanJson } from "../../src/plan/plan.ts";
import type { Journal } from "../../src/ports/store/journal.ts";
import type { EventOf, RunEvent } from "../../src/run/events.ts";
import type { StopReason, TerminalStatus } from "../../src/run/reasons.ts";

export function buildPlan(name = "demo"): Plan {
  const body: Omit<Plan, "fingerprint"> = {
    version: 1,
    name,
    level: "L1",
    params: {},
    limits: { stages: null, wallMs: null, rounds: null, consecutiveFailures: null, tokens: null, microUsd: null },
    rules: [],
    policy: "",
    workspace: null,
    protect: [],
    start: "build",
    stages: [],
    children: [],
    bound: { stages: 1, wallMs: 1000, tokens: 0, microUsd: 0, spawns: 0, turns: 0 },
  };
  return { ...body, fingerprint: sha256(canonical(body as PlanJson)) };
}

export function buildRunId(): RunId {
  return formatRunId(randomBytes(12));
}

export function buildCreated(run: RunId, plan: Plan, parent?: RunId): EventOf<"run.created"> {
  return {
    type: "run.created",
    at: 1000,
    run,
    blueprint: plan.name,
    plan: plan.fingerprint,
    params: {},
    ...(parent === undefined ? {} : { parent: { run: parent, stage: "child" } }),
  };
}

export const STARTED: RunEvent = { type: "run.started", at: 1001 };

export function buildStageStarted(n: number): RunEvent {
  return { type: "stage.started", at: 1000 + n, stage: `stage-${n}`, visit: 1, attempt: 1, rule: "allow everything" };
}

export function buildFinished(status: TerminalStatus = "succeeded", reason: StopReason = "goal_achieved"): RunEvent {
  return { type: "run.finished", at: 9000, status, reason };
}

/** Creates a run that has started, with so many more events after run.created and run.started. */
export async function createRun(
  journal: Journal,
  options: { plan?: Plan; run?: RunId; parent?: RunId; more?: number } = {},
): Promise<RunId> {
  const { plan = buildPlan(), run = buildRunId(), parent, more = 0 } = options;
  const stages = Array.from({ length: more }, (_, i) => buildStageStarted(i));
  await journal.create(run, plan, [buildCreated(run, plan, parent), STARTED, ...stages]);
  return run;
}
