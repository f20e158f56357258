/**
 * The loop: decide → authorize → append → perform → evolve, until the run ends or rests.
 *
 * 1. Nothing happens that was not decided from (plan, journal, now).
 * 2. INTENT is durable before its effect begins; DONE and the INTENT that follows from it share one append.
 * 3. No effect without the policy decision that its INTENT carries.
 * 4. An effect that may have happened is never silently repeated: what was lost is recorded as lost, first of all.
 */
import type { KernelPorts } from "../ports/kernel-ports.ts";
import { type Decision, decide } from "../run/decide.ts";
import { type RunEvent, stamp } from "../run/events.ts";
import { evolve } from "../run/evolve.ts";
import type { RunState } from "../run/state.ts";
import type { Landing } from "./aftermath.ts";
import { authorize } from "./authorize.ts";
import { haltIfStopping, heard, heed } from "./control/heed.ts";
import { type Inbox, waitUntil } from "./control/inbox.ts";
import { flightOf } from "./flight.ts";
import { type Hosting, hostingOf, type Restored } from "./hosting.ts";
import { performPaid } from "./pay/fund.ts";
import { proofOf } from "./proof.ts";

/** `lost`: another host has written to this run; everything here stopped and nothing more was stored. */
export type LoopEnd = { readonly lost: false; readonly state: RunState } | { readonly lost: true };

/** `first`: what is recorded before any decision. Rejects when the journal does; the run can then be resumed from what is stored. */
export async function runLoop(
  restored: Restored,
  first: readonly Landing[],
  ports: KernelPorts,
  inbox: Inbox,
): Promise<LoopEnd> {
  const { plan } = restored;
  const host = hostingOf(restored, ports, inbox);
  try {
    for (const landing of first) record(host, landing);
    for (;;) {
      receive(host);
      const now = timeOf(host);
      const next = decide(plan, host.state, now);
      switch (next.kind) {
        case "record":
          record(host, next, now);
          break;
        case "authorize":
          clear(host, next);
          break;
        case "wait":
          if (!(await commit(host))) return { lost: true };
          launch(host);
          await waitUntil(next.until, ports.clock, inbox);
          break;
        case "rest":
          return (await commit(host)) ? { lost: false, state: host.state } : { lost: true };
      }
    }
  } finally {
    host.halt.end("drain");
    await Promise.all(host.flying);
    await host.aftermath.over();
  }
}

/** What ended and what was asked meanwhile. A run that has not started yet hears nothing before it has. */
function receive(host: Hosting): void {
  if (host.state.status === "queued") return;
  const { requests, landed } = host.inbox.take();
  for (const landing of landed) record(host, landing);
  for (const request of heard(host, requests)) for (const fact of heed(host.state, request)) record(host, { fact });
}

/** Time never runs backwards within a run. */
function timeOf({ state, ports }: Hosting): number {
  return Math.max(state.facts.at, ports.clock.now());
}

function record(host: Hosting, landing: Landing, at: number = timeOf(host)): void {
  const event = host.ports.redact(stamp(landing.fact, at));
  host.pending.push(event);
  host.state = evolve(host.plan, host.state, event);
  host.aftermath.add(landing);
}

function clear(host: Hosting, { start, state, now }: Extract<Decision, { kind: "authorize" }>): void {
  const { fact, effect } = authorize(host.plan, state, start, host.ports.policy, now);
  record(host, { fact }, now);
  if (effect !== null) host.cleared.push(flightOf(host, state, start, effect));
}

/** Everything recorded since the last call becomes durable, at once, but for an end that proves what came before it. */
function commit(host: Hosting): Promise<boolean> {
  const { pending } = host;
  host.pending = [];
  const prove = proofOf(host, pending.at(-1));
  if (prove === null) return store(host, pending);
  return store(host, pending.slice(0, -1)).then(async (isStored) => isStored && store(host, [await prove()]));
}

/** False: another host was first. */
function store(host: Hosting, events: readonly RunEvent[]): Promise<boolean> {
  const { run, plan, ports } = host;
  if (events.length === 0) return Promise.resolve(true);
  const first = host.seq + 1;
  host.seq += events.length;
  const clearAway = host.aftermath.take();
  const stored = (isStored: boolean): boolean => {
    if (isStored) clearAway();
    return isStored;
  };
  return first === 1
    ? ports.journal.create(run, plan, events).then(({ created }) => stored(created))
    : ports.journal.append(run, first, events).then(({ appended }) => stored(appended));
}

/** Begins every effect whose INTENT has just become durable, or ends all of them when the run is stopping. */
function launch(host: Hosting): void {
  const { inbox, flying, halt, state } = host;
  haltIfStopping(state, halt);
  for (const flight of host.cleared) {
    const flown = performPaid(host, flight).then((landing) => {
      flying.delete(flown);
      inbox.land(landing);
    }, inbox.fail);
    flying.add(flown);
  }
  host.cleared = [];
}
