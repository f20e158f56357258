import { describe, expect, it } from "vitest";
import { nextReruns, settleFlaky } from "./flaky.ts";
import { compareTests } from "./ratchet.ts";
import type { TestOutcome, TestRun } from "./test-results.ts";

function run(results: Record<string, TestOutcome>, more: Partial<TestRun> = {}): TestRun {
  const hasFailed = Object.values(results).includes("fail");
  const found = new Map(Object.entries(results));
  return { results: found, exit: hasFailed ? 1 : 0, kind: "tap", contradictions: [], problems: [], ...more };
}

const BASE = run({ a: "pass", b: "pass", c: "pass" });
const FIRST = run({ a: "fail", b: "fail", c: "pass" });
const VERDICT = compareTests(BASE, FIRST, new Map(), 0);

describe("nextReruns", () => {
  it("asks for one more run while there are tests that only failed, up to the count", () => {
    const second = run({ a: "pass", b: "fail", c: "pass" });
    expect(nextReruns(VERDICT, [FIRST], 2)).toEqual(["a", "b"]);
    expect(nextReruns(VERDICT, [FIRST, second], 2)).toEqual(["b"]);
    expect(nextReruns(VERDICT, [FIRST, second, second], 2)).toEqual([]);
    expect(nextReruns(VERDICT, [FIRST, second, run({ a: "pass", b: "pass", c: "pass" })], 3)).toEqual([]);
    expect(nextReruns(VERDICT, [FIRST], 0)).toEqual([]);
  });

  it("asks for none when something else blocks, or too much failed", () => {
    const vanished = run({ a: "fail", b: "pass" });
    const broken = run({ a: "fail", b: "pass", c: "pass" }, { problems: ["cut off"] });
    const many = run(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`t${index}`, "fail"])));
    for (const candidate of [vanished, broken, many]) {
      const base = candidate === many ? run({}) : BASE;
      expect(nextReruns(compareTests(base, candidate, new Map(), 0), [candidate], 3)).toEqual([]);
    }
  });
});

describe("settleFlaky", () => {
  it("labels only what passed and failed on the same tree", () => {
    const again = run({ a: "pass", b: "fail", c: "fail" });
    expect(settleFlaky(VERDICT.newFailures, [FIRST, again], 900)).toEqual(new Map([["a", 900]]));
  });

  it("does not count a run that cannot be trusted", () => {
    const cut = run({ a: "pass", b: "pass", c: "pass" }, { problems: ["cut off"] });
    const killed = run({ a: "pass", b: "pass", c: "pass" }, { exit: null });
    expect(settleFlaky(["a", "b"], [FIRST, cut, killed], 900)).toEqual(new Map());
  });

  it("turns a flaky test into a pass with a label, and a broken one never", () => {
    const again = run({ a: "pass", b: "fail", c: "pass" });
    const labels = settleFlaky(VERDICT.newFailures, [FIRST, again, again], 900);
    const settled = compareTests(BASE, FIRST, labels, 0);
    expect([settled.outcome, settled.newFailures, settled.flaky]).toEqual(["fail", ["b"], ["a"]]);
  });
});
