import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NEVER, planBench, planOf } from "../../../test/support/plans/plan-bench.ts";
import { assertAsyncProperty } from "../../../test/support/property.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { REASONS } from "../../run/reasons.ts";
import type { ToolContext, ToolResult } from "../tools/tool.ts";
import { executePlan } from "./execute-plan.ts";
import { PLAN_STOPS } from "./stops.ts";

const fails = (): ToolResult => ({ ok: false, error: "no luck" });
const echo = (input: JsonObject): ToolResult => ({ ok: true, output: input });
/** Ends when it is told to. */
const hangs = (_: JsonObject, { signal }: ToolContext): Promise<ToolResult> =>
  new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve({ ok: false, error: "ended" }), { once: true }),
  );
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("executing a plan", () => {
  test("P4: every record has the ids, and results are given as a copy", async () => {
    const { context, host, records } = planBench();
    const report = await executePlan(planOf({ arguments: { a: 1 } }), context, host, NEVER);
    const ids = { request_id: "req-1", assistant_id: "helper", session_id: "s-1", tenant_id: "acme", user_id: "ada" };
    for (const record of records) expect(record).toMatchObject(ids);
    expect(() => Object.assign(context.ids, { user: "eve" })).toThrow(TypeError);
    const results = context.results();
    results.push(...results);
    Object.assign(results[0] as object, { status: "failed" });
    expect(context.results()).toEqual(report.results);
    expect(report.results).toMatchObject([{ step: "step-1", status: "success", output: { a: 1 } }]);
  });

  test("P4: a deadline of its caller ends it before its own time", async () => {
    const { context, host, clock } = planBench({ tools: { echo: hangs }, deadlineMs: 1000 });
    const running = executePlan(planOf({}), context, host, NEVER);
    await settled();
    const before = clock.now();
    clock.advance();
    expect(await running).toMatchObject({ stop: "max_runtime", status: "timeout" });
    expect(clock.now() - before).toBe(1000);
  });

  test("P5: three steps are five records in order, with real milliseconds", async () => {
    const { context, host, records, clock } = planBench({
      tools: {
        echo: async (input) => {
          clock.after(Number(input["ms"]), () => undefined);
          clock.advance();
          return { ok: true, output: input };
        },
      },
    });
    const steps = [40, 0, 7].map((ms) => ({ arguments: { ms } }));
    // The time of the plan is the last thing that the clock waits for.
    await executePlan({ ...planOf(...steps), id: "p", reasoning: "why" }, context, host, NEVER);
    expect(records.map(({ kind }) => kind)).toEqual(["plan_start", "step", "step", "step", "plan_end"]);
    expect(records.map((record) => ("duration_ms" in record ? record.duration_ms : null))).toEqual([
      null,
      40,
      0,
      7,
      47,
    ]);
    expect(records[1]).toEqual({
      ...{
        kind: "step",
        request_id: "req-1",
        assistant_id: "helper",
        session_id: "s-1",
        tenant_id: "acme",
        user_id: "ada",
      },
      ...{ plan_id: "p", parent_id: null, step_id: "step-1", step_name: "echo", step_type: "tool" },
      ...{ status: "success", output: { ms: 40 }, duration_ms: 40, timestamp: context.startedAt + 40 },
    });
  });

  test("P5: what cannot be written down does not happen", async () => {
    const { context, host, called } = planBench({
      host: { log: { append: () => Promise.reject(new Error("the disk is full")) } },
    });
    await expect(executePlan(planOf({}), context, host, NEVER)).rejects.toThrow("the disk is full");
    expect(called).toEqual([]);
  });

  test("P2: arguments are resolved in a copy, typed, and never read again", async () => {
    const { context, host, called } = planBench();
    const source = planOf(
      { step_id: "first", arguments: { n: 5, list: [1, 2], text: "{{hidden}}".replace("{{", "\\{{") } },
      {
        arguments: {
          whole: "{{first}}",
          n: "{{first.n}}",
          in: "n={{first.n}} l={{first.list}}",
          deep: [{ at: "{{first.list.1}}" }],
          sly: "{{first.text}}",
        },
      },
    );
    const before = JSON.stringify(source);
    expect((await executePlan(source, context, host, NEVER)).stop).toBe("goal_achieved");
    expect(called[1]?.input).toEqual({
      whole: { n: 5, list: [1, 2], text: "{{hidden}}" },
      n: 5,
      in: "n=5 l=[1,2]",
      deep: [{ at: 2 }],
      sly: "{{hidden}}",
    });
    expect(JSON.stringify(source)).toBe(before);
  });

  test("K18: a reference that stands for nothing fails the step before the tool is called", async () => {
    const { context, host, called } = planBench();
    for (const ref of ["step-1.none", "step-1.a.b", "step-1.list.7", "step-1.list.x", "step-1.constructor"]) {
      const source = planOf({ arguments: { a: 1, list: [1] } }, { arguments: { x: `{{${ref}}}` } });
      const report = await executePlan(source, planBench().context, host, NEVER);
      expect(report).toMatchObject({ stop: "fail_fast", error: { code: "EXECUTION_REFERENCE_EMPTY" } });
    }
    expect(called.every(({ input }) => input["x"] === undefined)).toBe(true);
    expect(context.results()).toEqual([]);
  });

  test("P6: success, failed, timeout, canceled and rejected", async () => {
    const stops = async (tool: typeof echo | typeof hangs, abort: boolean, options = {}): Promise<unknown> => {
      const bench = planBench({ tools: { echo: tool }, ...options });
      const control = new AbortController();
      const running = executePlan(planOf({}), bench.context, bench.host, control.signal);
      await settled();
      if (abort) control.abort();
      else bench.clock.advance();
      const { status, results } = await running;
      return [status, results.map((result) => result.status)];
    };
    expect(await stops(echo, false)).toEqual(["success", ["success"]]);
    expect(await stops(fails, false)).toEqual(["failed", ["failed"]]);
    expect(await stops(hangs, false)).toEqual(["timeout", ["canceled"]]);
    expect(await stops(hangs, true)).toEqual(["canceled", ["canceled"]]);
    expect(await stops(echo, false, { deny: [{ tool: "echo" }] })).toEqual(["rejected", ["rejected"]]);
  });

  test("P6: a step that is late has timed out, and the plan has failed", async () => {
    const { context, host, clock } = planBench({ tools: { echo: hangs } });
    const running = executePlan(planOf({ timeout_ms: 50 }), context, host, NEVER);
    await settled();
    clock.advance();
    expect(await running).toMatchObject({ stop: "fail_fast", status: "failed", results: [{ status: "timeout" }] });
  });

  test("P1: an invalid plan is not run at all", async () => {
    const { context, host, called, records } = planBench();
    const report = await executePlan(planOf({}, { name: "none" }), context, host, NEVER);
    expect(report).toMatchObject({
      ...{ stop: "invalid_plan", reason: "invalid_plan", status: "rejected", calls: 0, plans: [] },
      error: { code: "EXECUTION_PLAN_INVALID", message: expect.stringContaining("runtime: invalid plan") },
    });
    expect([called, records]).toEqual([[], []]);
  });

  test("P3: the sixteenth call stops it, and no limit can be raised", async () => {
    const fifteen = planBench({
      host: { limits: { calls: 99, steps: 99 }, replan: async () => ({ ...planOf(...ten), id: `p${++made}` }) },
      tools: { echo: (input) => (input["last"] === true ? fails() : echo(input)) },
    });
    let made = 0;
    const ten = Array.from({ length: 10 }, (_, index) => ({ step_id: `s${index}-`, arguments: {} }));
    const first = planOf(
      ...ten
        .map((step) => ({ ...step, step_id: `a${step.step_id}` }))
        .with(9, { step_id: "last", arguments: { last: true } }),
    );
    const report = await executePlan(first, fifteen.context, fifteen.host, NEVER);
    expect(report).toMatchObject({ stop: "max_tool_calls", reason: "max_calls", calls: 15 });
    expect(fifteen.called).toHaveLength(15);
    expect(report.results.at(-1)).toMatchObject({ status: "rejected" });
  });

  test("P10: a failed step is replanned at most twice, and each plan names the one before", async () => {
    const asked: unknown[] = [];
    const { context, host, records } = planBench({
      tools: { echo, bad: fails },
      host: {
        replan: async ({ trigger, failed, replan, results, plan }) => {
          asked.push([trigger, failed.step, replan, results.length, plan.id]);
          return {
            ...planOf({ name: "bad", step_id: `again-${replan}`, arguments: { was: "{{one}}" } }),
            id: `p${replan}`,
          };
        },
      },
    });
    const report = await executePlan(
      { ...planOf({ step_id: "one" }, { name: "bad", step_id: "two" }), id: "p0" },
      context,
      host,
      NEVER,
    );
    expect(report).toMatchObject({
      stop: "replan_failed",
      reason: "replan_failed",
      status: "failed",
      plans: ["p0", "p1", "p2"],
    });
    expect(asked).toEqual([
      ["tool_failure", "two", 1, 2, "p0"],
      ["tool_failure", "again-1", 2, 3, "p1"],
    ]);
    expect(
      records.filter(({ kind }) => kind === "plan_start").map(({ plan_id, parent_id }) => [plan_id, parent_id]),
    ).toEqual([
      ["p0", null],
      ["p1", "p0"],
      ["p2", "p1"],
    ]);
  });

  test("P10: bad output and a step that asks for it are reasons too, a denial is none", async () => {
    const triggers: string[] = [];
    const replan = async ({ trigger }: { trigger: string }): Promise<JsonValue> => {
      triggers.push(trigger);
      return planOf({ step_id: "better" });
    };
    const run = (source: JsonObject, options = {}): Promise<{ stop: string }> => {
      const bench = planBench({ host: { replan }, ...options });
      return executePlan(source, bench.context, bench.host, NEVER);
    };
    expect((await run(planOf({ arguments: { needs_replan: true } }))).stop).toBe("goal_achieved");
    expect((await run(planOf({ output_schema: { type: "string" } }))).stop).toBe("goal_achieved");
    expect((await run(planOf({}), { deny: [{ tool: "echo" }] })).stop).toBe("policy_denied");
    expect(triggers).toEqual(["needs_replan", "invalid_data"]);
  });

  test("P10: without anybody who replans, a step that asks for it is no success", async () => {
    const { context, host } = planBench();
    const report = await executePlan(planOf({ arguments: { needs_replan: true } }), context, host, NEVER);
    expect(report).toMatchObject({
      stop: "fail_fast",
      status: "failed",
      results: [{ status: "failed", error: { code: "NEEDS_REPLAN" } }],
    });
  });

  test("P10: a replan cannot do more than its parent, and one that breaks or hangs ends the plan", async () => {
    const run = (replan: () => Promise<JsonValue | null>) => {
      const bench = planBench({ tools: { echo: fails }, host: { replan } });
      return { bench, running: executePlan(planOf({}), bench.context, bench.host, NEVER) };
    };
    expect(await run(async () => planOf({ name: "format_disk" })).running).toMatchObject({ stop: "invalid_plan" });
    expect(await run(async () => null).running).toMatchObject({ stop: "fail_fast" });
    expect(await run(() => Promise.reject(new Error("no model"))).running).toMatchObject({
      ...{ stop: "replan_failed", error: { code: "REPLAN_FAILED", message: "no model" } },
    });
    const { bench, running } = run(() => new Promise(() => undefined));
    await settled();
    await settled();
    bench.clock.advance();
    expect(await running).toMatchObject({ stop: "max_runtime" });
  });

  test("P13: a group runs side by side, at most three at once, with results in the order of its steps", async () => {
    let now = 0;
    let most = 0;
    const { context, host, records } = planBench({
      tools: {
        echo: async (input) => {
          now += 1;
          most = Math.max(most, now);
          for (let turn = 0; turn < Number(input["slow"]); turn += 1) await settled();
          now -= 1;
          return { ok: true, output: input };
        },
      },
    });
    const group = { parallelizable: true, parallel_group: "g" };
    const steps = [9, 1, 5, 1, 1].map((slow) => ({ ...group, arguments: { slow } }));
    const report = await executePlan(planOf(...steps, { arguments: { slow: 0 } }), context, host, NEVER);
    expect(most).toBe(3);
    expect(report.results.map(({ step }) => step)).toEqual([
      "step-1",
      "step-2",
      "step-3",
      "step-4",
      "step-5",
      "step-6",
    ]);
    expect(records.flatMap((record) => (record.kind === "step" ? [record.step_id] : []))).toHaveLength(6);
  });

  test("P13: one that fails in a group ends the plan after the others have ended", async () => {
    const { context, host, called } = planBench({ tools: { echo, bad: fails } });
    const group = { parallelizable: true, parallel_group: "g" };
    const report = await executePlan(planOf({ ...group, name: "bad" }, group, {}), context, host, NEVER);
    expect(report.results.map(({ status }) => status)).toEqual(["failed", "success"]);
    expect(called).toHaveLength(2);
  });

  test("P14: output that does not fit its schema fails the step as invalid data, before the next one", async () => {
    const { context, host, called } = planBench();
    const output_schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
    const report = await executePlan(planOf({ arguments: { a: "x" }, output_schema }, {}), context, host, NEVER);
    expect(report).toMatchObject({
      stop: "fail_fast",
      error: { code: "INVALID_DATA" },
      results: [{ status: "failed", output: null }],
    });
    expect(called).toHaveLength(1);
  });

  test("P12: a hook can deny a step or a tool, and one that throws has denied", async () => {
    const denied = async (hooks: object): Promise<unknown> => {
      const { context, host, called } = planBench({ hooks });
      const { stop, reason, status } = await executePlan(planOf({}), context, host, NEVER);
      return [stop, reason, status, called.length];
    };
    const no = ["hook_denied", "hook_denied", "rejected", 0];
    expect(await denied({ preStep: () => ({ deny: "not today" }) })).toEqual(no);
    expect(await denied({ preTool: () => ({ deny: "not this" }) })).toEqual(no);
    expect(await denied({ preStep: () => Promise.reject(new Error("broken")) })).toEqual(no);
    expect(await denied({ preTool: () => Promise.reject(new Error("broken")) })).toEqual(no);
    const told = {
      postTool: () => Promise.reject(new Error("x")),
      postStep: () => Promise.reject(new Error("x")),
      onStop: () => Promise.reject(new Error("x")),
    };
    expect(await denied(told)).toEqual(["goal_achieved", "goal_achieved", "success", 1]);
  });

  test("P12: hooks are told of every step and tool, and of the end on every path", async () => {
    const run = async (source: JsonValue, options = {}): Promise<readonly string[]> => {
      const seen: string[] = [];
      const hooks = {
        preStep: ({ turn }: { turn: number }) => void seen.push(`preStep ${turn}`),
        preTool: ({ tool }: { tool: string }) => void seen.push(`preTool ${tool}`),
        postTool: (_: object, { ok }: { ok: boolean }) => void seen.push(`postTool ${ok}`),
        postStep: ({ turn, calls }: { turn: number; calls: readonly object[] }) =>
          void seen.push(`postStep ${turn} ${calls.length}`),
        onStop: ({ status }: { status: string }) => void seen.push(`stop ${status}`),
      };
      const { context, host } = planBench({ hooks, ...options });
      await executePlan(source, context, host, NEVER);
      return seen;
    };
    expect(await run(planOf({}))).toEqual([
      "preStep 1",
      "preTool echo",
      "postTool true",
      "postStep 1 1",
      "stop completed",
    ]);
    expect(await run(planOf({}), { tools: { echo: fails } })).toEqual([
      "preStep 1",
      "preTool echo",
      "postTool false",
      "postStep 1 1",
      "stop failed",
    ]);
    expect(await run({})).toEqual(["stop failed"]);
    const denied = ["preStep 1", "postTool false", "postStep 1 1", "stop failed"];
    expect(await run(planOf({}), { deny: [{ tool: "echo" }] })).toEqual(denied);
    expect(await run(planOf({}), { host: { limits: { calls: 0 } } })).toEqual([
      "preStep 1",
      "postStep 1 1",
      "stop max_tool_calls",
    ]);
  });

  test("S10: policy sees how dangerous a step is taken for, beside how dangerous its tool is", async () => {
    const tiers: unknown[] = [];
    const decide = async ({ requests }: { requests: readonly { tier?: string }[] }) => {
      tiers.push(requests.map(({ tier }) => tier));
      return { answer: "defer", why: "a person decides" } as const;
    };
    const { context, host, called } = planBench({ door: { decide } });
    const report = await executePlan(planOf({ risk_level: "critical" }), context, host, NEVER);
    expect(report).toMatchObject({ stop: "approval_required", status: "rejected" });
    expect([tiers, called]).toEqual([[["medium", "critical"]], []]);
  });

  test("P16: success, its reason and the absence of failed steps mean the same", async () => {
    const step = fc.record({
      name: fc.constantFrom("echo", "bad", "none"),
      grouped: fc.boolean(),
      arguments: fc.constantFrom<JsonObject>({}, { needs_replan: true }, { x: "{{step-1.none}}" }, { a: 1 }),
      schema: fc.boolean(),
    });
    await assertAsyncProperty(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.boolean(), fc.nat(7), async (steps, denies, calls) => {
        const bench = planBench({
          tools: { echo, bad: fails },
          ...(denies
            ? {
                hooks: {
                  preTool: ({ input }: { input: JsonObject }) => (input["a"] === 1 ? { deny: "no" } : undefined),
                },
              }
            : {}),
          host: { limits: { calls }, replan: async () => null },
        });
        const source = planOf(
          ...steps.map(({ name, grouped, arguments: given, schema }) => ({
            ...{ name, arguments: given },
            ...(grouped ? { parallelizable: true, parallel_group: "g" } : {}),
            ...(schema ? { output_schema: { type: "object", required: ["a"] } } : {}),
          })),
        );
        const { stop, reason, status, results } = await executePlan(source, bench.context, bench.host, NEVER);
        const isWhole =
          results.length === steps.length &&
          results.length > 0 &&
          results.every((result) => result.status === "success");
        expect([status === "success", reason === "goal_achieved", REASONS[reason] === "succeeded"]).toEqual([
          isWhole,
          isWhole,
          isWhole,
        ]);
        expect(PLAN_STOPS[stop]).toBe(reason);
      }),
      { runs: 300 },
    );
  });
});
