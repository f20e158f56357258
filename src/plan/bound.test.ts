import { describe, expect, test } from "vitest";
import {
  action,
  blueprint,
  codesOf,
  command,
  gate,
  group,
  planOf,
  problemsOf,
  ref,
  run,
  signature,
} from "../../test/support/blueprint-builder.ts";
import type { Blueprint, LimitsSpec, StageSpec } from "../blueprint/blueprint.ts";
import { ENDING_MS } from "./bound.ts";

const NO_WAIT = { firstMs: 0, factor: 1, maxMs: 0 };
const KNOWN = { actions: [signature({ cost: { tokens: 100, microUsd: 7 } }), signature({ name: "free" })] };

function boundOf(stages: readonly StageSpec[], limits: LimitsSpec = {}, children: readonly Blueprint[] = []) {
  return planOf(blueprint(stages, { limits, defaults: { timeoutMs: 10 } }), KNOWN, children).bound;
}

/** Takes its time and costs nothing. */
function step(id: string, fields: Parameters<typeof action>[1] = {}) {
  return action(id, { action: "free", ...fields });
}

function stagesAndWall(...given: Parameters<typeof boundOf>) {
  const { stages, wallMs } = boundOf(...given);
  return [stages, wallMs];
}

describe("the worst case without a cycle", () => {
  test("is the heaviest way through", () => {
    const stages = [
      step("a", { on: { success: "b", failure: "c" } }),
      step("b", { timeoutMs: 100, on: { success: "done" } }),
      step("c"),
      step("d"),
    ];
    expect(stagesAndWall(stages)).toEqual([3, 110]);
  });

  test("counts what every attempt may spend on models", () => {
    const models = { tokens: 1000, microUsd: 70, calls: 5, providers: null };
    const stage = { ...command("a", { maxAttempts: 3 }), models };
    expect(boundOf([stage])).toMatchObject({ tokens: 3000, microUsd: 210 });
    expect(boundOf([stage], { tokens: 2500 })).toMatchObject({ tokens: 2500, microUsd: 210 });
  });

  test("counts every attempt and every wait between attempts", () => {
    const backoff = { firstMs: 3, factor: 2, maxMs: 10 };
    expect(stagesAndWall([step("a", { maxAttempts: 5, backoff })])).toEqual([5, 50 + 3 + 6 + 10 + 10]);
    expect(stagesAndWall([step("a", { maxAttempts: 1, backoff })])).toEqual([1, 10]);
    const broken = { firstMs: 1, factor: 1.5, maxMs: 10 };
    expect(stagesAndWall([step("a", { maxAttempts: 4, backoff: broken })])).toEqual([4, 40 + 1 + 2 + 3]);
  });

  test("stays a number for waits that grow beyond all numbers", () => {
    const backoff = { firstMs: 0, factor: 10, maxMs: 5 };
    expect(stagesAndWall([step("a", { maxAttempts: 1001, backoff })])).toEqual([1001, 10_010]);
    const slow = { firstMs: 1, factor: 1, maxMs: 7 };
    expect(stagesAndWall([step("a", { maxAttempts: 1003, backoff: slow })])).toEqual([1003, 10_030 + 1000 + 2 * 7]);
  });

  test("adds up what actions may spend", () => {
    expect(boundOf([action("a"), action("b", { maxAttempts: 3, backoff: NO_WAIT })])).toEqual({
      stages: 4,
      wallMs: 40,
      tokens: 400,
      microUsd: 28,
      spawns: 0,
      turns: 0,
    });
  });

  test("goes on after a pause", () => {
    expect(stagesAndWall([step("a", { on: { success: "paused" } }), step("b")])).toEqual([2, 20]);
  });
});

describe("the worst case of a group", () => {
  const three = [step("x", { timeoutMs: 10 }), step("y", { timeoutMs: 20 }), step("z", { timeoutMs: 30 })];

  test("is that of the slowest member when all fit side by side", () => {
    expect(stagesAndWall([group("g", three, { maxParallel: 3 })])).toEqual([3, 30]);
  });

  test("lets members queue for a place", () => {
    expect(stagesAndWall([group("g", three, { maxParallel: 1 })])).toEqual([3, 60]);
    expect(stagesAndWall([group("g", three, { maxParallel: 2 })])).toEqual([3, 15 + 30]);
  });

  test("multiplies the member of a fan-out by its items", () => {
    const each = { forEach: ref("params.list"), maxItems: 5 };
    expect(stagesAndWall([group("g", [step("m")], { ...each, maxParallel: 5 })])).toEqual([5, 10]);
    expect(stagesAndWall([group("g", [step("m")], { ...each, maxParallel: 1 })])).toEqual([5, 50]);
    expect(stagesAndWall([group("g", [step("m")], { ...each, maxParallel: 2 })])).toEqual([5, 20 + 10]);
  });

  test("holds when a retry takes the place of a member that has not begun", () => {
    const member = step("m", { timeoutMs: 1000, maxAttempts: 2, backoff: { firstMs: 1, factor: 1, maxMs: 1 } });
    const [, wallMs] = stagesAndWall([
      group("g", [member], { forEach: ref("params.list"), maxItems: 4, maxParallel: 2 }),
    ]);
    // Two places. First attempts of 0 and 1 end at 1000 and 999; 2 begins at 999, 1 again at 1000, 0 again at 1999,
    // 2 again at 2000: 3 begins only at 2999 and ends its second attempt at 5000, later than two full turns of each place.
    expect(wallMs).toBeGreaterThanOrEqual(5000);
    expect(wallMs).toBe(3000 + 2001);
  });

  test("of nothing still counts as one start", () => {
    expect(stagesAndWall([group("g", [])])).toEqual([1, 0]);
  });
});

