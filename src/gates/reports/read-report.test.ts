import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TestReport } from "../test-results.ts";
import { detectFormat, readTestReport } from "./read-report.ts";

const FOLDER = join(import.meta.dirname, "../../../test/support/reports");
const fixture = (name: string): string => readFileSync(join(FOLDER, name), "utf8");

/** What a report says, a line for each test. */
function told(report: TestReport | null): readonly string[] {
  return (report?.results ?? []).map(({ id, outcome }) => `${outcome} ${id}`);
}

const NODE = [
  "pass adds",
  "pass adds #2",
  "fail subtracts # with hash",
  "skip is skipped",
  "skip is todo",
  "skip todo passing",
  "pass has subtests > first",
  "fail has subtests > second",
  "pass a suite > works",
  "pass a suite > inner > works",
  "skip a suite > inner > not now",
  'pass a suite > inner > back\\slash and "quotes" <&>',
  "skip a skipped suite",
  "pass same name",
  "pass same name #2",
  "fail test/c.test.mjs > (whole)",
];

const VITEST = [
  "fail broken.test.ts > (whole)",
  "pass sums.test.ts > sums > adds",
  "fail sums.test.ts > sums > fails",
  "skip sums.test.ts > sums > is skipped",
  "skip sums.test.ts > sums > is todo",
  "pass sums.test.ts > sums > inner > adds",
  "pass sums.test.ts > value 1",
  "pass sums.test.ts > value 2",
  "pass sums.test.ts > same name",
  "pass sums.test.ts > same name #2",
];

const PYTEST = [
  "pass tests/test_sums.py > test_adds",
  "fail tests/test_sums.py > test_fails",
  "skip tests/test_sums.py > test_skipped",
  "skip tests/test_sums.py > test_expected_failure",
  "skip tests/test_sums.py > test_unexpected_pass",
  "pass tests/test_sums.py > test_texts[a b]",
  "pass tests/test_sums.py > test_texts[x-y]",
  "pass tests/test_sums.py > test_texts[c - d]",
  "fail tests/test_sums.py > test_teardown",
  "pass tests/test_sums.py > TestGroup > test_inside",
];

const GO = [
  "pass example.com/sums > TestAdds",
  "pass example.com/sums > TestTable > one",
  "fail example.com/sums > TestTable > two",
  "pass example.com/sums > TestCleanup > inner",
  "skip example.com/sums > TestSkipped",
  "fail example.com/sums > TestPanics",
  "fail example.com/sums > TestCleanup > (whole)",
  "fail example.com/broken > (whole)",
];

const JEST = [
  "pass sums.test.js > sums > adds",
  "fail sums.test.js > sums > fails",
  "skip sums.test.js > sums > is skipped",
  "skip sums.test.js > sums > is todo",
  "fail broken.test.js > (whole)",
  "pass lib/value.test.js > value 1",
];

