/** Hosting: how one run gets a loop in this process, and lets go of it again. */
import { setMaxListeners } from "node:events";
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { Landing } from "../../kernel/aftermath.ts";
import { haltOfHost } from "../../kernel/control/halt.ts";
import { killRequest } from "../../kernel/control/heed.ts";
import { createInbox, type Inbox } from "../../kernel/control/inbox.ts";
import { openTimeBox } from "../../kernel/control/time-box.ts";
import type { Restored } from "../../kernel/hosting.ts";
import { type LoopEnd, runLoop } from "../../kernel/loop.ts";
import { leaveLine, waitersOf } from "../../kernel/pay/fund.ts";
import { restore } from "../../kernel/replay.ts";
import type { Plan } from "../../plan/plan.ts";
import { hasAgents } from "../../plan/walls.ts";
import type { Hosted, HostedEnd, NewRun } from "../../ports/engine.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { KillSwitch } from "../../ports/stop/kill-switch.ts";
import type { Control, ControlRequest } from "../../ports/store/control.ts";
import type { Lease } from "../../ports/store/lease.ts";
import type { Holder, RunIndex, RunRow } from "../../ports/store/run-index.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import type { EventOf, Fact } from "../../run/events.ts";
import { isTerminal } from "../../run/reasons.ts";
import type { RunState } from "../../run/state.ts";
import { type Budgets, purseFor } from "./purses.ts";
import { recoverRun } from "./recovering.ts";
import { requireIntact, restoreRun } from "./restore.ts";
import type { Turns } from "./turns.ts";

export interface Hosting {
  readonly ports: KernelPorts;
  readonly runs: RunIndex;
  readonly lease: Lease;
  readonly control: Control;
  readonly turns: Turns | null;
  readonly killSwitch: Pick<KillSwitch, "pulled" | "watch">;
  readonly budgets?: Budgets | undefined;
  /** The runs that have their loop here. */
  readonly hosted: Map<RunId, HostedRun>;
  /** The newest attempt to take over each run: the lease keeps out other processes, not this one. */
  readonly taking: Map<RunId, Promise<unknown>>;
  /** Aborts when this process leaves all its runs; then there is another. */
  leaving: AbortController;
  /** Ends the children that a run leaves open when it has ended. */
  endChildren(run: RunId): Promise<void>;
}

export interface HostedRun extends Hosted {
  readonly inbox: Inbox;
}

/** Why a loop was left without an end: its host is going away. */
const DRAINED = Symbol("drained");

/** Runs the loop of a run that this process has claimed, and gives the run back when the loop lets go. */
function hostRun(hosting: Hosting, restored: Restored, first: readonly Landing[]): HostedRun {
  const { run } = restored;
  const inbox = createInbox();
  const loop = runLoop(restored, first, hosting.ports, inbox);
  const handle: HostedRun = { run, inbox, ended: endOfHosting(hosting, restored, inbox, loop) };
  hosting.hosted.set(run, handle);
  return handle;
}

async function endOfHosting(
  hosting: Hosting,
  { run, plan, seq, purse }: Restored,
  inbox: Inbox,
  loop: Promise<LoopEnd>,
): Promise<HostedEnd> {
  const { control, killSwitch, lease, hosted } = hosting;
  let asked = false;
  let isHeld = true;
  const hear = (request: ControlRequest): void => {
    asked = true;
    inbox.ask(request);
  };
  const unwatch = control.watch(run, hear, seq === 0);
  const unguard = killSwitch.watch(run, (pulled) => inbox.ask(killRequest(pulled)));
  try {
    const end = await loop;
    if (end.lost) throw pawlError(RUN_ERRORS, "RUN_LOST", { run });
    // The append that ended a new run, or laid it to rest, has given it back.
    isHeld = seq > 0;
    if (asked) await control.settle(run);
    await tellRefusal(hosting, end.state);
    if (isTerminal(end.state.status)) {
      if (plan.children.length > 0) await hosting.endChildren(run);
      if (purse !== undefined) await leaveLine(purse);
      await clearAfter(hosting, plan, end.state);
    }
    return endOf(end.state);
  } catch (error) {
    // What was asked of a drained run stays for its next host.
    if (error === DRAINED)
      return {
        run,
        status: "running",
        reason: null,
        until: null,
        target: null,
        usage: NO_USAGE,
        turns: 0,
        spawned: 0,
        tree: null,
      };
    throw error;
  } finally {
    unwatch();
    unguard();
    hosted.delete(run);
    if (isHeld) await lease.release(run);
  }
}

/** Everybody else who needs what has refused the run would be refused too. */
async function tellRefusal({ turns, ports }: Hosting, state: RunState): Promise<void> {
  if (turns === null || state.status !== "waiting" || state.until === null || state.target === null) return;
  await turns.park(state.target, state.until, state.reason, ports.clock.now());
}

/** What cannot be removed now is left for a sweep: the run has its end already. */
async function clearAfter({ ports, leaving }: Hosting, plan: Plan, { facts }: RunState): Promise<void> {
  const { run, tree } = facts;
  if (tree !== null) await leaveWorkspaces(ports, run, leaving.signal).catch(() => undefined);
  if (plan.workspace !== null) await ports.executor.leave(run).catch(() => undefined);
  if (hasAgents(plan)) await ports.agents?.homes.leave(run).catch(() => undefined);
}

/** In the time that a save has besides its stage. */
async function leaveWorkspaces({ workspaces, clock }: KernelPorts, run: RunId, leaving: AbortSignal): Promise<void> {
  const { halt, forget } = haltOfHost(leaving);
  const box = openTimeBox(0, clock, halt);
  await workspaces.leave(run, clock.now(), box.signal).finally(() => {
    box.close();
    forget();
  });
}

