import { describe, expect, test } from "vitest";
import { NEVER, planBench, planOf } from "../../../test/support/plans/plan-bench.ts";
import type { JsonObject } from "../../base/json.ts";
import { type Planner, runReasoning } from "./reasoning-loop.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const step = (turn: number, more: JsonObject = {}): JsonObject =>
  planOf({ step_id: `turn-${turn}`, arguments: { turn, ...more } });
const never = (): Promise<never> => new Promise(() => undefined);

describe("a reasoning loop", () => {
  test("P11: ends well when whoever plans says so after a plan that went well", async () => {
    const { context, host } = planBench();
    const views: unknown[] = [];
    const planner: Planner = async ({ turn, results, last }) => {
      views.push([turn, results.length, last?.stop ?? null]);
      return turn === 3 ? { done: true } : { plan: step(turn) };
    };
    expect(await runReasoning(planner, context, host, NEVER)).toMatchObject({
      ...{ stop: "goal_achieved", status: "success", calls: 2, output: { turn: 2 }, error: null },
    });
    expect(views).toEqual([
      [1, 0, null],
      [2, 1, "goal_achieved"],
      [3, 2, "goal_achieved"],
    ]);
  });

  test("P16: is no success when it is done after a plan that failed, or without any", async () => {
    const { context, host } = planBench({ tools: { echo: () => ({ ok: false, error: "no" }) } });
    const planner: Planner = async ({ turn }) => (turn === 2 ? { done: true } : { plan: step(turn) });
    const ended = { stop: "planner_stopped", reason: "unverified", status: "failed" };
    expect(await runReasoning(planner, context, host, NEVER)).toMatchObject(ended);
    const bench = planBench();
    expect(await runReasoning(async () => ({ done: true }), bench.context, bench.host, NEVER)).toMatchObject(ended);
  });

  test("P11: has five turns", async () => {
    const { context, host } = planBench();
    const report = await runReasoning(async ({ turn }) => ({ plan: step(turn) }), context, host, NEVER);
    expect(report).toMatchObject({ stop: "max_turns", reason: "max_turns", status: "failed", calls: 5 });
  });

  test("P11: has ten calls", async () => {
    const { context, host, called } = planBench();
    const planner: Planner = async ({ turn }) => ({
      plan: planOf(...Array.from({ length: 4 }, (_, at) => ({ step_id: `s-${turn}-${at}`, arguments: { turn } }))),
    });
    const report = await runReasoning(planner, context, host, NEVER);
    expect([report.stop, report.calls, called.length]).toEqual(["max_tool_calls", 10, 10]);
  });

  test("P11: has three minutes for a turn", async () => {
    const { context, host, clock } = planBench();
    const from = clock.now();
    const running = runReasoning(never, context, host, NEVER);
    await settled();
    clock.advance();
    expect(await running).toMatchObject({ stop: "max_runtime", status: "timeout" });
    expect(clock.now() - from).toBe(180_000);
  });

  test("P3: has ten minutes in all", async () => {
    const { context, host, clock } = planBench();
    const from = clock.now();
    const planner: Planner = async ({ turn }) => {
      clock.after(150_000, () => undefined);
      clock.advance();
      return { plan: step(turn) };
    };
    const report = await runReasoning(planner, context, host, NEVER);
    expect([report.stop, clock.now() - from]).toEqual(["max_session_runtime", 600_000]);
  });

  test("P11: stops at the same plan again; the same tool with other arguments is another one", async () => {
    const { context, host } = planBench();
    const planner: Planner = async ({ turn }) => ({
      plan: { ...planOf({ step_id: `t-${turn}`, arguments: { n: Math.min(turn, 3) } }), reasoning: `turn ${turn}` },
    });
    const report = await runReasoning(planner, context, host, NEVER);
    expect(report).toMatchObject({ stop: "repeat_plan", reason: "stagnation", status: "failed", calls: 3 });
  });

  test("P11: may try something else after a failure, not after a denial", async () => {
    const { context, host } = planBench({
      tools: { echo: ({ turn }) => (turn === 1 ? { ok: false, error: "no" } : { ok: true, output: 1 }) },
    });
    const planner: Planner = async ({ turn }) => (turn === 3 ? { done: true } : { plan: step(turn) });
    expect((await runReasoning(planner, context, host, NEVER)).stop).toBe("goal_achieved");
    const denied = planBench({ deny: [{ tool: "*" }] });
    expect(await runReasoning(planner, denied.context, denied.host, NEVER)).toMatchObject({
      stop: "policy_denied",
      calls: 1,
    });
  });

  test("P11: ends when whoever plans breaks, says nothing, or its caller cancels", async () => {
    const end = async (planner: Planner, signal = NEVER): Promise<string> => {
      const { context, host } = planBench();
      return (await runReasoning(planner, context, host, signal)).stop;
    };
    expect(await end(() => Promise.reject(new Error("no model")))).toBe("error");
    expect(await end(async () => ({}) as { done: true })).toBe("error");
    expect(await end(never, AbortSignal.abort())).toBe("context_canceled");
  });

  test("P12: tells the hooks of its end once, and of every step on its way", async () => {
    const seen: string[] = [];
    const hooks = {
      preTool: () => void seen.push("tool"),
      onStop: ({ status }: { status: string }) => void seen.push(`stop ${status}`),
    };
    const { context, host } = planBench({ hooks });
    const planner: Planner = async ({ turn }) => (turn === 3 ? { done: true } : { plan: step(turn) });
    await runReasoning(planner, context, host, NEVER);
    expect(seen).toEqual(["tool", "tool", "stop completed"]);
  });
});
