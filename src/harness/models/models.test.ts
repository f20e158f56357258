import { describe, expect, test } from "vitest";
import {
  apiError,
  type Line,
  type ScriptedModel,
  scriptedModel,
} from "../../../test/support/harness/scripted-model.ts";
import { createVirtualClock } from "../../../test/support/virtual-clock.ts";
import type { AgentResult } from "../agent.ts";
import type { Models } from "../ports.ts";
import { runAgent } from "../run-agent.ts";

/** Models by name, all of one provider. */
function modelsOf(scripts: Readonly<Record<string, readonly Line[]>>, tiers: Models["tiers"] = {}) {
  const known = new Map<string, ScriptedModel>();
  const open = (name: string): ScriptedModel => {
    const model = known.get(name) ?? scriptedModel(scripts[name] ?? [{ text: name }], { name });
    known.set(name, model);
    return model;
  };
  return { models: { providers: { test: open }, tiers }, asked: (name: string) => known.get(name)?.asked ?? [] };
}

async function run(model: string, models: Models): Promise<AgentResult> {
  return runAgent({ model, prompt: "go", ports: { models, chance: () => 0 } });
}

describe("A8: tiers", () => {
  test.each([
    ["test/a", "a"],
    ["fast", "a"],
    ["fast:low", "a"],
    ["test/x, test/b", "x"],
  ])("A8: %s is answered by %s", async (asked, answered) => {
    const { models } = modelsOf({}, { fast: ["test/a", "test/b:high"] });
    expect(await run(asked, models)).toMatchObject({ status: "completed", output: answered });
  });

  test("A8: effort reaches every provider in its own words", async () => {
    const { models, asked } = modelsOf({}, { smart: ["test/a:high"] });
    await run("smart", models);
    expect(asked("a")[0]?.providerOptions).toEqual({
      anthropic: { effort: "high" },
      openai: { reasoningEffort: "high" },
      google: { thinkingConfig: { thinkingLevel: "high" } },
    });
  });

  test.each([
    [{ fast: ["smart"], smart: ["test/a"] }, "HARNESS_TIER_NESTED"],
    [{ fast: ["fast:low"] }, "HARNESS_TIER_NESTED"],
    [{ fast: ["elsewhere/a"] }, "HARNESS_MODEL_UNKNOWN"],
  ])("A8: %j is refused", async (tiers, code) => {
    const { models } = modelsOf({}, tiers);
    const result = await run("fast", models);
    expect([result.status, result.error?.code]).toEqual(["failed", code]);
  });

  test("A8: a name without models, and no model at all, are refused", async () => {
    expect((await runAgent({ model: "fast", prompt: "go" })).error?.code).toBe("HARNESS_MODEL_UNKNOWN");
    expect((await runAgent({ prompt: "go" })).error?.code).toBe("HARNESS_MODEL_UNKNOWN");
  });
});

describe("A9: failover", () => {
  const ok: readonly Line[] = [{ text: "second" }];
  const cases: readonly (readonly [string, readonly Line[], number, string])[] = [
    ["busy once is asked again", [{ throws: apiError(503, "x") }, { text: "first" }], 2, "first"],
    ["busy twice gives way", [{ throws: apiError(529, "overloaded_error") }], 2, "second"],
    ["no answer gives way", [{ throws: new TypeError("fetch failed") }], 2, "second"],
    ["no such model gives way at once", [{ throws: apiError(404, "model_not_found") }], 1, "second"],
    ["an empty answer gives way at once", [{ text: " " }], 1, "second"],
    ["used up gives way at once", [{ throws: apiError(429, "insufficient_quota") }], 1, "second"],
  ];
  test.each(cases)("A9: who is %s", async (_, script, times, output) => {
    const { models, asked } = modelsOf({ a: script, b: ok });
    expect(await run("test/a, test/b", models)).toMatchObject({ status: "completed", output });
    expect(asked("a")).toHaveLength(times);
  });

  test.each([400, 401, 403, 405, 422])("A9: %i is passed to nobody", async (status) => {
    const { models, asked } = modelsOf({ a: [{ throws: apiError(status, "no") }], b: ok });
    const result = await run("test/a, test/b", models);
    expect(result).toMatchObject({ status: "failed", failure: status === 401 || status === 403 ? "auth" : "provider" });
    expect([asked("a").length, asked("b").length]).toEqual([1, 0]);
  });

  test("A9: when nobody answers, every reason is told", async () => {
    const { models } = modelsOf({ a: [{ throws: apiError(503, "x") }], b: [{ text: "" }] });
    const result = await run("test/a, test/b", models);
    expect(result.error?.message).toBe("No model has answered: test/a: 503 x; test/a: 503 x; test/b: an empty answer.");
  });

  test.each([
    [apiError(429, "rate_limit_error", { "retry-after": "3600" }), "failed", "rate_limited"],
    [apiError(429, "insufficient_quota"), "failed", "billing"],
    [apiError(400, "invalid_request_error: Your credit balance is too low"), "failed", "billing"],
    [apiError(529, "overloaded_error"), "failed", "overloaded"],
    [apiError(400, "invalid_request_error: prompt is too long"), "failed", "context_overflow"],
    [apiError(402, "budget"), "budget", null],
    [new Error("socket hang up"), "failed", "lost"],
    [apiError(200, "broke off"), "failed", "lost"],
  ] as const)("A9: %s is known for what it is", async (error, status, failure) => {
    const { models } = modelsOf({ a: [{ throws: error }] });
    expect(await run("test/a", models)).toMatchObject({ status, failure });
  });

  test("A9: nobody is asked again once the run is over", async () => {
    const { models, asked } = modelsOf({ a: [{ throws: apiError(503, "x") }] });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    const ports = { models, chance: () => 0.99 };
    const result = await runAgent({ model: "test/a", prompt: "go", signal: controller.signal, ports });
    expect([result.status, asked("a").length]).toEqual(["cancelled", 1]);
  });

  test("A9: an empty answer is paid for", async () => {
    const { models } = modelsOf({
      a: [{ text: "", usage: { input: 7, output: 1 } }],
      b: [{ text: "x", usage: { input: 5 } }],
    });
    expect((await run("test/a, test/b", models)).usage).toMatchObject({ tokens: 13, modelCalls: 2 });
  });
});