export function endOf(state: RunState): HostedEnd {
  const { run, usage, turns, spawned, tree } = state.facts;
  const { until, target } = state.status === "waiting" ? state : { until: null, target: null };
  return {
    run,
    status: state.status,
    reason: "reason" in state ? state.reason : null,
    until,
    target,
    usage,
    turns,
    spawned,
    tree,
  };
}

/** A new run; resolves when it exists durably. Its first events share one append with its first INTENT. */
export async function startRun(hosting: Hosting, fresh: NewRun): Promise<HostedRun> {
  const { run, plan, parent, fork } = fresh;
  const { ports } = hosting;
  if (hosting.hosted.has(run)) throw pawlError(RUN_ERRORS, "RUN_LOST", { run });
  const created = createdBy(fresh, ports.clock.now());
  if (ports.redact(created) !== created) throw pawlError(RUN_ERRORS, "RUN_SECRET_IN_PLAN", { plan: plan.name });
  const unsaved = [created, ...(fork?.history ?? [])];
  const { state } = restore(run, plan, unsaved);
  const { tree: begin } = state.facts;
  if (begin !== null) await ports.workspaces.keep(run, begin, parent?.run);
  const isDrill = fresh.drill !== undefined;
  const purse = purseFor(hosting, { run, plan, parent: parent?.run ?? null, isDrill });
  // What the other run had done took its own time, and not the time since.
  const first: readonly Landing[] =
    fork === undefined ? [] : [{ fact: { type: "run.resumed", after: "interruption", fork: run } }];
  return new Promise((resolve, reject) => {
    const onSaved = (): void => resolve(handle);
    const handle = hostRun(hosting, { run, plan, state, seq: 0, unsaved, purse, onSaved }, first);
    handle.ended.catch(reject);
  });
}

function createdBy(fresh: NewRun, now: number): EventOf<"run.created"> {
  const { run, plan, params, tree, base = tree, parent, fork, unearned, drill } = fresh;
  return {
    type: "run.created",
    at: fork?.at ?? now,
    run,
    blueprint: plan.name,
    plan: plan.fingerprint,
    params,
    ...(tree === null ? {} : { tree }),
    ...(base === tree || base === null ? {} : { base }),
    ...(fork === undefined ? {} : { forked: { run: fork.run, stage: fork.stage, origin: fork.origin } }),
    ...(parent === undefined ? {} : { parent }),
    ...(unearned === undefined ? {} : { unearned }),
    ...(drill === undefined ? {} : { drill }),
  };
}

/** The row of a run that has not ended. */
export async function findOpen(hosting: Hosting, run: RunId): Promise<RunRow> {
  const row = await hosting.runs.get(run);
  if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run });
  if (isTerminal(row.status)) {
    throw pawlError(RUN_ERRORS, "RUN_ENDED", { run, status: row.status, reason: row.reason ?? "" });
  }
  return row;
}

type FirstFacts = (restored: Restored) => readonly Fact[];

/** Claims a run, restores it and hosts it; `first` gives the facts that come before any decision. One attempt after the other. */
export async function takeOver(hosting: Hosting, run: RunId, first: FirstFacts): Promise<HostedRun> {
  const { taking } = hosting;
  const turn = Promise.allSettled([taking.get(run)]).then(() => takeNow(hosting, run, first));
  taking.set(run, turn);
  try {
    return await turn;
  } finally {
    if (taking.get(run) === turn) taking.delete(run);
  }
}

async function takeNow(hosting: Hosting, run: RunId, first: FirstFacts): Promise<HostedRun> {
  const { ports, lease, control } = hosting;
  const { holder } = await findOpen(hosting, run);
  const here = hosting.hosted.get(run);
  if (here !== undefined && holder !== null) throw held(run, holder);
  // It rests already, and only its host is not yet done with it.
  await Promise.allSettled([here?.ended]);
  const claim = await lease.claim(run);
  if (!claim.claimed) throw held(run, claim.holder);
  try {
    // What is read after the claim cannot change under us.
    const row = await findOpen(hosting, run);
    await requireIntact(ports.journal, run);
    const stored = await restoreRun(ports.journal, row);
    const payer = { run, plan: stored.plan, parent: row.parent, isDrill: row.drill !== undefined };
    const restored = { ...stored, purse: purseFor(hosting, { ...payer, waiting: waitersOf(stored) }) };
    const facts = first(restored);
    // Who goes on with a run that rests has overruled what was asked before that.
    if (restored.state.status !== "running") await control.settle(run);
    const recovered = await recoverRun(hosting, restored, facts);
    return hostRun(hosting, restored, [...recovered, ...facts.map((fact) => ({ fact }))]);
  } catch (error) {
    await lease.release(run);
    throw error;
  }
}

function held(run: RunId, { pid, hostname }: Holder): Error {
  return pawlError(RUN_ERRORS, "RUN_HELD", { run, pid, hostname });
}

/** Leaves every loop without an end: processes are ended, nothing is recorded, every run stays resumable. */
export async function drainAll(hosting: Hosting): Promise<void> {
  const all = [...hosting.hosted.values()];
  hosting.leaving.abort();
  hosting.leaving = leavingSoon();
  for (const handle of all) leave(handle);
  await Promise.allSettled(all.map(({ ended }) => ended));
}

export function leavingSoon(): AbortController {
  const leaving = new AbortController();
  // Every run that is taken over or cleared away listens.
  setMaxListeners(0, leaving.signal);
  return leaving;
}

/** Leaves one loop without an end. */
export function leave({ inbox }: HostedRun): void {
  inbox.fail(DRAINED);
}
