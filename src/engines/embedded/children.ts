/** Child runs: hosted beside their parent, found again after a crash, ended with their parent. */
import { isPawlError } from "../../base/errors.ts";
import { NO_USAGE } from "../../base/usage.ts";
import { killRequest } from "../../kernel/control/heed.ts";
import type { ChildReport, ChildRequest } from "../../ports/child-runs.ts";
import type { HostedEnd } from "../../ports/engine.ts";
import { neededAnswer, restsUntil } from "../../run/approval/answer.ts";
import { isTerminal, type StopReason, type WaitReason } from "../../run/reasons.ts";
import { resumeRun } from "./answers.ts";
import { endOf, type HostedRun, type Hosting, leave, startRun } from "./hosting.ts";
import { restoreRun } from "./restore.ts";

const KILLED: ChildReport = {
  ended: true,
  status: "killed",
  reason: "kill_switch",
  usage: NO_USAGE,
  turns: 0,
  spawned: 0,
  tree: null,
};
const RESTING: ChildReport = {
  ended: false,
  status: "waiting",
  reason: "awaiting_approval",
  until: null,
  target: null,
};

export async function runChild(hosting: Hosting, request: ChildRequest, signal: AbortSignal): Promise<ChildReport> {
  const { run } = request;
  const row = await hosting.runs.get(run);
  if (signal.aborted && signal.reason === "drain") return RESTING;
  if (row === undefined && hosting.killSwitch.pulled(run) !== null) return KILLED;
  if (row === undefined) return startChild(hosting, request, signal);
  // A person may have gone on with it here.
  const here = hosting.hosted.get(run);
  if (here !== undefined) return reportOf(await follow(here, request, signal));
  const { plan, state } = await restoreRun(hosting.ports.journal, row);
  if (isTerminal(state.status)) return reportOf(endOf(state));
  if (hosting.killSwitch.pulled(run) !== null) return KILLED;
  // Only a person can answer, and only time can pass; the parent rests with its child until then.
  const now = Math.max(state.facts.at, hosting.ports.clock.now());
  if (neededAnswer(plan, state, now) !== null || restsUntil(plan, state, now) !== null) return reportOf(endOf(state));
  const child = await resumeRun(hosting, run, { by: `run ${request.parent.run}` });
  return reportOf(await follow(child, request, signal));
}

async function startChild(hosting: Hosting, request: ChildRequest, signal: AbortSignal): Promise<ChildReport> {
  try {
    return reportOf(await follow(await startRun(hosting, request), request, signal));
  } catch (error) {
    if (!isPawlError(error) || error.code !== "RUN_SECRET_IN_PLAN") throw error;
    return {
      ended: true,
      status: "rejected",
      reason: "invalid_plan",
      usage: NO_USAGE,
      turns: 0,
      spawned: 0,
      tree: null,
    };
  }
}

async function follow(child: HostedRun, request: ChildRequest, signal: AbortSignal): Promise<HostedEnd> {
  const stop = (): void => {
    const by = `run ${request.parent.run}`;
    if (signal.reason === "drain") leave(child);
    else child.inbox.ask(signal.reason === "kill" ? killRequest({ by, why: "" }) : { kind: "cancel", by });
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await child.ended;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function reportOf({ status, reason, until, target, usage, turns, spawned, tree }: HostedEnd): ChildReport {
  if (isTerminal(status)) return { ended: true, status, reason: reason as StopReason, usage, turns, spawned, tree };
  if (status === "paused") return { ended: false, status, reason: null, until: null, target: null };
  return status === "waiting" ? { ended: false, status, reason: reason as WaitReason, until, target } : RESTING;
}
