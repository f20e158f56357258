import { describe, expect, it } from "vitest";
import { isRight, type PlantEnd, scoreOf, type Tried, verdictOf } from "./score.ts";

const end = (fields: Partial<PlantEnd>): PlantEnd => ({
  status: "succeeded",
  reason: null,
  gate: null,
  holds: true,
  ...fields,
});

describe("a verdict", () => {
  it("is what became of the plant", () => {
    expect(
      [
        end({}),
        end({ holds: false }),
        end({ status: "failed", reason: "stage_failed" }),
        end({ status: "blocked", reason: "escalated" }),
        end({ status: "waiting", reason: "awaiting_approval" }),
      ].map(verdictOf),
    ).toEqual(["accepted", "undone", "rejected", "asked", "asked"]);
  });

  it("is right when what is bad does not get through and what is harmless does", () => {
    const verdicts = ["rejected", "asked", "undone", "accepted"] as const;
    expect(verdicts.map((verdict) => isRight({ expect: "reject" }, verdict))).toEqual([true, true, true, false]);
    expect(verdicts.map((verdict) => isRight({ expect: "accept" }, verdict))).toEqual([false, false, false, true]);
  });

  it("counts", () => {
    const tried = (expected: "reject" | "accept", right: boolean): Tried => ({
      plant: { id: "x", kind: "exit_zero", expect: expected, why: "" },
      ...{ verdict: "accepted", gate: null, ms: 1, run: "r_1", isRight: right },
    });
    const all = [tried("reject", true), tried("reject", false), tried("reject", true), tried("accept", false)];
    expect(scoreOf(all)).toEqual({ planted: 3, caught: 2, harmless: 1, passed: 0 });
  });
});
