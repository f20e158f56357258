import { describe, expect, onTestFinished, test } from "vitest";
import { scriptedModel } from "../../test/support/harness/scripted-model.ts";
import { testTool } from "../../test/support/harness/tools.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import { ratesOf } from "../limits/prices/price.ts";
import { createMemoryJournal } from "./journal/memory-journal.ts";
import type { AgentJournal } from "./journal/record.ts";
import type { AgentBudget } from "./ports.ts";
import { type RunAgentOptions, runAgent } from "./run-agent.ts";

/** Everything that happens at the ports, in order. */
function witnessed(): { readonly seen: string[]; readonly budget: AgentBudget; readonly journal: AgentJournal } {
  const seen: string[] = [];
  const memory = createMemoryJournal();
  return {
    seen,
    budget: {
      check: () => {
        seen.push("budget.check");
        return { ok: true };
      },
      commit: (_run, used) => void seen.push(`budget.commit ${used.tokens}`),
    },
    journal: {
      ...memory,
      append: (run, record, sync) => {
        seen.push(record.type);
        return memory.append(run, record, sync);
      },
    },
  };
}

describe("one run", () => {
  test("A1: budget, models, journal, tools, loop; then the journal is closed and the budget is told", async () => {
    const { seen, budget, journal } = witnessed();
    const model = scriptedModel([
      { calls: [{ tool: "look" }], usage: { input: 5, output: 1 } },
      { text: "done", usage: { input: 6, output: 2 } },
    ]);
    const models = {
      providers: {
        test: () => {
          seen.push("model");
          return model;
        },
      },
    };
    const tools = [
      testTool("look", () => {
        seen.push("tool");
        return { ok: true, output: 1 };
      }),
    ];
    const result = await runAgent({ model: "test/x", prompt: "go", tools, ports: { budget, journal, models } });
    expect(seen).toEqual([
      ...["budget.check", "model", "run.started", "talk.started"],
      ...["model.reserved", "turn.answered", "tool", "call.ended"],
      ...["model.reserved", "turn.answered", "run.ended", "budget.commit 14"],
    ]);
    expect(result).toMatchObject({ status: "completed", output: "done", error: null });
    expect(result.usage).toMatchObject({ input: 11, output: 3, tokens: 14, modelCalls: 2 });
  });

  test("A1: a cancelled run closes its journal and tells its budget exactly once", async () => {
    const { seen, budget, journal } = witnessed();
    const controller = new AbortController();
    const model = scriptedModel([{ hangs: true }]);
    const running = runAgent({ model, prompt: "go", signal: controller.signal, ports: { budget, journal } });
    setTimeout(() => controller.abort(), 5);
    expect((await running).status).toBe("cancelled");
    expect(seen).toEqual([
      "budget.check",
      "run.started",
      "talk.started",
      "model.reserved",
      "run.ended",
      "budget.commit 0",
    ]);
  });

  test("A1: a journal that fails is told, and the budget still is", async () => {
    const { seen, budget } = witnessed();
    const journal = {
      ...createMemoryJournal(),
      append: () => {
        throw new Error("the disk is full");
      },
    };
    const running = runAgent({ model: scriptedModel([{ text: "x" }]), prompt: "go", ports: { budget, journal } });
    await expect(running).rejects.toThrow("the disk is full");
    expect(seen).toEqual(["budget.check", "budget.commit 0"]);
  });

  test("A2: a rejected budget makes no model call", async () => {
    const model = scriptedModel([{ text: "x" }]);
    const commits: unknown[] = [];
    const budget: AgentBudget = {
      check: () => ({ ok: false, why: "nothing is left" }),
      commit: (...told) => void commits.push(told),
    };
    const result = await runAgent({ model, prompt: "go", ports: { budget } });
    expect(result.status).toBe("rejected");
    expect(result.error?.code).toBe("HARNESS_BUDGET_REJECTED");
    expect(model.asked).toEqual([]);
    expect(commits).toEqual([]);
  });

  test("A3: without any port it is a bounded run in memory", async () => {
    const tools = [testTool("look")];
    const result = await runAgent({ model: scriptedModel([{ calls: [{ tool: "look" }] }]), prompt: "go", tools });
    expect(result.status).toBe("tool_loop");
    expect(result.steps).toHaveLength(3);
  });

  test("A3: without a policy a tool that can do harm is denied, and one that only looks is not", async () => {
    const look = testTool("look");
    const push = testTool("push", undefined, { risk: "high" });
    const model = scriptedModel([{ calls: [{ tool: "look" }, { tool: "push" }] }, { text: "so be it" }]);
    const result = await runAgent({ model, prompt: "go", tools: [look, push] });
    expect([look.ran.length, push.ran.length]).toEqual([1, 0]);
    expect(result.steps[0]?.calls.map(({ tool, ok }) => [tool, ok])).toEqual([
      ["look", true],
      ["push", false],
    ]);
    expect(result.status).toBe("completed");
  });

  test("A3: what policy leaves to a person is denied when there is nobody to ask", async () => {
    const push = testTool("push", undefined, { risk: "high" });
    const model = scriptedModel([{ calls: [{ tool: "push" }] }, { text: "ok" }]);
    const policy = { ask: [{ tool: "push" }] };
    const denied = await runAgent({ model, prompt: "go", tools: [push], policy });
    expect(denied.steps[0]?.calls[0]?.output).toMatch(/nobody to ask/);
    const asking = { model: scriptedModel([{ calls: [{ tool: "push" }] }, { text: "ok" }]), prompt: "go", policy };
    const approvals = { ask: () => Promise.resolve("allow" as const) };
    await runAgent({ ...asking, tools: [push], ports: { approvals } });
    expect(push.ran).toHaveLength(1);
  });
});

