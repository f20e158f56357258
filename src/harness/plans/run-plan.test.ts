import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { echo } from "../../../test/support/plans/plan-bench.ts";
import { createVirtualClock } from "../../../test/support/virtual-clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { compilePolicy } from "../../policy/compile.ts";
import { decide } from "../../policy/decide.ts";
import { decideCall } from "../../policy/decide-call.ts";
import type { AgentResult } from "../agent.ts";
import { createMemoryJournal } from "../journal/memory-journal.ts";
import type { AgentPolicy, Hooks } from "../ports.ts";
import { runAgent } from "../run-agent.ts";
import type { Tool, ToolResult, ToolRisk } from "../tools/tool.ts";
import { createPlanTool } from "./plan-tool.ts";
import { type RunPlanOptions, runPlan } from "./run-plan.ts";

const toolOf = (name: string, run: (input: JsonObject) => ToolResult = echo, risk: ToolRisk = "medium"): Tool => ({
  ...{ name, summary: name, input: { type: "object" }, risk, timeout: "fast", idempotent: false },
  requests: () => [],
  run: async (input) => run(input),
});
const planOf = (...names: readonly string[]): JsonObject => ({
  assistant_id: "a",
  steps: names.map((name) => ({ name, type: "tool", arguments: { name } })),
});
const ALL = { allow: [{ tool: "*" }] } as const;

