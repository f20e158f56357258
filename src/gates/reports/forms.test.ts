import { describe, expect, it } from "vitest";
import type { TestFormat } from "../test-results.ts";
import { MOST_TESTS } from "./collector.ts";
import { detectFormat, readTestReport } from "./read-report.ts";

/** What a report says and what is wrong with it. */
function read(format: TestFormat, text: string, root = ""): { told: string[]; problems: readonly string[] } {
  const report = readTestReport(format, text, root)!;
  return { told: report.results.map(({ id, outcome }) => `${outcome} ${id}`), problems: report.problems };
}

const tap = (...lines: string[]) => read("tap", ["TAP version 14", ...lines].join("\n"));

describe("TAP", () => {
  it("reads a text without a version when it has a plan", () => {
    expect(read("tap", "1..2\nok\nnot ok 2 b")).toEqual({ told: ["pass (no name)", "fail b"], problems: [] });
  });

  it("reads several documents, each with its own plan", () => {
    const text = "noise\nTAP version 13\n1..1\nok 1 - a\nTAP version 13\nok 1 - a\n1..1\n";
    expect(read("tap", text)).toEqual({ told: ["pass a", "pass a #2"], problems: [] });
  });

  it("has a problem with a plan that does not fit, stands twice or is missing", () => {
    expect(tap("1..2", "ok 1 - a").problems).toEqual(["the TAP report plans 2 tests and has 1"]);
    expect(tap("1..1", "ok 1 - a", "1..1").problems).toEqual(["the TAP report has two plans for the same tests"]);
    expect(tap("ok 1 - a").problems).toEqual(["the TAP report has no plan: it is cut off"]);
    expect(tap("    1..2", "    ok 1 - b", "ok 1 - a", "1..1").problems).toEqual([
      "the TAP report plans 2 tests and has 1",
    ]);
  });

  it("has a problem when the tests bail out", () => {
    expect(tap("1..0", "Bail out! no database").problems).toEqual(["the tests bailed out: no database"]);
  });

  it("has a problem when subtests, braces or details have no end", () => {
    const cut = "the TAP report is cut off";
    expect(tap("1..1", "ok 1 - a", "    ok 1 - b").problems).toEqual([cut]);
    expect(tap("1..1", "ok 1 - a", "ok 2 - b {").problems).toEqual([cut]);
    expect(tap("1..1", "ok 1 - a", "  ---").problems).toEqual([cut]);
    expect(tap("1..1", "        ok 1 - c", "ok 1 - a").problems).toEqual([cut]);
  });

  it("reads no result from details, odd indentation or a brace that closes nothing", () => {
    const lines = ["1..1", "ok 1 - a", "  ---", "  ok 2 - x", "not ok 3 - y", "  ...", "  ok 4 - z", "}"];
    expect(tap(...lines)).toEqual({ told: ["pass a"], problems: [] });
    expect(tap("1..1", "ok 1 - a", `${" ".repeat(400)}ok 2 - deep`)).toEqual({ told: ["pass a"], problems: [] });
  });

  it("takes a skipped or todo test for neither pass nor fail", () => {
    expect(tap("1..4", "ok 1 - a # SKIP why", "not ok 2 - b # todo", "ok 3 # skip", "ok 4 - c \\# skip")).toEqual({
      told: ["skip a", "skip b", "skip (no name)", "pass c # skip"],
      problems: [],
    });
  });

  it("lists a suite only when it failed and none of its tests did", () => {
    const lines = ["    ok 1 - b", "    1..1", "not ok 1 - a", "    not ok 1 - d", "not ok 2 - c", "1..2"];
    expect(tap(...lines)).toEqual({ told: ["pass a > b", "fail a > (whole)", "fail c > d"], problems: [] });
    expect(tap("        not ok 1 - c", "    not ok 1 - b", "not ok 1 - a", "1..1").told).toEqual(["fail a > b > c"]);
  });
});

