/** The journal in memory: the same laws and the same chain as on disk, durable as long as its process lives. */
import { sha256 } from "../../base/digest.ts";
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { canonical, type JsonObject } from "../../base/json.ts";
import type { Plan, PlanJson } from "../../plan/plan.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Appended, Journal } from "../../ports/store/journal.ts";
import type { RunRow } from "../../ports/store/run-index.ts";
import type { EventOf, RunEvent, StoredEvent } from "../../run/events.ts";
import { isTerminal } from "../../run/reasons.ts";
import { chainNext, chainStart } from "../../run/record/chain.ts";
import { type ChainFinding, type ChainLink, checkChain } from "../../run/record/check-chain.ts";
import { recordWaiting } from "../../run/record/record-waiting.ts";
import { DRILLS, isAtRest, lastRowChange, listedUnder, startedBy } from "../../run/record/row.ts";
import { concernsWaiting, NOT_WAITING } from "../../run/record/waiting.ts";
import { memoryWaitingRows } from "./runs/waiting-runs.ts";
import { announce, type MemoryHost, type MemoryRun, type MemoryState } from "./state.ts";

interface JournalParts {
  readonly state: MemoryState;
  readonly self: MemoryHost;
  /** Rejects when the store is closed. */
  readonly guarded: <T>(work: () => T) => Promise<T>;
  /** Resolves after the next write to the run, or when `signal` aborts or the store closes. */
  readonly changed: (run: RunId, signal: AbortSignal) => Promise<void>;
  readonly close: () => Promise<void>;
}

export function createMemoryJournal(parts: JournalParts): Journal {
  const { state, self, guarded, close } = parts;

  function create(run: RunId, plan: Plan, events: readonly RunEvent[]): boolean {
    const first = events[0];
    if (first?.type !== "run.created" || first.run !== run) throw invalid(run, "the first is not its run.created");
    const links = chain(chainStart(run), 0, events);
    if (state.runs.has(run)) return false;
    const made: MemoryRun = {
      id: state.order.length + 1,
      row: firstRow(first),
      head: "",
      links: [],
      owner: self,
      waiting: NOT_WAITING,
    };
    if (!state.plans.has(plan.fingerprint)) state.plans.set(plan.fingerprint, canonical(plan as PlanJson));
    state.runs.set(run, made);
    state.order.push(made);
    store(made, links, events);
    return true;
  }

  function append(run: RunId, expectedSeq: number, events: readonly RunEvent[]): Appended {
    const found = state.runs.get(run);
    if (events.length === 0) throw invalid(run, "there are none");
    if (found === undefined) throw pawlError(JOURNAL_ERRORS, "JOURNAL_RUN_UNKNOWN", { run });
    const { events: seq } = found.row;
    if (expectedSeq > seq + 1)
      throw pawlError(JOURNAL_ERRORS, "JOURNAL_SEQ_AHEAD", { run, expected: expectedSeq, next: seq + 1 });
    if (expectedSeq <= seq) return { appended: false, winner: read(state, run, expectedSeq - 1, seq) };
    store(found, chain(found.head, seq, events), events);
    return { appended: true, seq: found.row.events };
  }

  function store(found: MemoryRun, links: readonly ChainLink[], events: readonly RunEvent[]): void {
    const change = lastRowChange(events) ?? { status: found.row.status, reason: found.row.reason };
    const last = links[links.length - 1] as ChainLink;
    found.links.push(...links);
    found.head = last.hash;
    found.row = { ...found.row, ...change, updatedAt: events[events.length - 1]?.at ?? 0, events: last.seq };
    if (isAtRest(change.status)) found.owner = null;
    const placed = events.map((event, i) => ({ event, seq: last.seq - events.length + 1 + i }));
    const waits = placed.filter(({ event }) => concernsWaiting(event));
    if (waits.length > 0) recordWaiting(memoryWaitingRows(state), found.row.run, waits);
    announce(state, found.row.run);
  }

  return {
    create: (run, plan, events) => guarded(() => ({ created: create(run, plan, events) })),
    append: (run, expectedSeq, events) => guarded(() => append(run, expectedSeq, events)),
    read: (run, afterSeq, limit) => guarded(() => read(state, run, afterSeq, limit)),
    follow: (run, afterSeq, signal) => follow(parts, run, afterSeq, signal),
    plan: (fingerprint) =>
      guarded(() => {
        const body = state.plans.get(fingerprint);
        return body === undefined ? undefined : (JSON.parse(body) as Plan);
      }),
    verify: (run) => guarded(() => verify(state, run)),
    close,
  };
}

function read(state: MemoryState, run: RunId, afterSeq: number, limit: number): readonly StoredEvent[] {
  const from = Math.max(0, afterSeq);
  const links = state.runs.get(run)?.links.slice(from, from + Math.max(0, limit)) ?? [];
  return links.map(({ seq, body, hash }) => ({ seq, event: JSON.parse(body ?? "null") as RunEvent, hash }));
}

async function* follow(
  parts: JournalParts,
  run: RunId,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent> {
  const { state, self, changed } = parts;
  let seq = afterSeq;
  while (!signal.aborted && self.alive) {
    const events = read(state, run, seq, Number.MAX_SAFE_INTEGER);
    const last = isTerminal(state.runs.get(run)?.row.status ?? "queued");
    for (const stored of events) {
      if (signal.aborted) return;
      yield stored;
      seq = stored.seq;
    }
    if (last) return;
    if (events.length === 0) await changed(run, signal);
  }
}

function firstRow(created: EventOf<"run.created">): MemoryRun["row"] {
  const { run, blueprint, plan, at } = created;
  return {
    run: run as RunId,
    blueprint,
    plan,
    status: "queued",
    reason: null,
    ...(startedBy(listedUnder(created)) as Pick<RunRow, "parent" | "drill">),
    createdAt: at,
    updatedAt: at,
    events: 0,
  };
}

function chain(previous: string, seq: number, events: readonly RunEvent[]): readonly ChainLink[] {
  let hash = previous;
  return events.map((event, i) => {
    const body = canonical(event as unknown as JsonObject);
    hash = chainNext(hash, body);
    return { seq: seq + i + 1, body, hash };
  });
}

function verify(state: MemoryState, run: RunId): ChainFinding {
  const found = state.runs.get(run);
  if (found === undefined) return { intact: false, seq: 1, problem: "there is no such run" };
  const { status, reason, plan, events, blueprint, parent, drill, createdAt } = found.row;
  const listed = { blueprint, under: drill === true ? DRILLS : parent, createdAt };
  const pinned = { seq: events, hash: found.head, status, reason, plan, ...listed, isOpen: false };
  const report = checkChain(run, found.links, pinned);
  const { fingerprint, ...rest } = JSON.parse(state.plans.get(plan) ?? "{}") as PlanJson;
  if (!report.intact || sha256(canonical(rest)) === fingerprint) return report;
  return { intact: false, seq: 1, problem: "the stored plan does not match its fingerprint" };
}

function invalid(run: RunId, problem: string): Error {
  return pawlError(JOURNAL_ERRORS, "JOURNAL_EVENTS_INVALID", { run, problem });
}
