import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { echo } from "../../../test/support/plans/plan-bench.ts";
import type { JsonObject } from "../../base/json.ts";
import { runAgent } from "../run-agent.ts";
import type { Tool, ToolResult, ToolRisk } from "../tools/tool.ts";
import { createPlanTool } from "./plan-tool.ts";
import { runPlan } from "./run-plan.ts";

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

  test("P1: a plan ends with the run around it, or with its caller", async () => {
    const never = toolOf("look", echo, "low");
    const report = await runPlan({ plan: planOf("look"), tools: [never], signal: AbortSignal.abort() });
    expect(report).toMatchObject({ stop: "context_canceled", status: "canceled", calls: 0 });
  });
});
