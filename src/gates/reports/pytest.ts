/** What pytest prints with `-v` or `-rA`. Its own totals at the end must fit the tests that were named. */
import type { Collector } from "./collector.ts";

type Word = "PASSED" | "FAILED" | "ERROR" | "SKIPPED" | "XFAIL" | "XPASS";

const WORDS = "PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS";
/** Where `tests/test_a.py::test_b PASSED (reason) [ 50%]` has its word. */
const VERBOSE_WORD = new RegExp(` (${WORDS})(?= \\(| *\\[| *$)`, "g");
/** `PASSED tests/test_a.py::test_b`, `ERROR tests/test_a.py - ImportError`, and the form of pytest-xdist. */
const SUMMARY = new RegExp(`^(?:\\[gw\\d+\\] \\[ *\\d+%\\] )?(${WORDS}) (\\S.*)$`);
const TOTALS = /^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/;
const TOTAL_OF: Readonly<Record<Word, string>> = {
  PASSED: "passed",
  FAILED: "failed",
  ERROR: "error",
  SKIPPED: "skipped",
  XFAIL: "xfailed",
  XPASS: "xpassed",
};

export function isPytestReport(text: string): boolean {
  return /^=+ test session starts =+$|^(?:PASSED|FAILED|ERROR) \S+\.py\b/m.test(text);
}

export function readPytest(text: string, collector: Collector): void {
  const tests = new Map<string, Set<Word>>();
  const lines = text.split("\n").map((line) => line.trimEnd());
  for (const line of lines) readLine(line, tests);
  for (const [id, words] of tests) collect(id, words, collector);
  const totals = lines.map((line) => TOTALS.exec(line)?.[1]).findLast((found) => found !== undefined);
  if (totals === undefined) collector.problem("the report of pytest has no totals: it is cut off, or there is none");
  else checkTotals(totals, tests, collector);
}

function readLine(line: string, tests: Map<string, Set<Word>>): void {
  const found = readVerbose(line) ?? readSummary(line);
  if (found === undefined) return;
  const words = tests.get(found.id) ?? new Set();
  tests.set(found.id, words.add(found.word));
}

function readVerbose(line: string): { id: string; word: Word } | undefined {
  if (!/^\S+::/.test(line)) return undefined;
  const match = line.matchAll(VERBOSE_WORD).next().value;
  return match === undefined ? undefined : { id: line.slice(0, match.index), word: match[1] as Word };
}

/** The list of skipped tests names places (`SKIPPED [1] tests/test_a.py:3: why`), not tests. */
function readSummary(line: string): { id: string; word: Word } | undefined {
  const match = SUMMARY.exec(line);
  if (match === null) return undefined;
  const word = match[1] as Word;
  const id = withoutReason(match[2] as string, word);
  return id.startsWith("[") ? undefined : { id, word };
}

function withoutReason(text: string, word: Word): string {
  return word === "PASSED" ? text : (text.split(" - ", 1)[0] as string);
}

/** A test that passed and could not be cleaned up has failed. An expected failure is no pass, nor is its surprise. */
function collect(id: string, words: ReadonlySet<Word>, collector: Collector): void {
  const path = id.split("::");
  const hasFailed = words.has("FAILED") || words.has("ERROR");
  if (hasFailed && path.length === 1) collector.addWhole(path);
  else if (hasFailed) collector.add(path, "fail");
  else collector.add(path, words.has("PASSED") ? "pass" : "skip");
}

function checkTotals(totals: string, tests: ReadonlyMap<string, ReadonlySet<Word>>, collector: Collector): void {
  for (const word of ["PASSED", "FAILED", "ERROR"] as const) {
    const counted = Number(new RegExp(`(\\d+) ${TOTAL_OF[word]}`).exec(totals)?.[1] ?? 0);
    const named = [...tests.values()].filter((words) => words.has(word)).length;
    if (counted !== named) {
      collector.problem(`pytest counted ${counted} ${TOTAL_OF[word]} and named ${named}: run it with -rA or -v`);
    }
  }
}