test("A10: a model that failed twice is left alone for a while, for every run that uses the same models", async () => {
  const { models, asked } = modelsOf({ a: [{ throws: apiError(503, "x") }], b: [{ text: "b" }] });
  const clock = createVirtualClock();
  const go = (): Promise<AgentResult> => {
    const running = runAgent({ model: "test/a, test/b", prompt: "go", ports: { models, clock, chance: () => 0 } });
    const pump = setInterval(() => clock.advance(), 1);
    return running.finally(() => clearInterval(pump));
  };
  await go();
  expect(asked("a")).toHaveLength(2);
  await runAgent({
    model: "test/a, test/b",
    prompt: "go",
    ports: { models, clock: { ...clock, after: () => () => undefined } },
  });
  expect(asked("a")).toHaveLength(2);
});

describe("A11: an answer with a schema", () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
    additionalProperties: false,
  };

  test("A11: one that fits is the value of the run", async () => {
    const model = scriptedModel([{ text: '```json\n{"n": 5}\n```' }]);
    expect(await runAgent({ model, prompt: "go", schema })).toMatchObject({ status: "completed", value: { n: 5 } });
    expect(model.asked[0]?.responseFormat).toEqual({ type: "json", schema });
  });

  test("A11: one that does not is told once", async () => {
    const model = scriptedModel([{ text: "five" }, { text: '{"n":5}' }]);
    expect(await runAgent({ model, prompt: "go", schema })).toMatchObject({ status: "completed", value: { n: 5 } });
    expect(JSON.stringify(model.asked[1]?.prompt.at(-1))).toContain("it is not JSON");
  });

  test("A11: one that never fits is an error of its own", async () => {
    const model = scriptedModel([{ text: '{"n":"5"}' }]);
    const result = await runAgent({ model, prompt: "go", schema });
    expect(result).toMatchObject({ status: "invalid_output", output: '{"n":"5"}' });
    expect(result.error?.code).toBe("HARNESS_OUTPUT_INVALID");
    expect(model.asked).toHaveLength(2);
  });

  test("A11: a schema that cannot be checked is refused before anything is spent", async () => {
    const model = scriptedModel([{ text: "{}" }]);
    const result = await runAgent({ model, prompt: "go", schema: { type: "objekt" } });
    expect(result.error?.code).toBe("HARNESS_OPTIONS_UNFIT");
    expect(model.asked).toEqual([]);
  });
});

test("A12: what sinks are told adds up to the usage of the run, and a sink that throws changes nothing", async () => {
  const told: number[] = [];
  const traces: unknown[] = [];
  const model = scriptedModel([
    { text: "not json", usage: { input: 100, cached: 60, output: 5 } },
    { text: "{}", usage: { input: 120, cached: 100, output: 7 } },
  ]);
  const sinks = {
    usage: ({ tokens, cached }: { tokens: number; cached: number }) => void told.push(tokens, cached),
    trace: (record: unknown) => {
      traces.push(record);
      throw new Error("no");
    },
  };
  const result = await runAgent({ model, prompt: "go", schema: { type: "object" }, ports: { sinks } });
  expect(told).toEqual([105, 60, 127, 100]);
  expect(result.usage).toMatchObject({ tokens: 232, cached: 160, input: 220, output: 12, modelCalls: 2 });
  expect(traces.length).toBeGreaterThan(3);
  expect(result.status).toBe("completed");
});

test("A18: an agent without tools is one call of a model, paid for like any other", async () => {
  const model = scriptedModel([{ text: "hello", calls: [{ tool: "made_up" }], usage: { input: 3, output: 1 } }]);
  const result = await runAgent({ model, prompt: "go" });
  expect(result).toMatchObject({ status: "completed", output: "hello", usage: { tokens: 4, modelCalls: 1 } });
  expect(model.asked).toHaveLength(1);
  expect(model.asked[0]?.tools).toBeUndefined();
  expect(result.steps).toHaveLength(1);
});
