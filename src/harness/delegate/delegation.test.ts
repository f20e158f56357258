import { describe, expect, test } from "vitest";
import { type Line, scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { testTool } from "../../../test/support/harness/tools.ts";
import type { Agent } from "../agent.ts";
import { createMemoryJournal } from "../journal/memory-journal.ts";
import type { AgentBudget } from "../ports.ts";
import { runAgent } from "../run-agent.ts";

const give = (tool: string, task = "do it"): Line => ({
  calls: [{ tool, input: { task } }],
  usage: { input: 10, output: 1 },
});

describe("T10: delegation", () => {
  test("T10: a child run is linked to its parent, and its tokens are in the total", async () => {
    const child = scriptedModel([{ text: "found it", usage: { input: 30, output: 2 } }]);
    const model = scriptedModel([give("agent__finder", "find it"), { text: "done", usage: { input: 20, output: 1 } }]);
    const journal = createMemoryJournal();
    const read: string[] = [];
    const append: typeof journal.append = (run, record, sync) => {
      if (record.type === "run.started")
        read.push(`${record.agent} below ${record.parent === null ? "nobody" : "its parent"}`);
      return journal.append(run, record, sync);
    };
    const agent = { name: "lead", model, delegates: { finder: { model: child } } };
    const result = await runAgent({ agent, prompt: "go", ports: { journal: { ...journal, append } } });
    expect(result.steps[0]?.calls[0]).toMatchObject({ tool: "agent__finder", ok: true, output: "found it" });
    expect(result.usage).toMatchObject({ tokens: 64, modelCalls: 3 });
    expect(read).toEqual(["lead below nobody", "agent__finder below its parent"]);
    expect(JSON.stringify(child.asked[0]?.prompt)).toContain("find it");
  });

  test("T10: a child gets no more than its parent has left", async () => {
    const child = scriptedModel((_, times) => ({
      calls: [{ tool: "look", input: { times } }],
      usage: { input: 900, output: 100 },
    }));
    const model = scriptedModel([give("skill__digger"), { text: "done" }]);
    const delegates = {
      skill__digger: { model: child, tools: [testTool("look")], limits: { tokens: 1e9, turns: 1e9 } },
    };
    const result = await runAgent({
      agent: { name: "lead", model, delegates },
      prompt: "go",
      budget: { tokens: 10_000 },
    });
    expect(result.steps[0]?.calls[0]?.output).toContain("max_tokens");
    expect(result.usage.tokens).toBeLessThanOrEqual(10_000);
    expect(["max_tokens", "completed"]).toContain(result.status);
  });

  test("T10: whoever pays for a child is asked for no more than that", async () => {
    const asked: number[] = [];
    const budget: AgentBudget = {
      check: ({ limits }) => {
        asked.push(limits.tokens);
        return { ok: true };
      },
      commit: () => undefined,
    };
    const spawn = testTool("spawn", async () => {
      await runAgent({
        model: scriptedModel([{ text: "x" }]),
        prompt: "go",
        budget: { tokens: 1e9 },
        ports: { budget },
      });
      return { ok: true, output: "done" };
    });
    const model = scriptedModel([{ calls: [{ tool: "spawn" }], usage: { input: 900, output: 100 } }, { text: "done" }]);
    await runAgent({ model, prompt: "go", tools: [spawn], budget: { tokens: 10_000 } });
    expect(asked).toEqual([9000]);
  });

  test("T10: policy rules on what a child does", async () => {
    const push = testTool("push", undefined, { risk: "high" });
    const child = scriptedModel([{ calls: [{ tool: "push" }] }, { text: "denied" }]);
    const model = scriptedModel([give("agent__x"), { text: "done" }]);
    await runAgent({ agent: { model, delegates: { x: { model: child, tools: [push] } } }, prompt: "go" });
    expect(push.ran).toEqual([]);
  });

  test("T10: a cancelled parent has no child that goes on", async () => {
    const controller = new AbortController();
    const child = scriptedModel([{ hangs: true }]);
    const agent = { model: scriptedModel([give("agent__x")]), delegates: { x: { model: child } } };
    setTimeout(() => controller.abort(), 20);
    expect((await runAgent({ agent, prompt: "go", signal: controller.signal })).status).toBe("cancelled");
    expect(child.asked[0]?.abortSignal?.aborted).toBe(true);
  });
});

describe("T11: the guard of delegation", () => {
  test("T11: an agent never runs below itself", async () => {
    const inner: Agent = { name: "b", model: scriptedModel([give("agent__a"), { text: "b" }]), delegates: {} };
    const model = scriptedModel([give("agent__b"), { text: "a" }]);
    const a: Agent = { name: "a", model, delegates: { b: { ...inner, delegates: { a: { name: "a", model } } } } };
    const told: string[] = [];
    const observer = { onResult: () => undefined };
    const sinks = { trace: (record: object) => void told.push(JSON.stringify(record)) };
    const result = await runAgent({ agent: a, prompt: "go", ports: { observer, sinks } });
    expect(result.status).toBe("completed");
    expect(told.join("\n")).toContain("a → b → a");
    expect(model.asked).toHaveLength(2);
  });

  test("T11: neither too deep", async () => {
    const seen: (string | undefined)[] = [];
    const deeper = (depth: number) =>
      testTool("deeper", async () => {
        const model = scriptedModel([{ calls: [{ tool: "deeper" }] }, { text: "up" }]);
        const result = await runAgent({ model, prompt: "go", tools: [deeper(depth + 1)] });
        seen.push(result.error?.code);
        return { ok: true, output: depth };
      });
    const model = scriptedModel([{ calls: [{ tool: "deeper" }] }, { text: "top" }]);
    await runAgent({ model, prompt: "go", tools: [deeper(1)], dispatch: { depth: 2 } });
    expect(seen).toEqual(["HARNESS_DISPATCH_DEPTH", undefined, undefined]);
  });

  test("T11: nor too many in all, also through a tool that calls runAgent itself", async () => {
    const statuses: string[] = [];
    const spawn = testTool("spawn", async () => {
      for (let child = 0; child < 3; child += 1) {
        statuses.push((await runAgent({ model: scriptedModel([{ text: "x" }]), prompt: "go" })).status);
      }
      return { ok: true, output: "done" };
    });
    const model = scriptedModel([{ calls: [{ tool: "spawn" }] }, { text: "done" }]);
    await runAgent({ model, prompt: "go", tools: [spawn], dispatch: { descendants: 2 } });
    expect(statuses).toEqual(["completed", "completed", "dispatch_descendants"]);
  });

  test("T11: runs beside each other are no family", async () => {
    const model = scriptedModel([{ text: "x" }]);
    const all = await Promise.all(
      Array.from({ length: 30 }, () => runAgent({ agent: { name: "a", model }, prompt: "go" })),
    );
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(["completed"]));
  });
});
