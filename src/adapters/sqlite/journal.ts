/** The journal on SQLite: prepares events, lets the group commit store them, and follows what comes. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { canonical, type JsonObject } from "../../base/json.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Journal } from "../../ports/store/journal.ts";
import type { EventOf, RunEvent, StoredEvent } from "../../run/events.ts";
import { lastRowChange } from "../../run/record/row.ts";
import { concernsWaiting } from "../../run/record/waiting.ts";
import type { Changes } from "./changes.ts";
import type { EventReader } from "./events/event-reader.ts";
import type { Entry, EventWriter } from "./events/event-writer.ts";
import type { GroupCommit } from "./group-commit.ts";

interface JournalParts {
  readonly commits: GroupCommit;
  readonly reader: EventReader;
  readonly writer: EventWriter;
  readonly changes: Changes;
  /** Rejects what cannot be answered because the store is closed; translates what SQLite throws. */
  readonly guarded: <T>(work: () => T) => Promise<T>;
  readonly isClosed: () => boolean;
  /** Makes this process a host; see `Hosts.lock`. */
  readonly becomeHost: () => void;
  readonly close: () => Promise<void>;
}

/** Larger events are refused: the caps of everything that ends in an event are far below. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
const FOLLOW_PAGE = 256;
const OPENING_BRACE = 0x7b;

export function createSqliteJournal(parts: JournalParts): Journal {
  const { commits, reader, writer, guarded, becomeHost } = parts;

  return {
    create: (run, plan, events) =>
      commits.run(() => {
        const entry = makeEntry(run, events);
        const created = firstEvent(run, events);
        becomeHost();
        return () => ({ created: writer.create(run, created, plan, entry) });
      }),
    append: (run, expectedSeq, events) =>
      commits.run(() => {
        const entry = makeEntry(run, events);
        becomeHost();
        return () => writer.append(run, expectedSeq, entry);
      }),
    read: (run, afterSeq, limit) => guarded(() => reader.read(run, afterSeq, limit)),
    follow: (run, afterSeq, signal) => follow(parts, run, afterSeq, signal),
    plan: (fingerprint) => guarded(() => reader.plan(fingerprint)),
    verify: (run) => guarded(() => reader.verify(run)),
    close: parts.close,
  };
}

/** `last`: the run has finished and has no events beyond these. */
function nextPage(
  reader: EventReader,
  run: RunId,
  afterSeq: number,
): { readonly events: readonly StoredEvent[]; readonly last: boolean } {
  const events = reader.read(run, afterSeq, FOLLOW_PAGE);
  return { events, last: events.length < FOLLOW_PAGE && reader.hasFinished(run) };
}

async function* follow(
  parts: JournalParts,
  run: RunId,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent> {
  const waiter = parts.changes.waiter(run);
  signal.addEventListener("abort", waiter.nudge);
  let seq = afterSeq;
  try {
    while (!signal.aborted && !parts.isClosed()) {
      const { events, last } = await parts.guarded(() => nextPage(parts.reader, run, seq));
      for (const stored of events) {
        if (signal.aborted) return;
        yield stored;
        seq = stored.seq;
      }
      if (last) return;
      if (events.length === 0) await waiter.changed();
    }
  } finally {
    signal.removeEventListener("abort", waiter.nudge);
    waiter.close();
  }
}

function makeEntry(run: RunId, events: readonly RunEvent[]): Entry {
  const last = events[events.length - 1];
  if (last === undefined) throw invalid(run, "there are none");
  const bodies = events.map(bodyOf);
  if (bodies.some((body) => body.length > MOST_CHARACTERS))
    throw invalid(run, `one is larger than ${MOST_CHARACTERS} characters`);
  return { bodies, at: last.at, change: lastRowChange(events), waits: waitsIn(events) };
}

const NONE: Entry["waits"] = [];

/** Most appends have none: nothing is made for them. */
function waitsIn(events: readonly RunEvent[]): Entry["waits"] {
  if (!events.some(concernsWaiting)) return NONE;
  return events.map((event, i) => ({ event, seq: i + 1 })).filter(({ event }) => concernsWaiting(event));
}

/** Looking at one character makes the engine join the pieces of the text once, not again for the digest and for SQLite. */
function bodyOf(event: RunEvent): string {
  const body = canonical(event as unknown as JsonObject);
  if (body.charCodeAt(0) !== OPENING_BRACE) throw new TypeError("an event is an object");
  return body;
}

function firstEvent(run: RunId, events: readonly RunEvent[]): EventOf<"run.created"> {
  const first = events[0];
  if (first?.type !== "run.created" || first.run !== run) throw invalid(run, "the first is not its run.created");
  return first;
}

function invalid(run: RunId, problem: string): Error {
  return pawlError(JOURNAL_ERRORS, "JOURNAL_EVENTS_INVALID", { run, problem });
}
