/** Compares the tests of a candidate with those of its base: what passed before must pass still, and be there. */
import { isWhole, type TestOutcome, type TestRun } from "./test-results.ts";

export interface TestVerdict {
  readonly outcome: "pass" | "fail" | "escalate";
  /** What the verdict stands on: results by test id, or nothing but the exit code. */
  readonly by: "tests" | "exit code";
  readonly reason: string;
  readonly counts: {
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    /** Tests of the base; null when there is no base with ids. */
    readonly base: number | null;
  };
  /** Failed on the base, passes now. */
  readonly fixed: readonly string[];
  /** Failed on the base and fails now: tolerated. */
  readonly oldFailures: readonly string[];
  /** Blocks. */
  readonly newFailures: readonly string[];
  /** On the base and no longer there, or skipped now and not on the base: blocks. */
  readonly vanished: readonly string[];
  /** Not on the base: information. */
  readonly added: readonly string[];
  /** Fails, and has a label that has not expired: tolerated. */
  readonly flaky: readonly string[];
  /** Why the candidate's results cannot be trusted: blocks. */
  readonly problems: readonly string[];
}

type Lists = Pick<TestVerdict, "fixed" | "oldFailures" | "newFailures" | "vanished" | "added" | "flaky">;
const NO_LISTS: Lists = { fixed: [], oldFailures: [], newFailures: [], vanished: [], added: [], flaky: [] };

/** `flaky`: id → when its label expires. Both runs must be of the same command. */
export function compareTests(
  base: TestRun | null,
  candidate: TestRun,
  flaky: ReadonlyMap<string, number>,
  now: number,
): TestVerdict {
  const counts = countTests(base, candidate);
  if (candidate.kind === "exit") return { ...judgeExit(base, candidate), counts };
  const lists = compareLists(base?.results ?? new Map(), candidate.results, (id) => (flaky.get(id) ?? 0) > now);
  const problems = candidateProblems(base, candidate);
  return { ...judgeLists(base, counts, lists, problems), by: "tests", counts, ...lists, problems };
}

function countTests(base: TestRun | null, candidate: TestRun): TestVerdict["counts"] {
  const count = (wanted: TestOutcome): number =>
    [...candidate.results.values()].filter((found) => found === wanted).length;
  return {
    passed: count("pass"),
    failed: count("fail"),
    skipped: count("skip"),
    base: base === null || base.kind === "exit" ? null : base.results.size,
  };
}

/** Nothing but the exit code is known: it must be 0, and the base must not have known more. */
function judgeExit(base: TestRun | null, candidate: TestRun): Omit<TestVerdict, "counts"> {
  const verdict = (outcome: "pass" | "fail", reason: string): Omit<TestVerdict, "counts"> => ({
    outcome,
    by: "exit code",
    reason,
    ...NO_LISTS,
    vanished: base === null ? [] : [...base.results.keys()].toSorted(),
    problems: candidate.problems,
  });
  if (base !== null && base.kind !== "exit")
    return verdict("fail", "the base has results by test, the candidate has none");
  if (candidate.problems.length > 0) return verdict("fail", candidate.problems[0] as string);
  if (candidate.exit === null) return verdict("fail", "the command did not end by itself");
  if (candidate.exit !== 0) return verdict("fail", `the command ended with ${candidate.exit}`);
  return verdict("pass", "the command ended with 0; it gives no results by test");
}

function compareLists(
  base: ReadonlyMap<string, TestOutcome>,
  candidate: ReadonlyMap<string, TestOutcome>,
  isFlaky: (id: string) => boolean,
): Lists {
  const lists: Record<keyof Lists, string[]> = {
    fixed: [],
    oldFailures: [],
    newFailures: [],
    vanished: [],
    added: [],
    flaky: [],
  };
  for (const [id, outcome] of candidate) {
    for (const list of listsOf(base.get(id), outcome, isFlaky(id))) lists[list].push(id);
  }
  const suites = suitesWithPass(candidate);
  for (const [id, before] of base) {
    if (candidate.has(id) || before === "skip" || suites.has(id)) continue;
    lists[isWhole(id) ? "fixed" : "vanished"].push(id);
  }
  for (const list of Object.values(lists)) list.sort();
  return lists;
}