describe("runPlan", () => {
  test("P1: runs a plan with nothing but tools, and only what is of low risk without rules", async () => {
    expect(await runPlan({ plan: planOf("look"), tools: [toolOf("look", echo, "low")] })).toMatchObject({
      ...{ stop: "goal_achieved", output: { name: "look" } },
    });
    expect(await runPlan({ plan: planOf("change"), tools: [toolOf("change")] })).toMatchObject({
      stop: "policy_denied",
    });
    await expect(runPlan({ tools: [] })).rejects.toMatchObject({ code: "EXECUTION_PLAN_INVALID" });
  });

  test("P11: runs whoever plans", async () => {
    const planner = async ({ turn }: { turn: number }) =>
      turn === 2 ? ({ done: true } as const) : { plan: planOf("look") };
    expect(await runPlan({ planner, tools: [toolOf("look", echo, "low")] })).toMatchObject({
      stop: "goal_achieved",
      calls: 1,
    });
  });

  test("S10: asks a person about what policy leaves to one; nobody there is no", async () => {
    const policy = { ask: [{ tool: "change" }] };
    const stopOf = async (answer?: "allow" | "deny" | "later"): Promise<string> => {
      const ports = answer === undefined ? {} : { approvals: { ask: async () => answer } };
      return (await runPlan({ plan: planOf("change"), tools: [toolOf("change")], policy, ports })).stop;
    };
    expect([await stopOf("allow"), await stopOf("deny"), await stopOf("later"), await stopOf()]).toEqual([
      ...["goal_achieved", "policy_denied", "approval_required", "approval_required"],
    ]);
  });

  test("P12: the same hook stops a call of a plan, of an agent, and of a plan that an agent has made", async () => {
    const ran: string[] = [];
    const note = (input: JsonObject): ToolResult => {
      ran.push(String(input["name"]));
      return { ok: true, output: null };
    };
    const tools = [toolOf("safe", note), toolOf("forbidden", note)];
    const stops: string[] = [];
    const hooks = {
      preTool: ({ tool }: { tool: string }) => (tool === "forbidden" ? { deny: "never" } : undefined),
      onStop: ({ status }: { status: string }) => void stops.push(status),
    };
    const ports = { hooks };
    expect(await runPlan({ plan: planOf("safe", "forbidden"), tools, policy: ALL, ports })).toMatchObject({
      stop: "hook_denied",
    });
    const model = scriptedModel([{ calls: [{ tool: "forbidden", input: { name: "by agent" } }] }, { text: "done" }]);
    await runAgent({ prompt: "x", model, tools, policy: ALL, ports });
    const plan = {
      steps: [
        { name: "safe", type: "tool" },
        { name: "forbidden", type: "tool" },
      ],
    };
    const second = scriptedModel([{ calls: [{ tool: "execute_plan", input: plan }] }, { text: "done" }]);
    const inner = createPlanTool({ tools, policy: ALL, ports });
    const result = await runAgent({ prompt: "x", model: second, tools: [inner], policy: ALL, ports });
    expect(result.steps[0]?.calls[0]).toMatchObject({ ok: false, output: expect.stringContaining("hook_denied") });
    expect(ran).toEqual(["safe", "undefined"]);
    expect(stops).toEqual(["failed", "completed", "failed", "completed"]);
  });

  test("P1: a plan inside a run of an agent draws its calls from that run", async () => {
    const steps = Array.from({ length: 6 }, () => ({ name: "look", type: "tool" }));
    const model = scriptedModel([{ calls: [{ tool: "execute_plan", input: { steps } }] }, { text: "done" }]);
    let ran = 0;
    const look = toolOf(
      "look",
      () => {
        ran += 1;
        return { ok: true, output: null };
      },
      "low",
    );
    const result = await runAgent({
      prompt: "x",
      model,
      tools: [createPlanTool({ tools: [look] })],
      budget: { toolCalls: 4 },
    });
    expect(result.status).toBe("max_tool_calls");
    // One of the four is the plan itself.
    expect(ran).toBe(3);
    expect(JSON.stringify(result.steps)).toContain("budget_exhausted");
  });

  test("P1: what a plan inside a run of an agent calls is ruled on by that run too", async () => {
    const ran: string[] = [];
    const tools = ["look", "asked", "hooked", "free"].map((name) =>
      toolOf(
        name,
        () => {
          ran.push(name);
          return { ok: true, output: null };
        },
        "low",
      ),
    );
    const told = async (name: string): Promise<string> => {
      const input = { steps: [{ name, type: "tool" }] };
      const model = scriptedModel([{ calls: [{ tool: "execute_plan", input }] }, { text: "done" }]);
      const policy = { deny: [{ tool: "look" }], ask: [{ tool: "asked" }] };
      const hooks = { preTool: ({ tool }: { tool: string }) => (tool === "hooked" ? { deny: "never" } : undefined) };
      const plan = createPlanTool({ tools, policy: ALL });
      const { steps } = await runAgent({ prompt: "x", model, tools: [plan], policy, ports: { hooks } });
      return String(steps[0]?.calls[0]?.output);
    };
    for (const name of ["look", "asked", "hooked"]) expect(await told(name)).toContain("policy_denied");
    expect(ran).toEqual([]);
    await told("free");
    expect(ran).toEqual(["free"]);
  });

  test("P12: the run around a plan is told of each call in it once it is made, and waits no longer than the plan may take", async () => {
    const told: unknown[] = [];
    const kept = createMemoryJournal();
    const run = async (postTool: NonNullable<Hooks["postTool"]>, limits = {}): Promise<AgentResult> => {
      const steps = ["look", "broken"].map((name) => ({ name, type: "tool", arguments: { name } }));
      const model = scriptedModel([{ calls: [{ tool: "execute_plan", input: { steps } }] }, { text: "done" }]);
      const broken = toolOf("broken", () => ({ ok: false, error: "it is broken" }), "low");
      const plan = createPlanTool({ tools: [toolOf("look", echo, "low"), broken], limits });
      return runAgent({ prompt: "x", model, tools: [plan], ports: { hooks: { postTool }, journal: kept } });
    };
    await run(({ tool, input }, { ok }) => void told.push([tool, input["name"], ok]));
    expect(told).toEqual([
      ["look", "look", true],
      ["broken", "broken", false],
      ["execute_plan", undefined, false],
    ]);
    const { runId, status } = await run(({ tool }) => {
      if (tool === "look") throw new Error("a hook that fails");
    });
    expect(status).toBe("completed");
    expect(JSON.stringify(await kept.read(runId))).toContain("a hook that fails");
    const hanging = await run(({ tool }) => (tool === "look" ? new Promise(() => undefined) : undefined), {
      runtimeMs: 50,
    });
    expect(hanging).toMatchObject({ status: "completed" });
    expect(JSON.stringify(hanging.steps)).toContain("max_runtime");
  });

  test("P12: what is denied in a plan is told like what is denied to an agent; what waits for a person has not ended", async () => {
    const told = async (answer: "deny" | "later"): Promise<readonly string[]> => {
      const heard: string[] = [];
      const hooks: Hooks = { postTool: ({ tool }, { ok, output }) => void heard.push(`${tool} ${ok} ${output}`) };
      const ports = { hooks, approvals: { ask: async () => answer } };
      const policy = { ask: [{ tool: "look" }] };
      await runPlan({ plan: planOf("look"), tools: [toolOf("look", echo, "low")], policy, ports });
      return heard;
    };
    expect(await told("deny")).toEqual([expect.stringMatching(/^look false .*denied/)]);
    expect(await told("later")).toEqual([]);
  });

  test("S10: how dangerous a plan takes a step for adds to what policy knows of the tool, and takes nothing away", async () => {
    const tools = [toolOf("deploy", echo, "high")];
    const stopOf = async (tier: string, risk_level: string): Promise<string> => {
      const pattern = { tool: "deploy" };
      const when = [{ field: "tier", op: "eq", values: [tier] }] as const;
      const rules = compilePolicy([
        { id: "a", effect: "allow", pattern },
        { id: "b", effect: "deny", pattern, when },
      ]);
      const policy: AgentPolicy = {
        decide: async (call) =>
          decideCall((request) => decide(rules, request), call).effect === "allow"
            ? { answer: "allow" }
            : { answer: "deny", why: "so" },
      };
      const plan = { assistant_id: "a", steps: [{ name: "deploy", type: "tool", risk_level }] };
      return (await runPlan({ plan, tools, policy })).stop;
    };
    expect(await stopOf("high", "info")).toBe("policy_denied");
    expect(await stopOf("critical", "critical")).toBe("policy_denied");
    expect(await stopOf("critical", "info")).toBe("goal_achieved");
  });

  describe("P13: nobody it stands on keeps a plan beyond its time", () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const hangs: Readonly<Record<string, Partial<RunPlanOptions>>> = {
      policy: { policy: { decide: never } },
      approvals: { policy: { ask: [{ tool: "look" }] }, ports: { approvals: { ask: never } } },
      preStep: { ports: { hooks: { preStep: never } } },
      postStep: { ports: { hooks: { postStep: never } } },
      preTool: { ports: { hooks: { preTool: never } } },
      postTool: { ports: { hooks: { postTool: never } } },
    };
    test.for(Object.keys(hangs))("%s", async (who) => {
      const options = { plan: planOf("look", "look"), tools: [toolOf("look", echo, "low")], limits: { runtimeMs: 50 } };
      expect(await runPlan({ ...options, ...hangs[who] })).toMatchObject({ stop: "max_runtime", status: "timeout" });
    });

    test.for(["log", "onStop"])("%s has a while more", async (who) => {
      const clock = createVirtualClock();
      const told = who === "log" ? { log: { append: never } } : {};
      const hooks = who === "onStop" ? { onStop: never } : {};
      const options = { plan: planOf("look"), tools: [toolOf("look", echo, "low")], ...told };
      const running = runPlan({ ...options, ports: { clock, hooks } }).then(
        ({ stop }) => stop,
        () => "rejected",
      );
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      while (clock.advance());
      expect(await running).toBe(who === "log" ? "rejected" : "goal_achieved");
    });
  });

  test("P1: a plan ends with the run around it, or with its caller", async () => {
    const never = toolOf("look", echo, "low");
    const report = await runPlan({ plan: planOf("look"), tools: [never], signal: AbortSignal.abort() });
    expect(report).toMatchObject({ stop: "context_canceled", status: "canceled", calls: 0 });
  });
});
