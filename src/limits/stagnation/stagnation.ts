/**
 * Stagnation: whether a run still gets somewhere. Progress is what nobody can talk into being: a tree that the run never had,
 * a test outcome that is new, another result of a stage, something done outside, a person. Whatever repeats without any of
 * these is counted, and nothing else is: no word in an output means anything here.
 *
 * A fold that is changed in place; the cost of a visit does not depend on how many there were.
 */
import { isNearlySame, normalError } from "./fingerprint.ts";
import { STAGNATION_NAMES, type StagnationLimits, type StagnationRule } from "./thresholds.ts";

interface Failure {
  readonly cause: string;
  readonly error: string;
  readonly times: number;
}

export interface Stagnation {
  /** Every tree that stages have made, by what it holds. */
  readonly trees: Set<string>;
  /** Since the last progress, by stage: the latest failure, and how often nearly the same came in a row. */
  readonly failures: Map<string, Failure>;
  /** Since the last progress, by stage: visits that ended well and changed nothing. */
  readonly idle: Map<string, number>;
  /** Since the last progress: how often the tree became one that the run had before. */
  returns: number;
  /** By gate: every outcome of its tests so far. */
  readonly outcomes: Map<string, Set<string>>;
  /** By gate: failed verdicts since its tests said something new. */
  readonly unmoved: Map<string, number>;
  /** The first rule that was met; null: the run gets somewhere, as far as is known. */
  found: Finding | null;
}

export interface Finding {
  readonly rule: StagnationRule;
  readonly detail: string;
}

/** One visit of a stage, as it ended. */
export interface Visit {
  readonly stage: string;
  readonly good: boolean;
  readonly cause: string;
  readonly error: string;
  /** What it has made of the tree, by what that holds; null: the tree is as it was. */
  readonly tree: string | null;
  /**
   * `repeats`: with the same tree it is the same visit again. `waits`: it reaches the outside, and a failure may mean that it
   * waits for something there. `differs`: it is told the round, so no visit is like the one before.
   */
  readonly nature: "repeats" | "waits" | "differs";
  /** It could have changed the tree. */
  readonly writes: boolean;
  /** Another result than its visit before, or something done outside. */
  readonly hasNews: boolean;
  /** Something that makes a fresh start of everything: a person has answered, or work was handed on. */
  readonly isFresh: boolean;
  /** What its tests said, as a name for exactly that; null: it has none. */
  readonly tests: string | null;
}

const LONGEST_EVIDENCE = 120;

export function beginStagnation(): Stagnation {
  return {
    trees: new Set(),
    failures: new Map(),
    idle: new Map(),
    returns: 0,
    outcomes: new Map(),
    unmoved: new Map(),
    found: null,
  };
}

/** A person has acted: nothing that was before counts any more. */
export function startAfresh(run: Stagnation): void {
  clearCounts(run);
  run.unmoved.clear();
  run.found = null;
}

export function noteVisit(run: Stagnation, limits: StagnationLimits, visit: Visit): void {
  const isNewTree = visit.tree !== null && !run.trees.has(visit.tree);
  if (isNewTree) run.trees.add(visit.tree);
  const isNewOutcome = visit.tests !== null && noteTests(run, visit.stage, visit.tests, visit.good);
  if (visit.isFresh) startAfresh(run);
  const waits = visit.nature === "waits" && !visit.good;
  if (isNewTree || isNewOutcome || visit.hasNews || waits) clearCounts(run);
  else if (visit.tree !== null) run.returns += 1;
  if (visit.nature === "repeats") countVisit(run, visit);
  run.found ??= findRule(run, limits, visit);
}

function clearCounts(run: Stagnation): void {
  run.failures.clear();
  run.idle.clear();
  run.returns = 0;
}

/** True: its tests never said this before. A gate that passes has nothing to count. */
function noteTests(run: Stagnation, gate: string, tests: string, good: boolean): boolean {
  const seen = run.outcomes.get(gate) ?? new Set();
  const isNew = !seen.has(tests);
  run.outcomes.set(gate, seen.add(tests));
  run.unmoved.set(gate, isNew || good ? 0 : (run.unmoved.get(gate) ?? 0) + 1);
  return isNew;
}

function countVisit(run: Stagnation, { stage, good, cause, error, tree }: Visit): void {
  if (good) {
    run.failures.delete(stage);
    if (tree === null) run.idle.set(stage, (run.idle.get(stage) ?? 0) + 1);
    return;
  }
  const last = run.failures.get(stage);
  const normal = normalError(error);
  const isSame = last !== undefined && last.cause === cause && isNearlySame(last.error, normal);
  run.failures.set(stage, { cause, error: normal, times: isSame ? last.times + 1 : 1 });
}

function findRule(run: Stagnation, limits: StagnationLimits, visit: Visit): Finding | null {
  const { stage, error, tree, writes } = visit;
  const failed = run.failures.get(stage)?.times ?? 0;
  if (failed >= limits.sameFailure)
    return finding(
      "sameFailure",
      `"${stage}" failed ${failed} times the same way: ${error.slice(0, LONGEST_EVIDENCE)}`,
    );
  if (run.returns >= limits.oscillation)
    return finding("oscillation", `the tree was one that the run had before ${run.returns} times, now ${tree}`);
  const idle = run.idle.get(stage) ?? 0;
  if (writes && idle >= limits.sameTree)
    return finding("sameTree", `"${stage}" ended well ${idle} times and left the tree as it was`);
  if (!writes && idle >= limits.repeats) return finding("repeats", `"${stage}" ended the same way ${idle} times`);
  const unmoved = run.unmoved.get(stage) ?? 0;
  return unmoved >= limits.testOutcomes
    ? finding("testOutcomes", `"${stage}" failed ${unmoved} times without a test outcome that is new`)
    : null;
}

function finding(rule: StagnationRule, evidence: string): Finding {
  return { rule, detail: `${STAGNATION_NAMES[rule]}: ${evidence}, with nothing new in between` };
}
