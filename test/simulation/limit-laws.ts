/** The laws of limits, counted again from the journal in the plainest way. */
import { isNearlySame, normalError } from "../../src/limits/stagnation/fingerprint.ts";
import { STAGNATION_NAMES, type StagnationRule } from "../../src/limits/stagnation/thresholds.ts";
import type { EventOf, RunEvent } from "../../src/run/events.ts";
import { beginState, evolve } from "../../src/run/evolve.ts";
import { stageOf } from "../../src/run/plan-index.ts";
import { natureOf } from "../../src/run/stagnation/nature.ts";
import type { RunState, StageResult } from "../../src/run/state.ts";
import { type Law, leafAt, ofType } from "./life.ts";
import type { Simulated } from "./simulate.ts";

export const LIMIT_LAWS: Readonly<Record<string, Law>> = {
  "no run begins more child runs than it may, nor any where it is too deep": (run) => {
    const { spawns, depth } = run.plan.limits;
    const begun = spawned(run);
    if (depth === 0 && begun > 0) return `${begun} child runs at no depth`;
    return spawns !== undefined && begun > spawns ? `${begun} child runs, the limit is ${spawns}` : null;
  },
  "no more failures, or failed rounds, come in a row than may": (run) => {
    const { consecutiveFailures, failedRounds } = run.plan.limits;
    const { attempts, rounds } = inARow(run);
    if (consecutiveFailures !== null && attempts > consecutiveFailures + beside(run))
      return `${attempts} failures in a row`;
    return failedRounds !== undefined && rounds > failedRounds ? `${rounds} failed rounds in a row` : null;
  },
  "a run that ends at a limit has reached exactly that one": (run) => {
    const end = ofType(run, "run.finished")[0];
    const reached = end === undefined ? undefined : REACHED[end.reason]?.(run);
    return reached === false ? `it says ${end?.reason}: ${end?.detail}` : null;
  },
  "a run that is stuck begins nothing more, and says which rule was met": (run) => {
    // What members of groups end with is told together.
    if (run.plan.stages.some(({ kind }) => kind === "group")) return null;
    const { stuck, rule } = findStuck(run);
    const end = ofType(run, "run.finished")[0];
    if (end?.reason === "stagnation")
      return rule !== null && end.detail?.startsWith(STAGNATION_NAMES[rule]) ? null : `${end.detail}, found ${rule}`;
    const later = stuck === null ? [] : run.events.slice(stuck).map(({ event }) => event);
    const begun = later.find(({ type }) => type === "stage.started" || type === "group.opened");
    return begun === undefined ? null : `${rule} was met and "${(begun as EventOf<"stage.started">).stage}" began`;
  },
};

/** Lanes beside the one that failed may fail before the run hears of it. */
function beside(run: Simulated): number {
  return Math.max(0, ...run.plan.stages.map((stage) => (stage.kind === "group" ? stage.maxParallel - 1 : 0)));
}

const REACHED: Readonly<Record<string, (run: Simulated) => boolean>> = {
  max_stages: (run) => startedBy(run) >= (run.plan.limits.stages ?? Number.POSITIVE_INFINITY),
  max_rounds: (run) => (ofType(run, "round.started").at(-1)?.round ?? 1) === run.plan.limits.rounds,
  max_visits: (run) => [...run.state.facts.visits].some(([id, visits]) => visits === stageOf(run.plan, id).maxVisits),
  max_runtime: (run) => run.plan.limits.wallMs !== null,
  // A child begins at most two more, so three are reserved for one that asks, and two for one that is still under way.
  max_spawns: (run) => {
    const stop = run.events.findIndex(({ event }) => event.type === "run.stopping");
    const { count, open } = childrenOf(run, stop === -1 ? run.events.length : stop);
    return count + 2 * open + 3 > (run.plan.limits.spawns ?? Number.POSITIVE_INFINITY);
  },
  dispatch_depth: (run) => run.plan.limits.depth === 0,
  consecutive_failures: (run) => {
    const { consecutiveFailures } = run.plan.limits;
    const { attempts, rounds } = inARow(run);
    return consecutiveFailures !== null && Math.max(attempts, rounds) >= consecutiveFailures;
  },
};

/** Everything that uses up a start. */
function startedBy(run: Simulated): number {
  const questions = ofType(run, "approval.requested").filter(
    ({ stage }) => leafAt(run.plan, stage).kind === "approval",
  );
  const nothing = ofType(run, "group.opened").filter(({ members }) => members === 0);
  return ofType(run, "stage.started").length + ofType(run, "stage.refused").length + questions.length + nothing.length;
}

function spawned(run: Simulated): number {
  return childrenOf(run, run.events.length).count;
}

/** A child run is another when the one before it has ended. `until`: how many events have happened. */
function childrenOf(run: Simulated, until: number): { readonly count: number; readonly open: number } {
  const open = new Set<string>();
  let count = 0;
  for (const { event } of run.events.slice(0, until)) {
    if (event.type === "stage.started" && leafAt(run.plan, event.stage).kind === "run" && !open.has(event.stage)) {
      open.add(event.stage);
      count += 1;
    }
    if (event.type === "stage.finished") {
      open.delete(event.stage);
      count += event.spawned ?? 0;
    }
  }
  return { count, open: open.size };
}

/** The longest rows, from the states that the journal tells of. */
function inARow(run: Simulated): { readonly attempts: number; readonly rounds: number } {
  let [attempts, rounds] = [0, 0];
  for (const { state } of states(run)) {
    attempts = Math.max(attempts, state.facts.consecutiveFailures);
    rounds = Math.max(rounds, state.facts.failedRounds);
  }
  return { attempts, rounds };
}

