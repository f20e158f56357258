import { describe, expect, it } from "vitest";
import { compareTests, type TestVerdict } from "./ratchet.ts";
import type { TestOutcome, TestRun } from "./test-results.ts";

const NONE = new Map<string, number>();

function run(results: Record<string, TestOutcome>, more: Partial<TestRun> = {}): TestRun {
  const hasFailed = Object.values(results).includes("fail");
  const found = new Map(Object.entries(results));
  return { results: found, exit: hasFailed ? 1 : 0, kind: "tap", contradictions: [], problems: [], ...more };
}

const byExit = (exit: number | null, problems: readonly string[] = []): TestRun =>
  run({}, { kind: "exit", exit, problems });

function short({ outcome, reason }: TestVerdict): string {
  return `${outcome}: ${reason}`;
}

const judge = (base: TestRun | null, candidate: TestRun, flaky = NONE): string =>
  short(compareTests(base, candidate, flaky, 100));

describe("compareTests", () => {
  it("lists what changed, each list sorted", () => {
    const base = run({ z: "fail", a: "fail", old: "fail", broke: "pass", gone: "pass", hidden: "pass", quiet: "skip" });
    const candidate = run({
      z: "pass",
      a: "pass",
      old: "fail",
      broke: "fail",
      hidden: "skip",
      fresh: "pass",
      shaky: "fail",
    });
    expect(compareTests(base, candidate, new Map([["shaky", 101]]), 100)).toEqual({
      outcome: "fail",
      by: "tests",
      reason: "1 new failures, such as broke",
      counts: { passed: 3, failed: 3, skipped: 1, base: 7 },
      fixed: ["a", "z"],
      oldFailures: ["old"],
      newFailures: ["broke"],
      vanished: ["gone", "hidden"],
      added: ["fresh", "shaky"],
      flaky: ["shaky"],
      problems: [],
    });
  });

  it("tolerates old failures although the command fails", () => {
    const base = run({ old: "fail", bug: "fail", ok: "pass" });
    expect(judge(base, run({ old: "fail", bug: "pass", ok: "pass" }))).toBe(
      "pass: 2 passed, 1 fixed, 1 failed before too",
    );
  });

  it("blocks a test that was skipped and fails now, or is new and fails", () => {
    expect(judge(run({ a: "skip", b: "pass" }), run({ a: "fail", b: "pass" }))).toBe("fail: 1 new failures, such as a");
    expect(judge(run({ b: "pass" }), run({ a: "fail", b: "pass" }))).toBe("fail: 1 new failures, such as a");
  });

  it("blocks a test that is gone or skipped, even one that failed before", () => {
    const base = run({ a: "fail", b: "pass" });
    expect(judge(base, run({ b: "pass" }))).toBe("fail: 1 tests vanished, such as a");
    expect(judge(base, run({ a: "skip", b: "pass" }))).toBe("fail: 1 tests vanished, such as a");
    expect(judge(run({ a: "skip", b: "pass" }), run({ b: "pass" }))).toBe("pass: 1 passed");
    expect(judge(run({ a: "skip", b: "pass" }), run({ a: "skip", b: "pass" }))).toBe("pass: 1 passed, 1 skipped");
  });

  it("takes a file that can be loaded again for fixed, and one that no longer can for broken", () => {
    const broken = run({ "f.js > (whole)": "fail", a: "pass" });
    const whole = run({ "f.js > t": "pass", a: "pass" });
    expect(judge(broken, whole)).toBe("pass: 2 passed, 1 fixed");
    expect(judge(whole, broken)).toBe("fail: 1 new failures, such as f.js > (whole)");
  });

  it("finds a test again that has become a suite with a test that passes", () => {
    const base = run({ a: "fail", b: "pass" });
    expect(judge(base, run({ "a > one": "pass", b: "pass" }))).toBe("pass: 2 passed");
    expect(judge(base, run({ "a > one": "skip", b: "pass" }))).toBe("fail: 1 tests vanished, such as a");
  });

  it("needs at least one test that passes", () => {
    expect(judge(null, run({}))).toBe("fail: no test passed");
    expect(judge(null, run({ a: "skip" }))).toBe("fail: no test passed");
    expect(judge(run({ a: "fail" }), run({ a: "fail" }))).toBe("fail: no test passed");
  });

  it("does not believe an exit code that contradicts the results", () => {
    const base = run({ a: "pass", b: "fail" });
    expect(judge(base, run({ a: "pass", b: "fail" }, { exit: 0 }))).toBe(
      "fail: the command ended with 0 although tests failed",
    );
    expect(judge(base, run({ a: "pass", b: "pass" }, { exit: 3 }))).toBe(
      "fail: the command ended with 3 although no test is known to have failed",
    );
    expect(judge(base, run({ a: "pass", b: "fail" }, { exit: null }))).toBe("fail: the command did not end by itself");
  });

  it("never passes a candidate whose report has a problem or another form", () => {
    const base = run({ a: "pass" });
    expect(judge(base, run({ a: "pass" }, { problems: ["the report is cut off"] }))).toBe(
      "fail: the report is cut off",
    );
    expect(judge(base, run({ a: "pass" }, { kind: "junit" }))).toBe(
      "fail: the report is of the form junit, that of the base is tap",
    );
  });

  it("blocks a test that passed and failed in one run, unless it did so on the base", () => {
    const both = run({ a: "fail", "a #2": "pass" }, { contradictions: ["a"] });
    const clean = run({ a: "pass", "a #2": "pass" });
    expect(judge(clean, both)).toBe("fail: 1 tests passed and failed in the same run, such as a");
    expect(judge(null, both)).toBe("fail: 1 tests passed and failed in the same run, such as a");
    expect(judge(both, both)).toBe("pass: 1 passed, 1 failed before too");
    expect(judge(both, clean)).toBe("pass: 2 passed, 1 fixed");
  });

  it("takes every failure for new without a base", () => {
    expect(judge(null, run({ a: "pass" }))).toBe("pass: 1 passed");
    expect(judge(null, run({ a: "pass", b: "fail" }))).toBe("fail: 1 new failures, such as b");
  });

  it("asks a person when the base does not tell which tests there were", () => {
    const candidate = run({ a: "pass" });
    expect(judge(run({ a: "pass" }, { problems: ["the report is cut off"] }), candidate)).toBe(
      "escalate: vanished tests cannot be ruled out: on the base, the report is cut off",
    );
    expect(judge(byExit(0), candidate)).toBe(
      "escalate: vanished tests cannot be ruled out: the base passes and gives no results by test",
    );
    expect(judge(byExit(1), candidate)).toBe("pass: 1 passed");
  });

  it("tolerates a flaky test until its label expires", () => {
    const base = run({ a: "pass", b: "pass" });
    const candidate = run({ a: "pass", b: "fail" });
    expect(judge(base, candidate, new Map([["b", 101]]))).toBe("pass: 1 passed, 1 flaky");
    expect(judge(base, candidate, new Map([["b", 100]]))).toBe("fail: 1 new failures, such as b");
    expect(judge(base, run({ a: "pass" }), new Map([["b", 101]]))).toBe("fail: 1 tests vanished, such as b");
  });
});

describe("by exit code", () => {
  it("passes only with 0, and says what it stands on", () => {
    expect(compareTests(byExit(1), byExit(0), NONE, 0)).toEqual({
      outcome: "pass",
      by: "exit code",
      reason: "the command ended with 0; it gives no results by test",
      counts: { passed: 0, failed: 0, skipped: 0, base: null },
      fixed: [],
      oldFailures: [],
      newFailures: [],
      vanished: [],
      added: [],
      flaky: [],
      problems: [],
    });
    expect(judge(byExit(1), byExit(1))).toBe("fail: the command ended with 1");
    expect(judge(null, byExit(null))).toBe("fail: the command did not end by itself");
    expect(judge(null, byExit(0, ["the log was cut"]))).toBe("fail: the log was cut");
  });

  it("fails when the base has results by test: they all vanished", () => {
    const verdict = compareTests(run({ b: "pass", a: "pass" }), byExit(0), NONE, 0);
    expect([short(verdict), verdict.vanished]).toEqual([
      "fail: the base has results by test, the candidate has none",
      ["a", "b"],
    ]);
  });
});
