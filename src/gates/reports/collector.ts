/** Makes ids that are the same on every machine and in every run, and finds what does not fit together. */
import { visibleLine } from "../../base/visible.ts";
import { type TestFormat, type TestOutcome, type TestReport, type TestResult, wholeOf } from "../test-results.ts";

export const MOST_TESTS = 100_000;
const MOST_PROBLEMS = 20;
const LONGEST_ID = 1000;
const LONGEST_DETAIL = 200;

/** Runners list a file that cannot be loaded as a failed test with the name of the file. */
const TEST_FILE = /^\S+\.(?:[cm]?[jt]sx?|py)$/;

export interface Collector {
  /** `path`: names from the outside in, at least one; empty ones are left out. */
  add(path: readonly string[], outcome: TestOutcome, detail?: string): void;
  /** A file or suite that failed although none of its tests did. */
  addWhole(path: readonly string[], detail?: string): void;
  problem(text: string): void;
  report(): TestReport;
}

interface Entry {
  readonly outcome: TestOutcome;
  readonly detail: string | undefined;
}

/** `root`: the folder of the checkout, which ids must not name. */
export function createCollector(kind: TestFormat, root: string): Collector {
  const entries = new Map<string, Entry[]>();
  const problems: string[] = [];
  let count = 0;
  const problem = (text: string): void => {
    if (problems.length < MOST_PROBLEMS) problems.push(visibleLine(text, LONGEST_DETAIL));
  };
  const put = (id: string, entry: Entry): void => {
    count += 1;
    if (count === MOST_TESTS + 1) problem(`the report has more than ${MOST_TESTS} tests`);
    if (count > MOST_TESTS) return;
    const known = entries.get(id);
    if (known === undefined) entries.set(id, [entry]);
    else known.push(entry);
  };
  const addWhole = (path: readonly string[], detail?: string): void =>
    put(wholeOf(testId(path, root)), { outcome: "fail", detail });
  return {
    add(path, outcome, detail) {
      if (outcome === "fail" && TEST_FILE.test(path.at(-1) as string)) addWhole(path, detail);
      else put(testId(path, root), { outcome, detail });
    },
    addWhole,
    problem,
    report: () => ({ kind, ...numbered(entries), problems }),
  };
}

function testId(path: readonly string[], root: string): string {
  const names = path.map((name) => cleanName(name, root)).filter((name) => name !== "");
  const id = names.length === 0 ? "(no name)" : names.join(" > ");
  return id.length > LONGEST_ID ? `${id.slice(0, LONGEST_ID)}…` : id;
}

function cleanName(name: string, root: string): string {
  const folder = root.endsWith("/") ? root : `${root}/`;
  const local = root === "" ? name : name.replaceAll(`file://${folder}`, "").replaceAll(folder, "");
  return local.replaceAll(/\s+/g, " ").trim();
}

const ORDER: Readonly<Record<TestOutcome, number>> = { fail: 0, skip: 1, pass: 2 };

/**
 * Tests of one name are numbered with the failed ones first, so the numbers do not depend on which of them ran first, and one failure
 * more is always a new id that fails.
 */
function numbered(entries: ReadonlyMap<string, readonly Entry[]>): Pick<TestReport, "results" | "contradictions"> {
  const results: TestResult[] = [];
  const contradictions: string[] = [];
  for (const [id, same] of entries) {
    const outcomes = new Set(same.map(({ outcome }) => outcome));
    if (outcomes.has("pass") && outcomes.has("fail")) contradictions.push(id);
    let number = 0;
    for (const entry of same.toSorted((a, b) => ORDER[a.outcome] - ORDER[b.outcome])) {
      number = nextFree(entries, id, number);
      results.push(resultOf(number === 1 ? id : `${id} #${number}`, entry));
    }
  }
  return { results, contradictions };
}

/** A test that is called `a #2` keeps its name. */
function nextFree(entries: ReadonlyMap<string, unknown>, id: string, used: number): number {
  let number = used + 1;
  while (number > 1 && entries.has(`${id} #${number}`)) number += 1;
  return number;
}

function resultOf(id: string, { outcome, detail }: Entry): TestResult {
  return detail === undefined ? { id, outcome } : { id, outcome, detail: firstLine(detail) };
}

function firstLine(text: string): string {
  return visibleLine((text.trim().split("\n", 1)[0] as string).trim(), LONGEST_DETAIL);
}
