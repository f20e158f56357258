import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import type { RunId } from "../base/ids.ts";
import { NO_USAGE } from "../base/usage.ts";
import { beginState } from "./evolve.ts";
import { reachedLimit, startLimit, wallDeadline } from "./limits.ts";

const PLAN = planFrom(
  "limits: { wall: 10s, consecutive_failures: 2, tokens: 30 }\nstages:\n  - { id: a, command: [ok] }\n",
);
const created = {
  type: "run.created",
  at: 1000,
  run: "r_1" as RunId,
  blueprint: "test",
  plan: "p",
  params: {},
} as const;

describe("limits", () => {
  it("end the run at the deadline and not before", () => {
    const { facts } = beginState(created);
    expect(wallDeadline(PLAN, facts)).toBe(11_000);
    expect(reachedLimit(PLAN, facts, 10_999)).toBeNull();
    expect(reachedLimit(PLAN, facts, 11_000)).toMatchObject({ reason: "max_runtime" });
  });

  it("end the run at the last failure in a row that is allowed", () => {
    const { facts } = beginState(created);
    facts.consecutiveFailures = 1;
    expect(reachedLimit(PLAN, facts, 0)).toBeNull();
    facts.consecutiveFailures = 2;
    expect(reachedLimit(PLAN, facts, 0)).toMatchObject({ reason: "consecutive_failures" });
  });

  it("count what is spent, what is reserved and what is asked for", () => {
    const { facts } = beginState(created);
    facts.usage = { tokens: 10, microUsd: 0 };
    const ten = { tokens: 10, microUsd: 0 };
    expect(startLimit(PLAN, facts, ten, ten)).toBeNull();
    expect(startLimit(PLAN, facts, { tokens: 11, microUsd: 0 }, ten)).toMatchObject({ reason: "budget_exhausted" });
    expect(startLimit(PLAN, facts, NO_USAGE, { tokens: 21, microUsd: 0 })).toMatchObject({
      reason: "budget_exhausted",
    });
  });
});