function* states(
  run: Simulated,
): Generator<{ readonly state: RunState; readonly event: RunEvent; readonly index: number }> {
  const [created, ...rest] = run.events.map(({ event }) => event);
  let state = beginState(created as EventOf<"run.created">);
  for (const [index, event] of rest.entries()) {
    state = evolve(run.plan, state, event);
    yield { state, event, index: index + 2 };
  }
}

interface Seen {
  readonly stage: string;
  readonly result: StageResult;
  readonly good: boolean;
  /** What it made, by what that holds. */
  readonly made: string | null;
  readonly tests: string | null;
  readonly isNewOutcome: boolean;
  readonly isProgress: boolean;
  readonly isFresh: boolean;
  readonly counts: boolean;
  readonly writes: boolean;
}

/** Where a rule was met first, looking back from every visit to the last progress. `stuck`: events up to there. */
function findStuck(run: Simulated): { readonly stuck: number | null; readonly rule: StagnationRule | null } {
  const none = { stuck: null, rule: null };
  const { stagnation } = run.plan.limits;
  if (stagnation === undefined) return none;
  const results = new Map<string, StageResult>();
  let seen: Seen[] = [];
  const trees = new Set<string>();
  const outcomes = new Set<string>();
  let before: string | null = null;
  for (const { state, event, index } of states(run)) {
    if (event.type === "run.started") before = state.facts.tree;
    if (event.type === "run.resumed" && event.after !== "interruption") seen = [];
    for (const [stage, result] of state.facts.results) {
      if (results.get(stage) === result) continue;
      const visit = seenVisit(run, stage, result, { before, first: !results.has(stage), trees, outcomes });
      results.set(stage, result);
      seen = visit.isFresh ? [visit] : [...seen, visit];
      const rule = ruleOf(seen, stagnation);
      if (rule !== null) return { stuck: index, rule };
    }
    before = state.facts.tree;
  }
  return none;
}

interface Known {
  readonly before: string | null;
  readonly first: boolean;
  readonly trees: Set<string>;
  readonly outcomes: Set<string>;
}

function seenVisit(run: Simulated, stage: string, result: StageResult, known: Known): Seen {
  const leaf = leafAt(run.plan, stage);
  const good = result.outcome === "success" || result.outcome === "pass";
  const moved = leaf.kind !== "gate" && result.tree !== undefined && result.tree !== known.before;
  const made = moved ? (result.content ?? result.tree ?? null) : null;
  const isNewTree = made !== null && !known.trees.has(made);
  if (made !== null) known.trees.add(made);
  const output = result.output as { readonly by?: string; readonly labels?: unknown } | undefined;
  const hasTests = leaf.kind === "gate" && leaf.judge.by === "tests" && output?.by === "tests";
  const tests = hasTests ? `${stage} ${JSON.stringify(told(output))}` : null;
  const isNewOutcome = tests !== null && !known.outcomes.has(tests);
  if (tests !== null) known.outcomes.add(tests);
  const { nature, writes } = natureOf(run.plan, stageOf(run.plan, stage));
  const isFresh = leaf.kind === "approval" || (leaf.kind === "action" && good && leaf.effect !== "idempotent");
  const isProgress = known.first || isNewTree || isNewOutcome || isFresh || (nature === "waits" && !good);
  return { stage, result, good, made, tests, isNewOutcome, isProgress, isFresh, counts: nature === "repeats", writes };
}

/** What a verdict says about the tests, and nothing else of it. */
function told(output: object): unknown {
  const { counts, newFailures, vanished, oldFailures, flaky, fixed, added } = output as Readonly<
    Record<string, unknown>
  >;
  return [counts, newFailures, vanished, oldFailures, flaky, fixed, added].map((part) =>
    typeof part === "object" && part !== null && !Array.isArray(part) ? Object.entries(part).sort() : part,
  );
}

function ruleOf(seen: readonly Seen[], limits: Readonly<Record<StagnationRule, number>>): StagnationRule | null {
  const last = seen.at(-1) as Seen;
  const since = seen.slice(
    Math.max(
      0,
      seen.findLastIndex(({ isProgress }) => isProgress),
    ),
  );
  const own = since.filter(({ stage, counts }) => counts && stage === last.stage);
  if (sameFailures(own) >= limits.sameFailure) return "sameFailure";
  if (since.filter(({ made, isProgress }) => made !== null && !isProgress).length >= limits.oscillation)
    return "oscillation";
  const idle = own.filter(({ good, made }) => good && made === null).length;
  if (last.writes && idle >= limits.sameTree) return "sameTree";
  if (!last.writes && idle >= limits.repeats) return "repeats";
  return unmoved(seen, last.stage) >= limits.testOutcomes ? "testOutcomes" : null;
}

function sameFailures(own: readonly Seen[]): number {
  let count = 0;
  for (let at = own.length - 1; at >= 0; at -= 1) {
    const [now, next] = [own[at] as Seen, own[at + 1]];
    if (now.good || (next !== undefined && !isSame(now.result, next.result))) break;
    count += 1;
  }
  return count;
}

function isSame(a: StageResult, b: StageResult): boolean {
  return a.cause === b.cause && isNearlySame(normalError(a.error ?? ""), normalError(b.error ?? ""));
}

/** Failed verdicts of a gate whose tests had all said the same before. */
function unmoved(seen: readonly Seen[], gate: string): number {
  let count = 0;
  for (const { stage, tests, good, isNewOutcome } of seen)
    if (stage === gate && tests !== null) count = isNewOutcome || good ? 0 : count + 1;
  return count;
}