function listsOf(before: TestOutcome | undefined, now: TestOutcome, isFlaky: boolean): (keyof Lists)[] {
  const lists: (keyof Lists)[] = before === undefined ? ["added"] : [];
  if (now === "fail") lists.push(failureList(before, isFlaky));
  else if (now === "skip" && (before === "pass" || before === "fail")) lists.push("vanished");
  else if (now === "pass" && before === "fail") lists.push("fixed");
  return lists;
}

function failureList(before: TestOutcome | undefined, isFlaky: boolean): "oldFailures" | "newFailures" | "flaky" {
  if (before === "fail") return "oldFailures";
  return isFlaky ? "flaky" : "newFailures";
}

/** A test that failed before its subtests began has become a suite: it is there when one of them passes. */
function suitesWithPass(results: ReadonlyMap<string, TestOutcome>): ReadonlySet<string> {
  const suites = new Set<string>();
  for (const [id, outcome] of results) {
    const names = outcome === "pass" ? id.split(" > ") : [];
    for (let length = 1; length < names.length; length += 1) suites.add(names.slice(0, length).join(" > "));
  }
  return suites;
}

/** What a run says about itself that makes its results worthless. */
export function runProblems(run: TestRun): readonly string[] {
  const hasFailure = [...run.results.values()].includes("fail");
  const problems = [...run.problems];
  if (run.exit === null) problems.push("the command did not end by itself");
  else if (run.exit === 0 && hasFailure) problems.push("the command ended with 0 although tests failed");
  else if (run.exit !== 0 && !hasFailure)
    problems.push(`the command ended with ${run.exit} although no test is known to have failed`);
  return problems;
}

function candidateProblems(base: TestRun | null, candidate: TestRun): readonly string[] {
  const problems = [...runProblems(candidate)];
  if (base !== null && base.kind !== "exit" && base.kind !== candidate.kind) {
    problems.push(`the report is of the form ${candidate.kind}, that of the base is ${base.kind}`);
  }
  const fresh = candidate.contradictions.filter((id) => base?.contradictions.includes(id) !== true);
  if (fresh.length > 0) problems.push(`${fresh.length} tests passed and failed in the same run, such as ${fresh[0]}`);
  return problems;
}

function judgeLists(
  base: TestRun | null,
  counts: TestVerdict["counts"],
  lists: Lists,
  problems: readonly string[],
): Pick<TestVerdict, "outcome" | "reason"> {
  const { newFailures, vanished } = lists;
  if (problems.length > 0) return { outcome: "fail", reason: problems[0] as string };
  if (newFailures.length > 0)
    return { outcome: "fail", reason: `${newFailures.length} new failures, such as ${newFailures[0]}` };
  if (vanished.length > 0)
    return { outcome: "fail", reason: `${vanished.length} tests vanished, such as ${vanished[0]}` };
  if (counts.passed === 0) return { outcome: "fail", reason: "no test passed" };
  const doubt = baseDoubt(base);
  if (doubt !== undefined) return { outcome: "escalate", reason: `vanished tests cannot be ruled out: ${doubt}` };
  return { outcome: "pass", reason: passText(counts, lists) };
}

/** Why the base does not tell which tests there were. A base that fails without a report has none to lose. */
function baseDoubt(base: TestRun | null): string | undefined {
  if (base === null) return undefined;
  if (base.kind === "exit" && base.exit === 0) return "the base passes and gives no results by test";
  return base.problems[0] === undefined ? undefined : `on the base, ${base.problems[0]}`;
}

function passText(counts: TestVerdict["counts"], lists: Lists): string {
  const notes = [
    [lists.fixed.length, "fixed"],
    [lists.oldFailures.length, "failed before too"],
    [lists.flaky.length, "flaky"],
    [counts.skipped, "skipped"],
  ] as const;
  const told = notes.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return [`${counts.passed} passed`, ...told].join(", ");
}
