import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script } from "../../test/support/run-plan.ts";
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

describe("failed rounds", () => {
  const yaml = (failures: number) => `limits: { rounds: 10, consecutive_failures: ${failures} }
stages:
  - { id: fix, command: [ok, fix] }
  - { id: verify, gate: { command: [ok, verify] }, on: { fail: fix } }
`;
  const work: Script["work"] = ({ key, stage }, files) => {
    if (stage === "fix") files.set("a", key);
  };

  it("in a row end the run at the limit, although the maker ends well in each", async () => {
    const host = createTestHost(planFrom(yaml(3)), {
      work,
      endings: ({ stage }) => (stage === "verify" ? { cause: "exit", exit: 1, error: "wrong" } : {}),
    });
    expect(await host.start()).toMatchObject({
      state: {
        status: "blocked",
        reason: "consecutive_failures",
        detail: "3 failed rounds in a row",
        facts: { round: 3, failedRounds: 3 },
      },
    });
  });

  it("are counted again after a round in which everything ended well", async () => {
    const host = createTestHost(
      planFrom(`limits: { rounds: 8, consecutive_failures: 2 }
stages:
  - { id: fix, command: [ok, fix], on_failure: fix, on_success: fix }
`),
      { work, endings: ({ key }) => (Number(key.split(":").at(-1)) % 2 === 0 ? { cause: "exit", exit: 1 } : {}) },
    );
    expect(await host.start()).toMatchObject({ state: { reason: "max_rounds", facts: { round: 8, failedRounds: 1 } } });
  });
});