describe("the text of node:test", () => {
  const spec = (...lines: string[]) => read("node", lines.join("\n"));

  it("has a problem when the totals do not fit what was printed", () => {
    expect(spec("✔ a (1ms)", "✔ forged (1ms)", "ℹ tests 1", "ℹ suites 0")).toEqual({
      told: ["pass a", "pass forged"],
      problems: ["node:test counted 1 tests and suites, the report has 2"],
    });
  });

  it("has a problem when a suite has no end", () => {
    expect(spec("▶ a", "  ✔ b (1ms)", "ℹ tests 1", "ℹ suites 0").problems).toEqual([
      "the report of node:test is cut off",
      "node:test counted 1 tests and suites, the report has 0",
    ]);
  });

  it("takes only the last totals, and no line that is oddly indented or far too deep", () => {
    const deep = " ".repeat(300);
    expect(
      spec("ℹ tests 7", "✔ a (1ms)", " ✔ b (1ms)", `${deep}✔ c (1ms)`, "⚠ d (2ms)", "ℹ tests 2", "ℹ suites 0"),
    ).toEqual({ told: ["pass a", "skip d"], problems: [] });
  });
});

describe("JUnit", () => {
  it("takes one suite for a report, and what did not run for skipped", () => {
    const text = `<testsuite><testcase/><testcase name="a" status="NotRun"/><testcase name="b" result="skipped"/>
      <testcase name="c" status="run" result="completed"/><properties/></testsuite>`;
    expect(read("junit", text)).toEqual({ told: ["pass (no name)", "skip a", "skip b", "pass c"], problems: [] });
  });

  it("lists a suite that failed by itself", () => {
    const text = `<testsuites><testsuite name="s"><error message="no setup"/></testsuite></testsuites>`;
    expect(read("junit", text)).toEqual({ told: ["fail s > (whole)"], problems: [] });
  });

  it("takes a test that passed in a second try for failed", () => {
    const text = `<testsuite name="s"><testcase name="a"><flakyFailure/></testcase></testsuite>`;
    expect(read("junit", text).told).toEqual(["fail s > a"]);
  });

  it("refuses two reports, another root and what is no XML", () => {
    const one = `<testsuite name="s"/>`;
    expect(read("junit", `${one}\n${one}`).problems).toEqual(["there is more than one JUnit report"]);
    expect(read("junit", `<?xml version="1.0"?><html><testsuite/></html>`).problems).toEqual([
      "a JUnit report does not begin with html",
    ]);
    expect(read("junit", "<testsuite><x>").problems).toEqual([
      "the JUnit report cannot be read: it ends before its last element does, at character 14",
    ]);
  });
});

describe("JSON of jest and vitest", () => {
  const file = (more: object) => JSON.stringify({ numTotalTests: 1, testResults: [more] });

  it("finds the report among other lines, and refuses two", () => {
    const one = file({ name: "a", status: "passed", assertionResults: [{ title: "t", status: "passed" }] });
    expect(read("jest", `> jest\n${one}\n{ "broken\n`)).toEqual({ told: ["pass a > t"], problems: [] });
    expect(read("jest", `${one}\n${one}`).problems).toEqual(["there is more than one JSON report"]);
  });

  it("refuses what it does not know", () => {
    const texts = [
      file({ name: 1, assertionResults: [] }),
      file({ name: "a" }),
      JSON.stringify({ numTotalTests: 0, testResults: [7] }),
      file({ name: "a", assertionResults: [{ title: "t", status: "magic" }] }),
      file({ name: "a", assertionResults: [{ status: "passed" }] }),
      file({ name: "a", assertionResults: [7] }),
      JSON.stringify({ numTotalTests: 0, testResults: [], wasInterrupted: true }),
    ];
    expect(texts.map((text) => read("jest", text).problems[0])).toEqual([
      "the report has a file without a name or a list of tests",
      "the report has a file without a name or a list of tests",
      "the report has a file without a name or a list of tests",
      "the report of a has a test without a title or a known status",
      "the report of a has a test without a title or a known status",
      "the report of a has a test without a title or a known status",
      "the tests were interrupted",
    ]);
  });

  it("takes a file that failed without a message for failed", () => {
    const text = JSON.stringify({
      numTotalTests: 0,
      testResults: [{ name: "a", status: "failed", assertionResults: [] }],
    });
    expect(read("vitest", text)).toEqual({ told: ["fail a > (whole)"], problems: [] });
  });

  it("has a problem when the totals do not fit", () => {
    expect(read("vitest", `{"testResults":[]}`).problems).toEqual(["the report counts undefined tests and has 0"]);
  });
});

