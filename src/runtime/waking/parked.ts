/** Runs that rest until a time: which there are, and how they go on. */
import type { RunId } from "../../base/ids.ts";
import { parseSettings } from "../../blueprint/policy/parse-settings.ts";
import type { Engine, Hosted } from "../../ports/engine.ts";
import type { RunPage, RunRow } from "../../ports/store/run-index.ts";
import type { Store } from "../../ports/store/store.ts";
import type { ParkReason } from "../../run/reasons.ts";
import { projectPlace, readPolicyText } from "../policy/read-policy-text.ts";

/** A run that was refused for now. */
export interface ParkedRun {
  readonly run: RunId;
  readonly blueprint: string;
  readonly reason: ParkReason;
  readonly until: number;
  /** What must let it then; null: nothing but time. */
  readonly target: string | null;
}

export interface WakeActions {
  /** Whether this project wants runs that rest until a time to go on by themselves; a `pawl.yaml` that cannot be read does not. */
  autoResume(): Promise<boolean>;
  /** Every run that rests until a time, the earliest first; those that other runs have started go on with them. */
  parked(): Promise<readonly ParkedRun[]>;
  /**
   * Waits until the time of a run has come and it is its turn, then goes on with it and hosts it here; see `Engine.wake`.
   * A run that does not rest until a time is resumed at once.
   */
  wake(run: RunId, options: { readonly by: string; readonly signal: AbortSignal }): Promise<Hosted>;
}

type Open = () => Promise<{ readonly store: Store; readonly engine: Engine }>;

export interface WakingParts {
  readonly root: string;
  /** Rejects where a run cannot go on in this process. */
  admit(run: RunId): Promise<void>;
}

export function createWaking({ root, admit }: WakingParts, open: Open, hasState: () => boolean): WakeActions {
  /** It is asked for again and again, and the file of many loops is long. */
  let known: { readonly text: string; readonly answer: boolean } | null = null;
  return {
    async autoResume() {
      const read = await readPolicyText(projectPlace(root));
      if (!read.ok) return false;
      const text = read.value ?? "";
      if (known?.text !== text) known = { text, answer: resumesByItself(text) };
      return known.answer;
    },
    async parked() {
      return hasState() ? parkedRuns((await open()).store) : [];
    },
    async wake(run, options) {
      await admit(run);
      return (await open()).engine.wake(run, options);
    },
  };
}

function resumesByItself(text: string): boolean {
  const settings = parseSettings(text, "pawl.yaml");
  return settings.ok && settings.value.autoResume;
}

const PAGE = 500;
/** What may come after the event that laid a run to rest: answers and reminders. */
const TAIL = 64;

async function parkedRuns(store: Store): Promise<readonly ParkedRun[]> {
  const found: ParkedRun[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = { status: "waiting", limit: PAGE } as const;
    const page: RunPage = await store.runs.list(cursor === "" ? query : { ...query, cursor });
    for (const row of page.rows) found.push(...(await parkedRun(store, row)));
    cursor = page.next;
  }
  return found.sort((a, b) => a.until - b.until);
}

async function parkedRun({ journal }: Store, row: RunRow): Promise<readonly ParkedRun[]> {
  const { run, blueprint, reason } = row;
  if (reason !== "awaiting_quota" && reason !== "awaiting_budget") return [];
  for (let end = row.events; end > 0; end -= TAIL) {
    const from = Math.max(0, end - TAIL);
    const page = await journal.read(run, from, end - from);
    const rest = page.findLast(({ event }) => event.type === "run.waiting")?.event;
    if (rest?.type !== "run.waiting") continue;
    const { until, target = null } = rest;
    return until === undefined ? [] : [{ run, blueprint, reason, until, target }];
  }
  return [];
}
