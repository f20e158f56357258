/** Runs that rest until a time: which there are, and how they go on. */
import type { RunId } from "../../base/ids.ts";
import { parseSettings } from "../../blueprint/policy/parse-settings.ts";
import type { Engine, Hosted } from "../../ports/engine.ts";
import type { Store } from "../../ports/store/store.ts";
import type { WaitingPage, WaitingRun } from "../../ports/store/waiting-runs.ts";
import type { ParkReason } from "../../run/reasons.ts";
import { projectPlace, readPolicyText } from "../policy/read-policy-text.ts";
import type { AnswerListeners } from "./answer-listeners.ts";

/** A run that was refused for now. */
export interface ParkedRun {
  readonly run: RunId;
  readonly blueprint: string;
  readonly reason: ParkReason;
  readonly until: number;
  /** What must let it then; null: nothing but time. */
  readonly target: string | null;
}

export interface ParkedQuery {
  readonly after?: number;
  readonly by?: number;
  readonly limit?: number;
}

export interface WakeActions {
  /** Whether this project wants runs that rest until a time to go on by themselves; a `pawl.yaml` that cannot be read does not. */
  autoResume(): Promise<boolean>;
  /**
   * Runs that rest until a time, the earliest first; those that other runs have started go on with them. Only those whose time comes
   * after `after` and at the latest at `by`, and no more than `limit`, if given.
   */
  parked(query?: ParkedQuery): Promise<readonly ParkedRun[]>;
  /** Runs that can continue because of an answer and that no living process hosts, the one that waits longest first; see `WaitingRuns.answered`. */
  answered(): Promise<readonly WaitingRun[]>;
  /** Calls back when other runs may wait or can continue: an answer was recorded here, or another process has written. Resolves to what ends that. */
  onWaiting(listener: () => void): Promise<() => void>;
  /**
   * Waits until the time of a run has come and it is its turn, then goes on with it and hosts it here; see `Engine.wake`.
   * A run that does not rest until a time is resumed at once.
   */
  wake(run: RunId, options: { readonly by: string; readonly signal: AbortSignal }): Promise<Hosted>;
}

type Open = () => Promise<{ readonly store: Store; readonly engine: Engine }>;

export interface WakingParts {
  readonly root: string;
  readonly answers: Pick<AnswerListeners, "add">;
  /** Rejects where a run cannot go on in this process. */
  admit(run: RunId): Promise<void>;
}

export function createWaking({ root, admit, answers }: WakingParts, open: Open, hasState: () => boolean): WakeActions {
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
    async parked(query = {}) {
      return hasState() ? parkedRuns((await open()).store, query) : [];
    },
    async answered() {
      return hasState() ? answeredRuns((await open()).store) : [];
    },
    async onWaiting(listener) {
      const { store } = await open();
      const ends = [answers.add(listener), store.onForeignChange(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
    async wake(run, options) {
      await admit(run);
      return (await open()).engine.wake(run, options);
    },
  };
}

async function answeredRuns({ waiting }: Store): Promise<readonly WaitingRun[]> {
  const found: WaitingRun[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: WaitingPage = await waiting.answered({ limit: PAGE, ...(cursor === "" ? {} : { cursor }) });
    found.push(...page.runs);
    cursor = page.next;
  }
  return found;
}

function resumesByItself(text: string): boolean {
  const settings = parseSettings(text, "pawl.yaml");
  return settings.ok && settings.value.autoResume;
}

const PAGE = 500;

async function parkedRuns({ waiting }: Pick<Store, "waiting">, query: ParkedQuery): Promise<readonly ParkedRun[]> {
  const found: ParkedRun[] = [];
  const { after, by, limit = Number.POSITIVE_INFINITY } = query;
  for (let cursor: string | null = ""; cursor !== null && found.length < limit; ) {
    const page: WaitingPage = await waiting.parked({
      limit: Math.min(PAGE, limit - found.length),
      ...(after === undefined ? {} : { after }),
      ...(by === undefined ? {} : { by }),
      ...(cursor === "" ? {} : { cursor }),
    });
    found.push(...page.runs.flatMap(parkedRun));
    cursor = page.next;
  }
  return found;
}

function parkedRun({ run, blueprint, rest }: WaitingRun): readonly ParkedRun[] {
  const { reason, until, target } = rest;
  return until === null || reason === "awaiting_approval" ? [] : [{ run, blueprint, reason, until, target }];
}
