/** What makes a kill true: first with patience, then with force, and the end is recorded when nobody is left who could write another. */
import { setTimeout as wait } from "node:timers/promises";
import { isPawlError, type PawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Engine } from "../../ports/engine.ts";
import type { Reaper } from "../../ports/stop/reaper.ts";
import type { Holder, RunRow } from "../../ports/store/run-index.ts";
import type { Store } from "../../ports/store/store.ts";
import { isTerminal } from "../../run/reasons.ts";

/** What a kill has found and done so far. */
export interface Story {
  /** When the switch was pulled, by the clock and by what the rest is measured with. */
  readonly at: number;
  readonly from: number;
  readonly rows: readonly RunRow[];
  /** Not known to have ended, and what is in the way. */
  readonly open: Map<RunId, string | null>;
  /** Those that did not answer and were ended. */
  readonly hosts: Holder[];
  /** Those that nothing more can be done about. */
  readonly tried: Set<string>;
  /** Of stages, ended from here; null: none had to be yet. */
  processes: number | null;
}

/** A host that is well has ended its runs by then. */
const PROCESSES_MS = 400;
/** One that has shown no sign of life by then hangs. */
const HOST_MS = 1000;
/** One that has heard of it may still be busy with what its stages left. */
const BUSY_HOST_MS = 6000;
/** A host on another machine, or one that cannot be ended, is given up. */
const GIVE_UP_MS = 10_000;
/** How long a busy journal is waited for when nothing is left but to record the end. */
const RECORD_MS = 60_000;
const PAUSE_MS = 15;
const MOST_EVENTS = 500;
/** What is in the way for a while: another writer, or somebody else who ends the same run. */
const PASSES: ReadonlySet<string> = new Set(["JOURNAL_BUSY", "RUN_HELD"]);

export function createStory(rows: readonly RunRow[], at: number): Story {
  const open = new Map<RunId, string | null>(rows.map(({ run }) => [run, null]));
  return { at, from: performance.now(), rows, open, hosts: [], tried: new Set(), processes: null };
}

/** Waits until no living host has any of the runs. Reads the journal and writes nothing. */
export async function letGo(reaper: Reaper, store: Store, story: Story): Promise<void> {
  for (;;) {
    const held = await heldRuns(store, story);
    const elapsed = performance.now() - story.from;
    if (held.length === 0 || elapsed > GIVE_UP_MS) return;
    if (elapsed > PROCESSES_MS) story.processes ??= (await reaper.endRuns(held.map(({ run }) => run))).ended;
    if (elapsed > HOST_MS) for (const row of held) await endHost(reaper, store, story, row);
    await wait(PAUSE_MS);
  }
}

async function endHost(reaper: Reaper, store: Store, story: Story, row: RunRow): Promise<void> {
  const { run, holder } = row;
  const name = `${holder?.pid} ${holder?.hostname}`;
  if (holder === null || story.tried.has(name)) return;
  const isLong = performance.now() - story.from > BUSY_HOST_MS;
  if (!isLong && (await hasHeard(store, run, story))) return;
  story.tried.add(name);
  const reaped = await reaper.endHost(holder);
  if (reaped !== null && reaped.ended > 0) story.hosts.push(holder);
  if (reaped === null)
    story.open.set(run, `its host, process ${holder.pid} on ${holder.hostname}, cannot be ended from here`);
}

/** Its host has recorded that it stops because of this. */
async function hasHeard(store: Store, run: RunId, { rows }: Story): Promise<boolean> {
  const before = rows.find((row) => row.run === run)?.events ?? 0;
  const events = await store.journal.read(run, Math.max(0, before - 1), MOST_EVENTS);
  return events.some(({ event }) => event.type === "run.stopping" && event.reason === "kill_switch");
}

/** Those that have not ended and that a living host has. */
async function heldRuns(store: Store, { open }: Story): Promise<readonly RunRow[]> {
  const held: RunRow[] = [];
  for (const run of [...open.keys()]) {
    const row = await store.runs.get(run);
    if (row === undefined || isTerminal(row.status)) open.delete(run);
    else if (row.holder !== null) held.push(row);
  }
  return held;
}

/** Whose process is gone, or who rested, is ended here. */
export async function recordEnds(
  engine: Engine,
  { open }: Story,
  pulled: { readonly by: string; readonly why: string },
): Promise<void> {
  const until = performance.now() + RECORD_MS;
  for (const run of [...open.keys()]) {
    const problem = await recordEnd(() => engine.kill(run, pulled), until);
    if (problem === null) open.delete(run);
    else open.set(run, open.get(run) ?? problem);
  }
}

/** null: it has ended. */
async function recordEnd(kill: () => Promise<void>, until: number): Promise<string | null> {
  for (;;) {
    const problem = await problemOf(kill);
    if (problem === null || problem.code === "RUN_ENDED") return null;
    if (!PASSES.has(problem.code) || performance.now() > until) return problem.message;
    await wait(PAUSE_MS);
  }
}

async function problemOf(work: () => Promise<void>): Promise<PawlError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (isPawlError(error)) return error;
    throw error;
  }
}
