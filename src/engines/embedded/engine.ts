/** The embedded engine: loops live in this process; a lease that the operating system holds keeps every other process out. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { NO_USAGE } from "../../base/usage.ts";
import { createInbox, type Inbox } from "../../kernel/inbox.ts";
import { type Restored, recover, runLoop } from "../../kernel/loop.ts";
import { replay } from "../../kernel/replay.ts";
import type { ChildReport, ChildRequest } from "../../ports/child-runs.ts";
import type { Control } from "../../ports/control.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { Lease } from "../../ports/lease.ts";
import type { RunIndex, RunPage, RunRow } from "../../ports/run-index.ts";
import type { Fact } from "../../run/events.ts";
import { beginState } from "../../run/evolve.ts";
import { isTerminal, type StopReason } from "../../run/reasons.ts";
import type { RunState } from "../../run/state.ts";
import type { Engine, Hosted, HostedEnd, NewRun, ReplayReport } from "../../ports/engine.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import { answerFacts, openQuestion } from "./answer.ts";
import { planOf, readAll, restoreRun } from "./restore.ts";

export interface EngineParts {
  readonly ports: Omit<KernelPorts, "children">;
  readonly runs: RunIndex;
  readonly lease: Lease;
  readonly control: Control;
}

/** Why a loop was left without an end: its host is going away. */
const DRAINED = Symbol("drained");

