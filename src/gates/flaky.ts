/** A rerun buys a label, never a pass: only a test that passed and failed on the same tree is flaky, and only until the label expires. */
import { runProblems, type TestVerdict } from "./ratchet.ts";
import type { TestOutcome, TestRun } from "./test-results.ts";

/** More new failures than this are no accident. */
const MOST_SUSPECTS = 50;

/**
 * New failures for which one more run of the same tree could tell flaky from broken; empty: do not run again. `runs`: every run of the
 * tree so far, the judged one first. `count`: how many reruns there may be. Nothing is run again when something else blocks.
 */
export function nextReruns(verdict: TestVerdict, runs: readonly TestRun[], count: number): readonly string[] {
  const { newFailures, vanished, problems } = verdict;
  const isHopeless = vanished.length > 0 || problems.length > 0 || newFailures.length > MOST_SUSPECTS;
  if (isHopeless || runs.length > count) return [];
  return newFailures.filter((id) => !isFlaky(id, runs));
}

/** Labels for the tests among `ids` that passed and failed in `runs` of the same tree. Runs that cannot be trusted do not count. */
export function settleFlaky(
  ids: readonly string[],
  runs: readonly TestRun[],
  expiresAt: number,
): ReadonlyMap<string, number> {
  const trusted = runs.filter((run) => runProblems(run).length === 0);
  return new Map(ids.filter((id) => isFlaky(id, trusted)).map((id) => [id, expiresAt]));
}

function isFlaky(id: string, runs: readonly TestRun[]): boolean {
  const seen = new Set<TestOutcome | undefined>(runs.map(({ results }) => results.get(id)));
  return seen.has("pass") && seen.has("fail");
}
