/**
 * The loop: decide → authorize → append → perform → evolve, until the run ends or rests.
 *
 * 1. Nothing happens that was not decided from (plan, journal, now).
 * 2. INTENT is durable before its effect begins; DONE and the INTENT that follows from it share one append.
 * 3. No effect without the policy decision that its INTENT carries.
 * 4. An effect that may have happened is never silently repeated: what was lost is recorded as lost, first of all.
 */
import { effectKey, type RunId } from "../base/ids.ts";
import type { Plan } from "../plan/plan.ts";
import type { ControlRequest } from "../ports/control.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import { decide } from "../run/decide.ts";
import type { Fact, RunEvent } from "../run/events.ts";
import { evolve } from "../run/evolve.ts";
import type { RunState } from "../run/state.ts";
import { authorize } from "./authorize.ts";
import type { Inbox } from "./inbox.ts";
import { type Flight, perform } from "./perform.ts";

/** A run as its journal tells it: `seq` events are stored. A new run has none yet, only those in `unsaved`. */
export interface Restored {
  readonly run: RunId;
  readonly plan: Plan;
  readonly state: RunState;
  readonly seq: number;
  readonly unsaved: readonly RunEvent[];
}

/** `lost`: another host has written to this run; everything here stopped and nothing more was stored. */
export type LoopEnd = { readonly lost: false; readonly state: RunState } | { readonly lost: true };

/** Rejects when the journal does; the run can then be resumed from what is stored. */
export async function runLoop(restored: Restored, first: readonly Fact[], ports: KernelPorts, inbox: Inbox): Promise<LoopEnd> {
  const { run, plan } = restored;
  let { state, seq } = restored;
  const pending: RunEvent[] = [...restored.unsaved];
  const cleared: Flight[] = [];
  const flying = new Set<Promise<void>>();
  const halt = new AbortController();

  const record = (fact: Fact): void => {
    const event = ports.redact({ ...fact, at: Math.max(state.facts.at, ports.clock.now()) });
    pending.push(event);
    state = evolve(plan, state, event);
  };

  /** Everything recorded since the last call becomes durable, at once. False: another host was first. */
  const commit = async (): Promise<boolean> => {
    if (pending.length === 0) return true;
    const events = pending.splice(0);
    const at = seq + 1;
    seq += events.length;
    if (at === 1) return (await ports.journal.create(run, plan, events)).created;
    return (await ports.journal.append(run, at, events)).appended;
  };

  const launch = (flight: Flight): void => {
    const flown = perform(plan, flight, ports, halt.signal).then(inbox.land, inbox.fail);
    flying.add(flown);
    void flown.then(() => flying.delete(flown));
  };

  try {
    for (const fact of first) record(fact);
    for (;;) {
      if (state.status !== "queued") {
        const { requests, landed } = inbox.take();
        for (const fact of landed) record(fact);
        for (const request of requests) for (const fact of heed(state, request)) record(fact);
      }
      const next = decide(plan, state, ports.clock.now());
      if (next.kind === "record") {
        record(next.fact);
      } else if (next.kind === "authorize") {
        const { fact, effect } = authorize(plan, next.state, next.start, ports.policy);
        record(fact);
        const { path: stage, visit, attempt, failures } = next.start;
        if (effect !== null) cleared.push({ run, stage, visit, attempt, failures, effect });
      } else {
        if (!(await commit())) return { lost: true };
        if (next.kind === "rest") return { lost: false, state };
        for (const flight of cleared.splice(0)) launch(flight);
        if (state.status === "running" && state.stopping !== null) halt.abort("stop");
        await waitUntil(next.until, ports, inbox);
      }
    }
  } finally {
    halt.abort("drain");
    await Promise.all(flying);
  }
}

/** What was under way when the last host was lost. Its processes are ended before anything is decided. */
export async function recover(restored: Restored, ports: KernelPorts): Promise<readonly Fact[]> {
  const { run, state } = restored;
  if (state.status !== "running") return [];
  const facts: Fact[] = [{ type: "run.resumed", after: "interruption" }];
  for (const lane of state.progress.lanes.values()) {
    if (lane.status !== "running") continue;
    if (lane.leaf.kind !== "run") await ports.executor.reap(effectKey(run, lane.path, lane.visit));
    facts.push({ type: "stage.interrupted", stage: lane.path, attempt: lane.attempts });
  }
  return facts;
}

/** A request as facts. One that the run's state has overtaken is no fact. */
function heed(state: RunState, request: ControlRequest): readonly Fact[] {
  const detail = `asked by ${request.by}`;
  if (state.status === "waiting" || state.status === "paused") {
    return request.kind === "cancel" ? [{ type: "run.finished", status: "cancelled", reason: "cancelled", detail }] : [];
  }
  if (state.status !== "running" || state.stopping !== null) return [];
  if (request.kind === "cancel") return [{ type: "run.stopping", reason: "cancelled", detail }];
  return state.pausing === null ? [{ type: "run.pausing", by: request.by }] : [];
}

async function waitUntil(until: number | null, ports: KernelPorts, inbox: Inbox): Promise<void> {
  if (until === null) return inbox.changed();
  const timer = new AbortController();
  await Promise.race([inbox.changed(), ports.clock.sleep(until - ports.clock.now(), timer.signal)]);
  timer.abort();
}