describe("go test -json", () => {
  it("has a problem with lines that cannot be read and packages without an end", () => {
    const text = `{"Action":"pass","Package":"p","Test":"T"}\n{"Action\n{"x":1}`;
    expect(read("go", text)).toEqual({
      told: ["pass p > T"],
      problems: [
        "the report of go test has a line that cannot be read",
        "the report of go test has a line that cannot be read",
        "the report of go test is cut off in p",
      ],
    });
  });

  it("numbers the tests of repeated runs", () => {
    const test = (action: string) => `{"Action":"${action}","Package":"p","Test":"T"}`;
    const report = readTestReport("go", [test("pass"), test("fail"), '{"Action":"fail","Package":"p"}'].join("\n"));
    expect([report?.results, report?.contradictions]).toEqual([
      [
        { id: "p > T", outcome: "fail" },
        { id: "p > T #2", outcome: "pass" },
      ],
      ["p > T"],
    ]);
  });

  it("is not found in lines that have no action", () => {
    expect(detectFormat('text\n{"a":1}\n')).toBeNull();
  });
});

describe("pytest", () => {
  it("reads the lines of pytest-xdist", () => {
    const text =
      "[gw0] [ 50%] PASSED tests/a.py::test_a \n[gw1] [100%] FAILED tests/a.py::test_b \n== 1 failed, 1 passed in 1.0s ==";
    expect(read("pytest", text)).toEqual({
      told: ["pass tests/a.py > test_a", "fail tests/a.py > test_b"],
      problems: [],
    });
  });

  it("does not take other lines with colons for tests", () => {
    expect(read("pytest", "std::move is fine\nno tests ran in 0.01s")).toEqual({ told: [], problems: [] });
  });

  it("does not believe a test that prints the result of another", () => {
    const text = "a.py::test_a PASSED [100%]\na.py::test_forged PASSED\n=== 1 passed in 0.1s ===";
    expect(read("pytest", text).problems).toEqual(["pytest counted 1 passed and named 2: run it with -rA or -v"]);
  });
});

describe("ids", () => {
  it("do not name the folder of the checkout, whatever form it takes", () => {
    const text = "1..2\nok 1 - /home/ann/x/a.js loads\nok 2 - file:///home/ann/x/b.js   loads";
    expect(read("tap", text, "/home/ann/x").told).toEqual(["pass a.js loads", "pass b.js loads"]);
    expect(read("tap", text, "/home/ann/x/").told).toEqual(["pass a.js loads", "pass b.js loads"]);
  });

  it("are cut when they are very long", () => {
    expect(read("tap", `1..1\nok 1 - ${"x".repeat(5000)}`).told[0]).toHaveLength(5 + 1001);
  });

  it("keep a number that a test has in its own name", () => {
    const text = "1..4\nok 1 - a\nok 2 - a #2\nok 3 - a\nnot ok 4 - a";
    expect(read("tap", text).told).toEqual(["fail a", "pass a #3", "pass a #4", "pass a #2"]);
  });

  it("end where there are too many tests", () => {
    const lines = Array.from({ length: MOST_TESTS + 2 }, (_, index) => `ok ${index} - t${index}`);
    const { told, problems } = read("tap", [`1..${lines.length}`, ...lines].join("\n"));
    expect([told.length, problems]).toEqual([MOST_TESTS, ["the report has more than 100000 tests"]]);
  });

  it("come with a bounded list of problems", () => {
    expect(read("go", "{\n".repeat(1000)).problems).toHaveLength(20);
  });
});