const KINDS: Readonly<Record<string, readonly [kind: string, lines: readonly string[]]>> = {
  "go-json.txt": ["go", GO],
  "jest-json.txt": ["jest", JEST],
  "node-junit.xml": ["junit", []],
  "node-spec.txt": ["node", NODE],
  "node.tap": ["node", NODE],
  "pytest-broken.txt": ["pytest", ["fail tests/test_broken.py > (whole)"]],
  "pytest-junit.xml": ["junit", []],
  "pytest-plain.txt": ["pytest", []],
  "pytest-summary.txt": ["pytest", []],
  "pytest-verbose.txt": ["pytest", PYTEST],
  "vitest-flat.tap": ["tap", VITEST],
  "vitest-json.txt": ["vitest", VITEST],
  "vitest-junit.xml": ["junit", VITEST],
  "vitest.tap": ["tap", VITEST],
};
describe("reports of real test runners", () => {
  it("are all known", () => {
    expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(KINDS).sort());
  });

  for (const [name, [kind, lines]] of Object.entries(KINDS)) {
    it(`knows the form of ${name}`, () => {
      expect(detectFormat(fixture(name))).toBe(kind);
    });

    if (lines.length > 0) {
      it(`reads ${name} by test id`, () => {
        const report = readTestReport("auto", fixture(name), "/workspace");
        expect([told(report), report?.problems, report?.contradictions]).toEqual([lines, [], []]);
      });
    }
  }

  it("reads the JUnit report of node:test, whose tests all have the class test", () => {
    const report = readTestReport("node", fixture("node-junit.xml"), "/workspace/");
    expect([report?.kind, report?.problems, told(report).slice(-3)]).toEqual([
      "node",
      [],
      ["pass test > same name", "pass test > same name #2", "fail test > test/c.test.mjs > (whole)"],
    ]);
    expect(told(report)).toContain("skip test > is todo");
  });

  it("reads the JUnit report of pytest", () => {
    const report = readTestReport("pytest", fixture("pytest-junit.xml"), "/workspace");
    expect([report?.problems, told(report).slice(0, 4), told(report).at(-2)]).toEqual([
      [],
      [
        "fail pytest > tests.test_broken > (whole)",
        "pass pytest > tests.test_sums > test_adds",
        "fail pytest > tests.test_sums > test_fails",
        "skip pytest > tests.test_sums > test_skipped",
      ],
      "fail pytest > tests.test_sums > test_teardown",
    ]);
  });

  it("reads the summary of pytest, which does not name skipped tests", () => {
    const report = readTestReport("pytest", fixture("pytest-summary.txt"));
    expect([report?.problems, told(report).toSorted()]).toEqual([
      [],
      PYTEST.filter((line) => !line.includes("test_skipped")).toSorted(),
    ]);
  });

  it("does not believe pytest when it does not name its tests", () => {
    expect(readTestReport("pytest", fixture("pytest-plain.txt"))?.problems).toEqual([
      "pytest counted 6 passed and named 0: run it with -rA or -v",
    ]);
  });

  it("reads the first line of why a test failed", () => {
    const report = readTestReport("vitest", fixture("vitest-json.txt"), "/workspace");
    expect(report?.results.flatMap(({ detail }) => detail ?? [])).toEqual([
      "cannot load",
      "AssertionError: expected 1 to be 2 // Object.is equality",
    ]);
  });
});

describe("readTestReport", () => {
  it("is null when the text is no report at all", () => {
    expect(["", "all good\n", "{}", '{"a":', "{not json\n"].map((text) => readTestReport("auto", text))).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it("has a problem when the text is not in the form that was asked for", () => {
    const problems = (["junit", "tap", "node", "vitest", "jest", "pytest", "go"] as const).map(
      (format) => readTestReport(format, "all good\n")?.problems,
    );
    expect(problems).toEqual([
      ["there is no JUnit report"],
      ["there is no TAP report"],
      ["the report of node:test has no totals: it is cut off"],
      ["there is no JSON report, or it is cut off"],
      ["there is no JSON report, or it is cut off"],
      ["the report of pytest has no totals: it is cut off, or there is none"],
      ["there is no report of go test"],
    ]);
  });

  it("sees through colours and line ends of Windows", () => {
    const coloured = fixture("node-spec.txt")
      .replaceAll(/^( *)(✔.*)$/gm, "$1\u001b[32m$2\u001b[39m")
      .replaceAll("\n", "\r\n");
    expect(told(readTestReport("node", coloured, "/workspace"))).toEqual(NODE);
  });

  it("refuses a report that is too long", () => {
    const text = `TAP version 13\n1..1\nok 1 - a\n${" ".repeat(32 * 1024 * 1024)}`;
    expect(readTestReport("auto", text)).toEqual({
      kind: "tap",
      results: [],
      contradictions: [],
      problems: ["the report is longer than 33554432 characters"],
    });
  });

  it("has a problem wherever a report is cut off", () => {
    for (const name of [
      "go-json.txt",
      "jest-json.txt",
      "node.tap",
      "node-spec.txt",
      "vitest.tap",
      "vitest-junit.xml",
    ]) {
      // After its totals, the text of node:test only repeats itself.
      const [text = ""] = fixture(name).split("ℹ suites");
      const [kind] = KINDS[name]!;
      for (let part = 1; part < 12; part += 1) {
        const cut = text.slice(0, Math.floor((text.length * part) / 13));
        expect([name, part, readTestReport(kind as "tap", cut)?.problems.length]).not.toEqual([name, part, 0]);
      }
    }
  });
});
