import { expect, it } from "vitest";
import { canonical } from "../base/json.ts";
import { compareTests } from "./ratchet.ts";
import type { TestRun } from "./test-results.ts";
import { LONGEST_VERDICT, verdictJson } from "./verdict-json.ts";

function run(ids: readonly string[], outcome: "pass" | "fail"): TestRun {
  const results = new Map(ids.map((id) => [id, outcome]));
  return { results, exit: outcome === "fail" ? 1 : 0, kind: "tap", contradictions: [], problems: [] };
}

it("stores a small verdict whole", () => {
  expect(verdictJson(compareTests(run(["a"], "fail"), run(["a", "b"], "pass"), new Map(), 0))).toEqual({
    outcome: "pass",
    by: "tests",
    reason: "2 passed, 1 fixed",
    counts: {
      passed: 2,
      failed: 0,
      skipped: 0,
      base: 1,
      newFailures: 0,
      vanished: 0,
      oldFailures: 0,
      flaky: 0,
      fixed: 1,
      added: 1,
      problems: 0,
    },
    newFailures: [],
    vanished: [],
    oldFailures: [],
    flaky: [],
    fixed: ["a"],
    added: ["b"],
    problems: [],
    leftOut: {},
  });
});

it("fits into its bound whatever the tests are called, and says what is missing", () => {
  for (const sign of ["x", "€", "\u0001", "\ud800", "😀"]) {
    const ids = Array.from({ length: 3000 }, (_, index) => `${index} ${sign.repeat(900)}`);
    const base = run([...ids.slice(0, 1000), ...ids.slice(2000)], "fail");
    const json = verdictJson(compareTests(base, run(ids.slice(0, 2000), "fail"), new Map(), 0));
    const listed = json["newFailures"] as readonly string[];
    expect(new TextEncoder().encode(canonical(json)).length).toBeLessThanOrEqual(LONGEST_VERDICT);
    expect(json).toMatchObject({
      counts: { newFailures: 1000, oldFailures: 1000, vanished: 1000 },
      leftOut: { newFailures: 1000 - listed.length },
    });
    expect(listed.length).toBeGreaterThan(3);
  }
});