describe("the bounds of a run", () => {
  const endless = (): ReturnType<typeof scriptedModel> =>
    scriptedModel((_, times) => ({
      text: `turn ${times}`,
      calls: [{ tool: "look", input: { times } }],
      usage: { input: 100, output: 10 },
    }));
  const bounded = (budget: RunAgentOptions["budget"]) =>
    runAgent({
      model: endless(),
      prompt: "go",
      tools: [testTool("look")],
      ...(budget === undefined ? {} : { budget }),
    });

  test.each([
    [{ turns: 4 }, "max_turns", "turn 4", 4],
    [{ toolCalls: 2 }, "max_tool_calls", "turn 2", 2],
    [{ tokens: 5000, turns: 99 }, "max_tokens", /^turn/, null],
    [{ usd: 0.5, turns: 99 }, "max_usd", /^turn/, null],
  ] as const)("A4: %j ends as %s with what was said so far", async (budget, status, output, steps) => {
    const result = await bounded(budget);
    expect(result.status).toBe(status);
    expect(result.output).toMatch(output);
    expect(result.error?.code).toBe("HARNESS_LIMIT_REACHED");
    if (steps !== null) expect(result.steps).toHaveLength(steps);
  });

  test("A4: the tokens that were asked for never exceed what is left", async () => {
    const model = endless();
    const result = await runAgent({
      model,
      prompt: "go",
      tools: [testTool("look")],
      budget: { tokens: 6000, turns: 99 },
    });
    expect(result.status).toBe("max_tokens");
    expect(result.usage.tokens).toBeLessThanOrEqual(6000);
    const last = model.asked.at(-1)?.maxOutputTokens ?? 0;
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThan(6000);
  });

  test("A4: no more dollars are spent than there are", async () => {
    const result = await bounded({ usd: 0.5, turns: 999, toolCalls: 999 });
    expect(result.status).toBe("max_usd");
    expect(result.usage.microUsd).toBeGreaterThan(0);
    expect(result.usage.microUsd).toBeLessThan(500_000);
  });

  test("A4: the dearest model of a chain must be affordable, and no answer is longer than any of them can be", async () => {
    const price = (dollars: number, outputTokens: number) => ({
      ...{ rates: ratesOf({ input: dollars, output: dollars }), contextTokens: 100_000, outputTokens },
      ...{ source: "the test", date: "2026-11-16" },
    });
    const models = {
      providers: { test: (name: string) => scriptedModel([{ text: name }], { name }) },
      prices: { cheap: price(1, 4000), dear: price(1000, 8000) },
    };
    const asked = { prompt: "go", budget: { usd: 0.1 }, ports: { models } };
    expect((await runAgent({ ...asked, model: "test/cheap" })).status).toBe("completed");
    expect((await runAgent({ ...asked, model: "test/cheap, test/dear" })).status).toBe("max_usd");
    const model = scriptedModel([{ text: "x" }], { name: "cheap" });
    await runAgent({ model, prompt: "go", ports: { models } });
    expect(model.asked[0]?.maxOutputTokens).toBe(4000);
  });

  test("A4: no limit can be left out by a number that is none", async () => {
    const result = await bounded({ turns: Number.NaN });
    expect(result.error?.code).toBe("HARNESS_OPTIONS_UNFIT");
  });

  test("A4: an answer that was cut off is not complete", async () => {
    const result = await runAgent({ model: scriptedModel([{ text: "half an", finish: "length" }]), prompt: "go" });
    expect(result).toMatchObject({ status: "failed", output: "half an" });
    expect(result.error?.code).toBe("HARNESS_ANSWER_UNFIT");
  });

  test("A5: its own time, a cancel and a kill are three statuses, and a deadline of its caller is none", async () => {
    const ended = async (more: Partial<RunAgentOptions>): Promise<string> =>
      (await runAgent({ model: scriptedModel([{ hangs: true }]), prompt: "go", ...more })).status;
    expect(await ended({ budget: { wallMs: 5 } })).toBe("timeout");
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 5);
    expect(await ended({ signal: cancel.signal })).toBe("cancelled");
    const kill = new AbortController();
    setTimeout(() => kill.abort("kill"), 5);
    expect(await ended({ signal: kill.signal })).toBe("killed");
    const model = scriptedModel([{ text: "in time" }]);
    const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    const result = await runAgent({ model, prompt: "go", signal: late });
    expect(result.status).toBe("completed");
  });

  test("A5: a signal that has aborted before makes no model call", async () => {
    const model = scriptedModel([{ text: "x" }]);
    const result = await runAgent({ model, prompt: "go", signal: AbortSignal.abort() });
    expect(result.status).toBe("cancelled");
    expect(model.asked).toEqual([]);
  });

  test("A5: the time of a run is counted on its clock", async () => {
    const clock = createVirtualClock();
    const running = runAgent({
      model: scriptedModel([{ hangs: true }]),
      prompt: "go",
      budget: { wallMs: 60_000 },
      ports: { clock },
    });
    await Promise.resolve();
    const pump = setInterval(() => clock.advance(), 1);
    onTestFinished(() => clearInterval(pump));
    expect((await running).status).toBe("timeout");
    expect(clock.now() - 1_700_000_000_000).toBe(60_000);
  });
});

