import { describe, expect, it } from "vitest";
import { demandOf, type TestDemand } from "./demand.ts";
import type { TestVerdict } from "./ratchet.ts";

const PASS: TestVerdict = {
  outcome: "pass",
  by: "tests",
  reason: "fine",
  counts: { passed: 1, failed: 0, skipped: 0, base: 1 },
  ...{ fixed: [], oldFailures: [], newFailures: [], vanished: [], added: [], flaky: [], problems: [] },
};

describe("demandOf", () => {
  it.each<[TestDemand, Partial<TestVerdict>, string, string]>([
    ["no_regress", { oldFailures: ["a"] }, "pass", "fine"],
    ["improve", { fixed: ["a"], oldFailures: ["b"] }, "pass", "fine"],
    ["improve", { oldFailures: ["b"] }, "fail", "no test was fixed"],
    ["all_pass", { fixed: ["a"] }, "pass", "fine"],
    ["all_pass", { fixed: ["a"], oldFailures: ["b", "c"] }, "fail", "2 tests fail still, such as b"],
    ["all_pass", { outcome: "fail", reason: "worse", oldFailures: ["b"] }, "fail", "worse"],
    ["improve", { by: "exit code" }, "pass", "fine"],
  ])("%s of %j is %s", (demand, found, outcome, reason) => {
    expect(demandOf({ ...PASS, ...found }, demand)).toMatchObject({ outcome, reason });
  });
});