export function createEmbeddedEngine(parts: EngineParts): Engine {
  const { runs, lease, control } = parts;
  const hosted = new Map<RunId, { readonly inbox: Inbox; readonly ended: Promise<HostedEnd> }>();
  const ports: KernelPorts = { ...parts.ports, children: { run: runChild } };

  /** Runs the loop of a run that this process has claimed. */
  function host(restored: Restored, first: readonly Fact[], journal: KernelPorts["journal"]): Hosted & { readonly inbox: Inbox } {
    const { run } = restored;
    const inbox = createInbox();
    let asked = false;
    const unwatch = control.watch(run, (request) => {
      asked = true;
      inbox.ask(request);
    });
    const loop = runLoop(restored, first, { ...ports, journal }, inbox);
    const ended = loop.then(
      (end) => {
        if (end.lost) throw pawlError(RUN_ERRORS, "RUN_LOST", { run });
        return endOf(end.state);
      },
      (error) => {
        if (error !== DRAINED) throw error;
        return { run, status: "running", reason: null, usage: NO_USAGE } satisfies HostedEnd;
      },
    );
    const released = ended
      .then(async (end) => {
        // A run that was drained has not heeded the request: it stays for the next host.
        if (asked && end.status !== "running") await control.settle(run);
        return end;
      })
      .finally(async () => {
        unwatch();
        hosted.delete(run);
        await lease.release(run);
      });
    hosted.set(run, { inbox, ended: released });
    return { run, ended: released, inbox };
  }

  async function start(fresh: NewRun): Promise<Hosted> {
    const { run, plan, params, parent } = fresh;
    const created = {
      type: "run.created" as const,
      at: ports.clock.now(),
      run,
      blueprint: plan.name,
      plan: plan.fingerprint,
      params,
      ...(parent === undefined ? {} : { parent }),
    };
    const event = ports.redact(created);
    if (event !== created) throw pawlError(RUN_ERRORS, "RUN_SECRET_IN_PLAN", { plan: plan.name });
    let signalCreated = (): void => {};
    const exists = new Promise<void>((resolve) => {
      signalCreated = resolve;
    });
    const journal: KernelPorts["journal"] = {
      ...ports.journal,
      async create(...call) {
        const result = await ports.journal.create(...call);
        signalCreated();
        return result;
      },
    };
    const restored: Restored = { run, plan, state: beginState(created), seq: 0, unsaved: [event] };
    const handle = host(restored, [], journal);
    await Promise.race([exists, handle.ended]);
    return handle;
  }

  async function find(run: RunId): Promise<RunRow> {
    const row = await runs.get(run);
    if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run });
    if (isTerminal(row.status)) throw pawlError(RUN_ERRORS, "RUN_ENDED", { run, status: row.status, reason: row.reason ?? "" });
    return row;
  }

  /** Claims the run, then restores it: what is read after the claim cannot change under us. */
  async function take(run: RunId): Promise<Restored> {
    const row = await find(run);
    const claim = await lease.claim(run);
    if (!claim.claimed) throw pawlError(RUN_ERRORS, "RUN_HELD", { run, pid: claim.holder.pid, hostname: claim.holder.hostname });
    try {
      await find(run);
      return await restoreRun(ports.journal, row);
    } catch (error) {
      await lease.release(run);
      throw error;
    }
  }

  async function resume(run: RunId, options: { readonly answer?: string; readonly by: string }): Promise<Hosted> {
    const restored = await take(run);
    try {
      const first = [...(await recover(restored, ports)), ...answerFacts(restored.state, options)];
      return host(restored, first, ports.journal);
    } catch (error) {
      await lease.release(run);
      throw error;
    }
  }

  async function cancel(run: RunId, by: string): Promise<"requested" | "ended"> {
    const row = await find(run);
    if (hosted.has(run) || row.holder !== null) {
      await control.request(run, { kind: "cancel", by });
      return "requested";
    }
    const restored = await take(run);
    const handle = host(restored, await recover(restored, ports), ports.journal);
    handle.inbox.ask({ kind: "cancel", by });
    await handle.ended;
    await cancelChildren(run);
    return "ended";
  }

  /** Children of a run that nobody hosted were lost with it: they end with it too. */
  async function cancelChildren(parent: RunId): Promise<void> {
    let cursor: string | null = null;
    do {
      const page: RunPage = await runs.list({ parent, limit: 100, ...(cursor === null ? {} : { cursor }) });
      for (const row of page.rows) if (!isTerminal(row.status)) await cancel(row.run, `run ${parent}`);
      cursor = page.next;
    } while (cursor !== null);
  }

  async function pause(run: RunId, by: string): Promise<void> {
    const row = await find(run);
    if (!hosted.has(run) && row.holder === null) throw pawlError(RUN_ERRORS, "RUN_NOT_HOSTED", { run, status: row.status });
    await control.request(run, { kind: "pause", by });
  }

  async function drain(): Promise<void> {
    const all = [...hosted.values()];
    for (const { inbox } of all) inbox.fail(DRAINED);
    await Promise.allSettled(all.map(({ ended }) => ended));
  }

  async function runChild(request: ChildRequest, signal: AbortSignal): Promise<ChildReport> {
    const { run } = request;
    const row = await runs.get(run);
    if (row !== undefined && isTerminal(row.status)) return reportOf(endOf((await restoreRun(ports.journal, row)).state));
    const child = row === undefined ? await start(request) : await goOn(run);
    if (child === null) return { ended: false, status: "waiting", reason: "awaiting_approval" };
    const stop = (): void => {
      if (signal.reason === "stop") hosted.get(run)?.inbox.ask({ kind: "cancel", by: `run ${request.parent.run}` });
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return reportOf(await child.ended);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** null: the child waits for an answer, which only a person can give. */
  async function goOn(run: RunId): Promise<Hosted | null> {
    const restored = await take(run);
    if (restored.state.status !== "waiting" || openQuestion(restored.state) === null) {
      return host(restored, [...(await recover(restored, ports)), ...answerFacts(restored.state, { by: "parent" })], ports.journal);
    }
    await lease.release(run);
    return null;
  }

  async function replayRun(run: RunId): Promise<ReplayReport> {
    const row = await runs.get(run);
    if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run });
    const events = await readAll(ports.journal, run);
    const divergence = replay(await planOf(ports.journal, row), events, ports.policy);
    return divergence === null ? { equal: true, events: events.length } : { equal: false, ...divergence };
  }

  return { start, resume, cancel, pause, replay: replayRun, drain };
}

function endOf(state: RunState): HostedEnd {
  const { run, usage } = state.facts;
  return { run, status: state.status, reason: "reason" in state ? state.reason : null, usage };
}

function reportOf(end: HostedEnd): ChildReport {
  if (isTerminal(end.status)) return { ended: true, status: end.status, reason: end.reason as StopReason, usage: end.usage };
  return { ended: false, status: end.status === "paused" ? "paused" : "waiting", reason: "awaiting_approval" };
}