describe("the steps of a run", () => {
  test("A6: an observer hears of each turn with calls and results in pairs", async () => {
    const steps: unknown[] = [];
    const model = scriptedModel([
      {
        text: "first",
        calls: [
          { tool: "a", id: "1" },
          { tool: "b", input: { x: 1 }, id: "2" },
        ],
      },
      { text: "done" },
    ]);
    const b = testTool("b", () => ({ ok: false, error: "no" }));
    const journal = createMemoryJournal();
    const result = await runAgent({
      model,
      prompt: "go",
      tools: [testTool("a"), b],
      ports: { journal, observer: { onStep: (step) => steps.push(step) } },
    });
    expect(steps).toEqual(result.steps);
    expect(result.steps[0]?.calls).toMatchObject([
      { id: "1", tool: "a", input: {}, ok: true, output: "ok" },
      { id: "2", tool: "b", input: { x: 1 }, ok: false, output: "b failed: no." },
    ]);
    const ended = (await journal.read(result.runId)).flatMap((record) =>
      record.type === "call.ended" ? [record.id] : [],
    );
    expect(ended).toEqual(["1", "2"]);
  });

  test("A6: an observer that throws changes nothing", async () => {
    const observer = {
      onStep: () => {
        throw new Error("no");
      },
    };
    const model = scriptedModel([{ calls: [{ tool: "look" }] }, { text: "done" }]);
    const journal = createMemoryJournal();
    const result = await runAgent({ model, prompt: "go", tools: [testTool("look")], ports: { observer, journal } });
    expect(result.status).toBe("completed");
    expect((await journal.read(result.runId)).map(({ type }) => type)).toContain("run.noted");
  });

  test("A7: what a tool throws is told to the model, and the run goes on", async () => {
    const model = scriptedModel([{ calls: [{ tool: "look" }] }, { text: "done" }]);
    const look = testTool("look", () => {
      throw new Error("broken pipe");
    });
    const result = await runAgent({ model, prompt: "go", tools: [look] });
    expect(result.status).toBe("completed");
    expect(JSON.stringify(model.asked[1]?.prompt)).toContain("broken pipe");
  });

  test.each([
    ["an unknown tool", { tool: "lok" }, "did you mean look"],
    ["input that is no JSON", { tool: "look", input: "{" }, "does not fit"],
  ])("A7: %s is told to the model", async (_, call, told) => {
    const look = testTool("look");
    const model = scriptedModel([{ calls: [call] }, { text: "done" }]);
    const result = await runAgent({ model, prompt: "go", tools: [look] });
    expect(result.status).toBe("completed");
    expect(result.steps[0]?.calls[0]?.output).toContain(told);
    expect(look.ran).toEqual([]);
  });

  test("A7: the same call with the same result again and again stops the run", async () => {
    const model = scriptedModel([
      { calls: [{ tool: "look", input: { a: 1, b: 2 } }] },
      { calls: [{ tool: "look", input: { b: 2, a: 1 } }] },
    ]);
    const result = await runAgent({ model, prompt: "go", tools: [testTool("look")] });
    expect(result.status).toBe("tool_loop");
    expect(result.steps).toHaveLength(3);
  });

  test("A7: other input, or another result, is no repeat", async () => {
    let now = 0;
    const clock = testTool("clock", () => {
      now += 1;
      return { ok: true, output: now };
    });
    const model = scriptedModel((_, times) => (times < 6 ? { calls: [{ tool: "clock" }] } : { text: "late" }));
    expect((await runAgent({ model, prompt: "go", tools: [clock] })).status).toBe("completed");
  });

  test("A7: turns of nothing but errors stop the run", async () => {
    const model = scriptedModel((_, times) => ({ calls: [{ tool: "look", input: { times } }] }));
    const look = testTool("look", () => ({ ok: false, error: "no" }));
    const result = await runAgent({ model, prompt: "go", tools: [look] });
    expect(result.status).toBe("tool_loop");
    expect(result.steps).toHaveLength(4);
  });
});
