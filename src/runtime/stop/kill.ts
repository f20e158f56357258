/**
 * The kill switch in use. Pulling it is a durable flag; the rest makes it true and says so only then:
 *
 *   flag ─▶ each host ends its runs by itself ─▶ their processes are ended from here ─▶ the host is ended ─▶ the end is recorded
 *           at once                              a host that has not by then            that still has not
 *
 * Nothing is written to the journal before every process is gone: it may be busy, and that must not keep a process alive.
 */
import { setTimeout as wait } from "node:timers/promises";
import { isPawlError, pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Engine } from "../../ports/engine.ts";
import type { KillScope, KillSwitch, Pulled, Released } from "../../ports/stop/kill-switch.ts";
import type { Reaper } from "../../ports/stop/reaper.ts";
import type { Holder, RunRow } from "../../ports/store/run-index.ts";
import type { Store } from "../../ports/store/store.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import type { RunEvent } from "../../run/events.ts";
import { isTerminal, type Status } from "../../run/reasons.ts";
import { createStory, letGo, recordEnds, type Story } from "./make-true.ts";
import { openRuns } from "./open-runs.ts";

export interface KillRequest {
  readonly scope: KillScope;
  readonly by: string;
  readonly why: string;
}

export interface KilledRun {
  readonly run: RunId;
  readonly blueprint: string;
  /** How it stood when the switch was pulled. */
  readonly was: Status;
  /** Since when it was so. */
  readonly since: number;
  /** Stages that were cut off. */
  readonly stages: readonly string[];
  /** null: nobody hosted it. */
  readonly host: Holder | null;
  /** false: it is not certain that it has stopped; `why` says what is in the way. */
  readonly stopped: boolean;
  readonly why: string | null;
}

export interface KillReport {
  readonly scope: KillScope;
  readonly by: string;
  readonly why: string;
  /** Since when the switch is on. */
  readonly since: number;
  readonly runs: readonly KilledRun[];
  /** Processes of stages that were ended from here, because their host did not. */
  readonly processes: number;
  /** Hosts that did not answer and were ended. */
  readonly hosts: readonly Holder[];
  /** Ids of processes of these runs that cannot be ended. */
  readonly left: readonly number[];
  /** Every run has ended and none of their processes is left. */
  readonly complete: boolean;
}

export interface KillParts {
  readonly killSwitch: KillSwitch;
  readonly reaper: Reaper;
  readonly clock: Clock;
  /** Makes the state directory. */
  prepareState(): Promise<void>;
}

export interface KillActions {
  /**
   * Pulls the kill switch for one run and its children, or for everything, and ends what is under way: processes at once. Resolves when
   * that is true; `complete` is false where it could not be made true. Rejects with RUN_ENDED, RUN_NOT_FOUND, FILE_FLAG_UNWRITABLE,
   * and for everything RUN_KILLS_UNRECORDED when the switch is on and the journal cannot be opened.
   */
  kill(request: KillRequest): Promise<KillReport>;
  /** Lets runs begin again. Nothing resumes by itself. */
  releaseKill(): Promise<Released>;
  /** Why nothing may begin or go on now, or null. */
  killed(): Pulled | null;
}

interface Open {
  readonly store: Store;
  readonly engine: Engine;
}

/** Longer than a host takes to see the flag. */
const SEEN_MS = 60;
const MOST_EVENTS = 500;

export function createKiller(parts: KillParts, open: () => Promise<Open>, hasState: () => boolean): KillActions {
  return {
    kill: (request) => kill(parts, open, hasState, request),
    releaseKill: () => parts.killSwitch.release("all"),
    killed: () => parts.killSwitch.pulled("all"),
  };
}

async function kill(
  parts: KillParts,
  open: () => Promise<Open>,
  hasState: () => boolean,
  request: KillRequest,
): Promise<KillReport> {
  const { killSwitch, reaper, clock } = parts;
  const { scope, by, why } = request;
  await parts.prepareState();
  const before = await seenBefore(open, hasState, scope);
  const at = clock.now();
  await killSwitch.pull({ ...request, at });
  const pulled = { scope, by, why, since: killSwitch.pulled(scope)?.at ?? at };
  if (before === null) return { ...pulled, runs: [], processes: 0, hosts: [], left: [], complete: true };
  const { store, engine } = openedOf(before, scope);
  await wait(SEEN_MS);
  const rows = union(before.rows, await openRuns(store, scope));
  const flagged = scope === "all" ? [] : rows;
  for (const { run } of flagged) await killSwitch.pull({ ...request, scope: run, at });
  const story = createStory(rows, at);
  await letGo(reaper, store, story);
  await recordEnds(engine, story, request);
  const { left } = await reaper.endRuns(rows.map(({ run }) => run));
  const runs = await Promise.all(rows.map((row) => told(store, row, story)));
  // A run that has ended needs its flag no more.
  for (const { run } of flagged) if (!story.open.has(run)) await killSwitch.release(run);
  const complete = left.length === 0 && story.open.size === 0;
  return { ...pulled, runs, processes: story.processes ?? 0, hosts: story.hosts, left, complete };
}

interface Before {
  readonly rows: readonly RunRow[];
  /** Throws when the journal cannot be opened: the switch is pulled all the same. */
  opened(): Open;
}

/** What is under way, as far as that can be known; null: this project has no runs. Hosts may be quicker than we are afterwards. */
async function seenBefore(
  open: () => Promise<Open>,
  hasState: () => boolean,
  scope: KillScope,
): Promise<Before | null> {
  try {
    if (!hasState()) {
      if (scope !== "all") throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run: scope });
      return null;
    }
    const opened = await open();
    if (scope !== "all") await requireOpen(opened.store, scope);
    return { rows: await openRuns(opened.store, scope), opened: () => opened };
  } catch (error) {
    if (isPawlError(error) && error.code.startsWith("RUN_")) throw error;
    const opened = (): never => {
      throw error;
    };
    return { rows: [], opened };
  }
}

/** Whoever reads that the journal is lost must also read that everything is stopped. */
function openedOf(before: Before, scope: KillScope): Open {
  try {
    return before.opened();
  } catch (error) {
    if (scope !== "all" || !isPawlError(error)) throw error;
    throw pawlError(RUN_ERRORS, "RUN_KILLS_UNRECORDED", { problem: error.message }, { cause: error });
  }
}

async function requireOpen(store: Store, run: RunId): Promise<void> {
  const row = await store.runs.get(run);
  if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run });
  const { status, reason } = row;
  if (isTerminal(status)) throw pawlError(RUN_ERRORS, "RUN_ENDED", { run, status, reason: reason ?? "" });
}

/** As they were first seen. */
function union(first: readonly RunRow[], later: readonly RunRow[]): readonly RunRow[] {
  const known = new Set(first.map(({ run }) => run));
  return [...first, ...later.filter(({ run }) => !known.has(run))];
}

async function told(store: Store, row: RunRow, { at, open }: Story): Promise<KilledRun> {
  const { run, blueprint, status: was, updatedAt: since, holder: host } = row;
  const why = open.get(run) ?? null;
  const events = (await store.journal.read(run, Math.max(0, row.events - 1), MOST_EVENTS)).map(({ event }) => event);
  return { run, blueprint, was, since, stages: cutOff(events, at), host, stopped: !open.has(run), why };
}

function cutOff(events: readonly RunEvent[], at: number): readonly string[] {
  const stages = events.flatMap((event) => {
    const isCut = event.type === "stage.interrupted" || (event.type === "stage.finished" && event.cause === "killed");
    return isCut && event.at >= at ? [event.stage] : [];
  });
  return [...new Set(stages)];
}
