/** The digest of a day: what ended, what it cost, what people have to look at. Everything in it is a sum of what the journal and the changes say. */
import { normalError } from "../../limits/stagnation/fingerprint.ts";
import { TERMINAL, type TerminalStatus } from "../../run/reasons.ts";
import type { ChangeState } from "./merges/change.ts";

/** A run that no other run and no drill started, and that ended that day. */
export interface DayRun {
  readonly run: string;
  readonly loop: string;
  readonly status: TerminalStatus;
  readonly reason: string;
  readonly detail: string | null;
  readonly tokens: number;
  readonly microUsd: number;
}

export interface DayFacts {
  readonly day: string;
  readonly runs: readonly DayRun[];
  /** Changes that ended that day. */
  readonly ended: readonly { readonly loop: string; readonly state: ChangeState }[];
  /** Changes that are not over now. */
  readonly standing: readonly { readonly loop: string; readonly state: ChangeState }[];
}

type Ends = Readonly<Record<TerminalStatus, number>>;
type Counts = Readonly<Record<ChangeState, number>>;

interface Sum {
  readonly runs: number;
  readonly ends: Ends;
  readonly tokens: number;
  readonly microUsd: number;
  readonly changes: Counts;
}

export interface Escalation {
  readonly loop: string;
  /** Of the last of them. */
  readonly what: string;
  readonly run: string;
  readonly count: number;
}

export interface Digest {
  readonly day: string;
  readonly total: Sum;
  readonly loops: readonly ({ readonly loop: string } & Sum)[];
  /** What did not go well, the same of one loop once, the most frequent first. */
  readonly escalations: readonly Escalation[];
}

const STATES: readonly ChangeState[] = ["open", "queued", "merged", "returned", "rejected"];
/** Nobody has to look at these. */
const QUIET: ReadonlySet<TerminalStatus> = new Set<TerminalStatus>(["succeeded", "cancelled", "killed"]);

export function digestOf(facts: DayFacts): Digest {
  const names = new Set([...facts.runs, ...facts.ended, ...facts.standing].map(({ loop }) => loop));
  const loops = [...names].sort().map((loop) => ({ loop, ...sumOf(facts, (each) => each.loop === loop) }));
  return { day: facts.day, total: sumOf(facts, () => true), loops, escalations: escalationsOf(facts.runs) };
}

function sumOf({ runs, ended, standing }: DayFacts, isOf: (each: { readonly loop: string }) => boolean): Sum {
  const own = runs.filter(isOf);
  const changes = [...ended, ...standing].filter(isOf);
  const count = <K extends string>(keys: readonly K[], of: readonly K[]): Readonly<Record<K, number>> =>
    Object.fromEntries(keys.map((key) => [key, of.filter((each) => each === key).length])) as Record<K, number>;
  return {
    runs: own.length,
    ends: count(
      TERMINAL,
      own.map(({ status }) => status),
    ),
    tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
    microUsd: own.reduce((sum, { microUsd }) => sum + microUsd, 0),
    changes: count(
      STATES,
      changes.map(({ state }) => state),
    ),
  };
}

function escalationsOf(runs: readonly DayRun[]): readonly Escalation[] {
  const found = new Map<string, Escalation>();
  for (const { run, loop, status, reason, detail } of runs) {
    if (QUIET.has(status)) continue;
    const what = detail === null ? reason : `${reason}: ${detail}`;
    const key = `${loop}\n${normalError(what)}`;
    found.set(key, { loop, what, run, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return [...found.values()].sort((a, b) => b.count - a.count || (a.loop < b.loop ? -1 : 1));
}