describe("the worst case with child runs", () => {
  const kid = blueprint([action("k"), step("l")], { name: "kid", defaults: { timeoutMs: 40 } });

  test("counts the run stage and everything in the child, for each attempt", () => {
    expect(boundOf([run("r", "kid", { maxAttempts: 2, backoff: NO_WAIT })], {}, [kid])).toEqual({
      stages: 6,
      wallMs: 160,
      tokens: 200,
      microUsd: 14,
      spawns: 2,
      turns: 0,
    });
  });

  test("counts child runs with those that they start, within limits.spawns", () => {
    const parent = blueprint([run("k", "kid"), run("l", "kid")], { name: "parent" });
    const stages = [run("p", "parent", { maxAttempts: 2, backoff: NO_WAIT }), group("g", [run("m", "kid")])];
    expect(boundOf(stages, {}, [kid, parent]).spawns).toBe(2 * 3 + 1);
    expect(boundOf(stages, { spawns: 4 }, [kid, parent]).spawns).toBe(4);
  });

  test("counts nothing of a child run that is too deep to begin", () => {
    const parent = blueprint([step("a"), run("k", "kid")], { name: "parent" });
    const wide = boundOf([run("p", "parent")], {}, [kid, parent]);
    expect(wide).toEqual({ stages: 5, wallMs: 600_000 + 80, tokens: 100, microUsd: 7, spawns: 2, turns: 0 });
    const flat = boundOf([run("p", "parent")], { depth: 1 }, [kid, parent]);
    expect(flat).toEqual({ stages: 2, wallMs: 600_000, tokens: 0, microUsd: 0, spawns: 1, turns: 0 });
  });

  test("ends a child at the timeout of its stage", () => {
    const slow = blueprint([step("k", { timeoutMs: 9999 })], { name: "kid" });
    expect(stagesAndWall([run("r", "kid", { timeoutMs: 15 })], {}, [slow])).toEqual([2, 15 + ENDING_MS]);
    expect(stagesAndWall([run("r", "kid", { timeoutMs: 9999 })], {}, [kid])).toEqual([3, 80]);
  });

  test("knows that a limit on starts does not reach into the child", () => {
    expect(stagesAndWall([run("r", "kid"), step("a"), step("b")], { stages: 2 }, [kid])).toEqual([5, 100]);
    expect(stagesAndWall([run("r", "kid"), step("a"), step("b")], { stages: 1 }, [kid])).toEqual([3, 80]);
  });
});

describe("the worst case with a cycle", () => {
  const cycle = (caps: { a?: number; b?: number }) => [
    step("before"),
    step("a", caps.a === undefined ? {} : { maxVisits: caps.a }),
    step("b", { ...(caps.b === undefined ? {} : { maxVisits: caps.b }), on: { failure: "a" } }),
    step("after"),
  ];

  test("visits each stage of it once a round", () => {
    expect(stagesAndWall(cycle({}), { rounds: 3 })).toEqual([1 + 6 + 1, 80]);
    expect(stagesAndWall(cycle({}), { rounds: 1 })).toEqual([4, 40]);
  });

  test("takes the cap of a stage, and one visit more for the others", () => {
    expect(stagesAndWall(cycle({ b: 3 }))).toEqual([1 + 4 + 3 + 1, 90]);
    expect(stagesAndWall(cycle({ a: 2, b: 3 }))).toEqual([1 + 2 + 3 + 1, 70]);
    expect(stagesAndWall(cycle({ a: 9 }), { rounds: 2 })).toEqual([6, 60]);
  });

  test("needs a cap on every way round", () => {
    const two = (caps: { readonly maxVisits?: number }) => [
      step("a", { on: { failure: "c" } }),
      step("b", { ...caps, on: { success: "a" } }),
      step("c", { maxVisits: 2, on: { success: "a", failure: "a" } }),
    ];
    expect(problemsOf(blueprint(two({})), KNOWN).map(({ code, what, where }) => [code, what, where?.line])).toEqual([
      ["PLAN_CYCLE_UNBOUNDED", "Nothing ends the cycle a -> b -> a.", 2],
    ]);
    expect(stagesAndWall(two({ maxVisits: 4 }))).toEqual([7 + 4 + 2, 130]);
  });

  test("names each cycle that nothing ends", () => {
    const stages = [
      step("a", { on: { failure: "a" } }),
      step("b"),
      step("c"),
      step("d", { on: { failure: "b", success: "e" } }),
      step("e", { on: { failure: "paused" } }),
    ];
    expect(
      problemsOf(blueprint(stages), KNOWN)
        .map(({ data }) => data["cycle"])
        .sort(),
    ).toEqual(["a -> a", "b -> c -> d -> b", "e -> e"]);
    expect(
      codesOf(blueprint(stages, { limits: { wallMs: 5, tokens: 5, consecutiveFailures: 1 } }), KNOWN),
    ).toHaveLength(3);
  });

  test("is bounded by the starts of a run alone", () => {
    const backoff = { firstMs: 4, factor: 2, maxMs: 50 };
    const stages = [
      step("a", { on: { failure: "a" }, maxAttempts: 3, backoff }),
      action("b", { on: { failure: "a" } }),
    ];
    expect(boundOf(stages, { stages: 7 })).toEqual({
      stages: 7,
      wallMs: 7 * (10 + 8),
      tokens: 700,
      microUsd: 49,
      spawns: 0,
      turns: 0,
    });
  });

  test("holds for graphs as long as a file allows", () => {
    const length = 6_000;
    const stages = Array.from({ length }, (_, index) => step(`s${index}`, index % 2 ? { on: { failure: "s0" } } : {}));
    expect(stagesAndWall(stages, { rounds: 2 })).toEqual([2 * length, 20 * length]);
    expect(codesOf(blueprint(stages), KNOWN)).toEqual(["PLAN_CYCLE_UNBOUNDED"]);
  });
});

