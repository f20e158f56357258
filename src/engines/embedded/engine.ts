/** The embedded engine: loops live in this process; a lease that the operating system holds keeps every other process out. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { heed } from "../../kernel/control/heed.ts";
import { replay } from "../../kernel/replay.ts";
import type { Engine, ReplayReport } from "../../ports/engine.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { KillSwitch } from "../../ports/stop/kill-switch.ts";
import type { Control } from "../../ports/store/control.ts";
import type { Lease } from "../../ports/store/lease.ts";
import type { RunIndex } from "../../ports/store/run-index.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import { isTerminal } from "../../run/reasons.ts";
import { answerRun, resumeRun, tendRun } from "./answers.ts";
import { runChild } from "./children.ts";
import { drainAll, findOpen, type Hosting, leavingSoon, startRun, takeOver } from "./hosting.ts";
import { killRun, requireReleased } from "./killing.ts";
import { eachOpenChild } from "./open-children.ts";
import type { Budgets } from "./purses.ts";
import { planOf, readAll } from "./restore.ts";
import type { Turns } from "./turns.ts";
import { wakeRun } from "./waking.ts";

export interface EngineParts {
  readonly ports: Omit<KernelPorts, "children"> & { readonly killSwitch: Pick<KillSwitch, "pulled" | "watch"> };
  readonly runs: RunIndex;
  readonly lease: Lease;
  readonly control: Control;
  /** Who of those that were refused for now may try again; without it everybody whose time has come. */
  readonly turns?: Turns;
  /** Without it nothing that a run spends is counted. */
  readonly budgets?: Budgets;
}

export function createEmbeddedEngine(parts: EngineParts): Engine {
  const { runs, lease, control, turns, budgets } = parts;
  const { killSwitch } = parts.ports;
  const hosting: Hosting = {
    ports: { ...parts.ports, children: { run: (request, signal) => runChild(hosting, request, signal) } },
    runs,
    lease,
    control,
    turns: turns ?? null,
    killSwitch,
    budgets,
    hosted: new Map(),
    leaving: leavingSoon(),
    taking: new Map(),
    endChildren: (run) => eachOpenChild(hosting, run, (child) => cancelRun(hosting, child.run, `run ${run}`)),
  };
  return {
    start: async (run) => {
      requireReleased(hosting, run.run);
      return startRun(hosting, run);
    },
    resume: (run, options) => resumeRun(hosting, run, options),
    wake: (run, options) => wakeRun(hosting, run, options),
    answer: (run, answer) => answerRun(hosting, run, answer),
    tend: (run) => tendRun(hosting, run),
    cancel: (run, by) => cancelRun(hosting, run, by),
    kill: (run, request) => killRun(hosting, run, request),
    pause: (run, by) => pauseRun(hosting, run, by),
    replay: (run) => replayRun(hosting, run),
    drain: () => drainAll(hosting),
  };
}

async function cancelRun(hosting: Hosting, run: RunId, by: string): Promise<"requested" | "ended"> {
  const request = { kind: "cancel", by } as const;
  if (await isHosted(hosting, run)) {
    await hosting.control.request(run, request);
    // Its host may have let go of it meanwhile: nobody else would hear the request then.
    const row = await hosting.runs.get(run);
    if (row === undefined || isTerminal(row.status) || row.holder !== null || hosting.hosted.has(run))
      return "requested";
  }
  const { ended } = await takeOver(hosting, run, ({ state }) => heed(state, request));
  await ended;
  return "ended";
}

async function isHosted(hosting: Hosting, run: RunId): Promise<boolean> {
  const { holder } = await findOpen(hosting, run);
  return holder !== null || hosting.hosted.has(run);
}

async function pauseRun(hosting: Hosting, run: RunId, by: string): Promise<void> {
  const row = await findOpen(hosting, run);
  if (!hosting.hosted.has(run) && row.holder === null) {
    throw pawlError(RUN_ERRORS, "RUN_NOT_HOSTED", { run, status: row.status });
  }
  await hosting.control.request(run, { kind: "pause", by });
  await pauseChildren(hosting, run, by);
}

/** A stage that is a child run would go on to its end otherwise. */
async function pauseChildren(hosting: Hosting, run: RunId, by: string): Promise<void> {
  await eachOpenChild(hosting, run, async ({ run: child }) => {
    await hosting.control.request(child, { kind: "pause", by });
    await pauseChildren(hosting, child, by);
  });
}

async function replayRun({ ports, runs }: Hosting, run: RunId): Promise<ReplayReport> {
  const row = await runs.get(run);
  if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run });
  const events = await readAll(ports.journal, run);
  const divergence = replay(await planOf(ports.journal, row), events, ports);
  return divergence === null ? { equal: true, events: events.length } : { equal: false, ...divergence };
}
