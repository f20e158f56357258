/** Models that answer nonsense, and tools that give it: the run goes on or ends with a status, and its bounds hold. */
import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { testTool } from "../../../test/support/harness/tools.ts";
import { runAgent } from "../run-agent.ts";
import type { Tool } from "../tools/tool.ts";
import type { Model } from "./model.ts";

const nested = (depth: number): string => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;

/** A model that gives back whatever it is told to. */
function modelThatGives(answer: unknown): Model & { calls: number } {
  const model = {
    ...scriptedModel([]),
    calls: 0,
    doGenerate(): Promise<never> {
      model.calls += 1;
      return Promise.resolve(answer as never);
    },
  };
  return model;
}

const RICH = { tokens: 1e9, usd: 1e9 };
const STOP = { unified: "stop" };
const TOLD = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const WORDS = [{ type: "text", text: "four" }];

describe("what is nested beyond reason", () => {
  test.each([201, 20_000])(
    "is no input of a tool: %i levels are told to the model, and the run goes on",
    async (depth) => {
      const tool = testTool("look");
      const model = scriptedModel([{ calls: [{ tool: "look", input: nested(depth) }] }, { text: "done" }]);
      const result = await runAgent({ prompt: "x", model, tools: [tool], budget: RICH });
      expect(result).toMatchObject({ status: "completed", output: "done" });
      expect(result.steps[0]?.calls).toMatchObject([{ ok: false, output: expect.stringContaining("does not fit") }]);
      expect(tool.ran).toEqual([]);
    },
  );

  test("is no answer to a schema either", async () => {
    const model = scriptedModel([{ text: nested(20_000) }]);
    const result = await runAgent({ prompt: "x", model, schema: { type: "object" }, budget: RICH });
    expect(result).toMatchObject({
      status: "invalid_output",
      error: { message: expect.stringContaining("too deeply") },
    });
  });

  test("within reason is taken as it is", async () => {
    const tool = testTool("look");
    const model = scriptedModel([{ calls: [{ tool: "look", input: nested(100) }] }, { text: "done" }]);
    await runAgent({ prompt: "x", model, tools: [tool] });
    expect(JSON.stringify(tool.ran[0]?.input)).toBe(nested(100));
  });
});

describe("an answer that is none", () => {
  test.each([
    ["nothing", undefined],
    ["an empty object", {}],
    ["content that is no list", { content: "abc", finishReason: STOP, usage: TOLD }],
    ["parts that are none", { content: [null], finishReason: STOP, usage: TOLD }],
    ["a part without a type", { content: [{}], finishReason: STOP, usage: TOLD }],
    ["text that is a number", { content: [{ type: "text", text: 5 }], finishReason: STOP, usage: TOLD }],
    ["no reason to end", { content: WORDS, usage: TOLD }],
    [
      "a call whose input is no text",
      { content: [{ type: "tool-call", toolCallId: "1", toolName: "a", input: {} }], finishReason: STOP },
    ],
  ])("with %s fails, and is not asked for again", async (_, answer) => {
    const model = modelThatGives(answer);
    const result = await runAgent({ prompt: "x", model, tools: [testTool("a")] });
    expect(result).toMatchObject({ status: "failed", failure: "provider" });
    expect(model.calls).toBe(1);
  });
});

describe("what a model does not say it has used", () => {
  test.each([
    ["nothing", undefined],
    ["empty members", {}],
    ["no numbers", { inputTokens: { total: Number.NaN }, outputTokens: { total: "7" } }],
    ["less than nothing", { inputTokens: { total: -1e9, noCache: -1e9 }, outputTokens: { total: -5, text: -1 } }],
  ])("is the most that it can have been, when it says %s", async (_, usage) => {
    const model = modelThatGives({ content: WORDS, finishReason: STOP, usage });
    const { status, usage: used } = await runAgent({ prompt: "seven b", model });
    const [input, output] = ["seven b".length + 40, JSON.stringify(WORDS).length];
    expect(status).toBe("completed");
    expect(used).toMatchObject({ input, output, tokens: input + output, modelCalls: 1 });
    expect(used.microUsd).toBeGreaterThan(0);
  });

  test("keeps its budget from being passed", async () => {
    const answer = {
      content: [{ type: "tool-call", toolCallId: "1", toolName: "a", input: '{"a":1}' }],
      finishReason: STOP,
    };
    const model = modelThatGives(answer);
    const times: string[] = [];
    const tools = [testTool("a", () => ({ ok: true, output: `${times.push("")} ${"x".repeat(5000)}` }))];
    const result = await runAgent({
      prompt: "x",
      model,
      tools,
      budget: { tokens: 30_000, turns: 1000, toolCalls: 1000 },
    });
    expect(result.status).toBe("max_tokens");
    expect(result.usage.tokens).toBeLessThanOrEqual(30_000);
  });
});

test("an agent without tools that calls one is told that there is none, and is not done", async () => {
  const model = scriptedModel([{ calls: [{ tool: "rm" }] }, { text: "then in words" }]);
  const result = await runAgent({ prompt: "x", model });
  expect(result).toMatchObject({ status: "completed", output: "then in words" });
  expect(result.steps[0]?.calls).toMatchObject([{ tool: "rm", ok: false }]);
});

describe("A7: a tool that breaks its contract", () => {
  const lying = (more: object): Tool => ({ ...testTool("a"), ...more }) as Tool;
  test.each([
    ["gives nothing", lying({ run: () => Promise.resolve() }), "broke off"],
    ["gives words", lying({ run: () => "ok" }), "broke off"],
    ["does not say what it would do", lying({ requests: () => undefined }), "does not fit"],
  ])("A7: and %s has failed, and the run goes on", async (_, tool, told) => {
    const model = scriptedModel([{ calls: [{ tool: "a" }] }, { text: "done" }]);
    const result = await runAgent({ prompt: "x", model, tools: [tool] });
    expect(result.status).toBe("completed");
    expect(result.steps[0]?.calls).toMatchObject([{ ok: false, output: expect.stringContaining(told) }]);
  });
});