describe("a process", () => {
  test("has time to end after its time is up", () => {
    expect(stagesAndWall([command("a", { timeoutMs: 500 })])).toEqual([1, 500 + ENDING_MS]);
    expect(stagesAndWall([gate("a", { timeoutMs: 500, maxAttempts: 2, backoff: NO_WAIT })])).toEqual([
      2,
      2 * (500 + ENDING_MS),
    ]);
    const kid = blueprint([command("k", { timeoutMs: 5000 })], { name: "kid" });
    expect(stagesAndWall([run("r", "kid", { timeoutMs: 500 })], {}, [kid])).toEqual([2, 500 + ENDING_MS]);
    expect(stagesAndWall([run("r", "kid")], {}, [kid])).toEqual([2, 5000 + ENDING_MS]);
  });

  test("has it after the time of the run is up too", () => {
    const slow = command("m", { timeoutMs: 9000 });
    expect(stagesAndWall([slow], { wallMs: 100 })).toEqual([1, 100 + ENDING_MS]);
    expect(stagesAndWall([group("g", [slow])], { wallMs: 100 })).toEqual([1, 100 + ENDING_MS]);
  });
});

describe("limits of the run", () => {
  test("lower each measure of the worst case", () => {
    const limits = { stages: 3, wallMs: 15, tokens: 150, microUsd: 10 };
    expect(boundOf([action("a", { maxAttempts: 5, backoff: NO_WAIT })], limits)).toEqual({
      ...limits,
      spawns: 0,
      turns: 0,
    });
    expect(boundOf([action("a")], { stages: 9, wallMs: 99, tokens: 999, microUsd: 99 })).toEqual({
      stages: 1,
      wallMs: 10,
      tokens: 100,
      microUsd: 7,
      spawns: 0,
      turns: 0,
    });
  });
});

describe("numbers too large to be exact", () => {
  const huge = { forEach: ref("params.list"), maxItems: 2 ** 40, maxParallel: 1 };

  test("are no worst case", () => {
    const stages = [group("g", [step("m", { maxAttempts: 2 ** 20 })], huge)];
    expect(problemsOf(blueprint(stages), KNOWN).map(({ code, what }) => [code, what])).toEqual([
      ["PLAN_BOUND_TOO_LARGE", 'The worst case of blueprint "demo" has no usable number of stages.'],
      ["PLAN_BOUND_TOO_LARGE", 'The worst case of blueprint "demo" has no usable number of milliseconds.'],
    ]);
    const costly = [action("a", { maxVisits: 2, on: { failure: "a" } })];
    const actions = [signature({ cost: { tokens: 2 ** 53 - 1, microUsd: 2 ** 53 - 1 } })];
    expect(problemsOf(blueprint(costly), { actions }).map(({ data }) => data["measure"])).toEqual([
      "tokens",
      "micro-dollars",
    ]);
    expect(planOf(blueprint([action("a")]), { actions }).bound.tokens).toBe(Number.MAX_SAFE_INTEGER);
  });

  test("are rescued by limits", () => {
    const slow = step("m", { timeoutMs: 2 ** 52, maxAttempts: 4 });
    expect(stagesAndWall([group("g", [slow], huge)], { stages: 5, wallMs: 100 })).toEqual([5, 100]);
    expect(stagesAndWall([group("g", [slow], { maxParallel: 2 })], { wallMs: 100 })).toEqual([4, 100]);
  });
});
