/** The scripted model API keeps to the wires: what other suites learn from it is worth no more than this. */
import { describe, expect, test } from "vitest";
import { modelApi } from "../support/model-api/fixture.ts";
import { NO_TOKENS, type Script, type Tokens, totalOf } from "../support/model-api/script.ts";
import type { WireName } from "../support/model-api/wires/wire.ts";

const USAGE: Tokens = { input: 100, cacheRead: 40, cacheWrite: 0, cacheWriteLong: 0, output: 30, reasoning: 12 };
const SCRIPT: Script = {
  steps: [
    { text: "I look.", reasoning: "h", tools: [{ name: "read", args: { path: "a.txt" } }], usage: USAGE },
    { text: "Done: nothing to do.", usage: { ...USAGE, cacheRead: 0 } },
  ],
  aux: "a title",
};

const PATHS: Readonly<Record<WireName, (isStreamed: boolean) => string>> = {
  anthropic: () => "/v1/messages",
  responses: () => "/v1/responses",
  chat: () => "/v1/chat/completions",
  gemini: (isStreamed) => `/v1beta/models/m-1:${isStreamed ? "streamGenerateContent?alt=sse" : "generateContent"}`,
};

/** A conversation in which the assistant has spoken so many times. */
const BODIES: Readonly<Record<WireName, (turns: number) => object>> = {
  anthropic: (turns) => ({ model: "m-1", tools: [{ name: "read" }], messages: messages(turns, "assistant") }),
  responses: (turns) => ({
    model: "m-1",
    tools: [{ type: "function", name: "read" }],
    input: [
      { role: "user", content: "go" },
      ...Array.from({ length: turns }, () => [
        { type: "reasoning" },
        { type: "function_call", name: "read" },
        { type: "function_call_output", output: "ok" },
      ]).flat(),
    ],
  }),
  chat: (turns) => ({
    model: "m-1",
    tools: [{}],
    messages: messages(turns, "assistant"),
    stream_options: { include_usage: true },
  }),
  gemini: (turns) => ({ tools: [{}], contents: messages(turns, "model") }),
};

function messages(turns: number, assistant: string): readonly object[] {
  const spoken = Array.from({ length: turns }, () => [{ role: assistant }, { role: "user" }]);
  return [{ role: "user" }, ...spoken.flat()];
}

function post(url: string, wire: WireName, body: object, isStreamed: boolean): Promise<Response> {
  return fetch(url + PATHS[wire](isStreamed), {
    method: "POST",
    headers: { authorization: "Bearer k", "content-type": "application/json" },
    body: JSON.stringify(isStreamed && wire !== "gemini" ? { ...body, stream: true } : body),
  });
}

async function events(response: Response): Promise<readonly Record<string, unknown>[]> {
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)));
}

/** All texts in a value that stand under one of the names. */
function textsIn(value: unknown, names: readonly string[]): string {
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([name, inner]) => (names.includes(name) && typeof inner === "string" ? inner : textsIn(inner, names)))
    .join("");
}

const WIRES = Object.keys(PATHS) as WireName[];

describe.for(WIRES)("the scripted model API in %s", (wire) => {
  test("answers whole, and counts what it says it counted", async () => {
    const api = await modelApi(SCRIPT, { key: "k" });
    const first = await post(api.url, wire, BODIES[wire](0), false);
    const second = await post(api.url, wire, BODIES[wire](1), false);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(JSON.stringify(await first.json())).toContain("I look.");
    expect(JSON.stringify(await second.json())).toContain("Done: nothing to do.");
    const reasoning = wire === "anthropic" ? 0 : 24;
    expect(api.counted()).toEqual({ ...USAGE, input: 200, output: 60, reasoning });
    expect(totalOf(api.counted())).toBe(300);
    expect(api.calls().map(({ call }) => call)).toEqual([
      { wire, model: "m-1", turns: 0 },
      { wire, model: "m-1", turns: 1 },
    ]);
  });

  test("says the same as a stream", async () => {
    const api = await modelApi(SCRIPT);
    const response = await post(api.url, wire, BODIES[wire](1), true);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const said = await events(response);
    const deltas = said.filter(({ type }) => !/(completed|done|start|created)$/.test(String(type ?? "")));
    expect(textsIn(deltas, ["text", "content", "delta"])).toBe("Done: nothing to do.");
    expect(totalOf(api.counted())).toBe(130);
  });

  test("calls tools in a stream", async () => {
    const api = await modelApi(SCRIPT);
    const text = JSON.stringify(await events(await post(api.url, wire, BODIES[wire](0), true)));
    expect(text).toContain('"read"');
    expect(text).toContain('"h"');
  });

  test("gives side calls the side answer", async () => {
    const api = await modelApi(SCRIPT);
    const response = await post(api.url, wire, { ...BODIES[wire](0), tools: [] }, false);
    expect(await response.text()).toContain("a title");
  });

  test("fails as told: so many times, with status and headers", async () => {
    const error = { status: 429, headers: { "retry-after": "7" }, message: "slow down", times: 1 };
    const api = await modelApi({ steps: [{ error, text: "now" }] });
    const refused = await post(api.url, wire, BODIES[wire](0), true);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(await refused.text()).toContain("slow down");
    expect((await post(api.url, wire, BODIES[wire](0), true)).status).toBe(200);
    expect(api.calls().map(({ status }) => status)).toEqual([429, 200]);
  });

  test("breaks off in the middle, and owes nothing that it can name", async () => {
    const api = await modelApi({ steps: [{ text: "a long enough answer", cut: "middle" }] });
    const response = await post(api.url, wire, BODIES[wire](0), true);
    await expect(response.text()).rejects.toThrow();
    expect([api.counted(), api.calls()[0]?.status]).toEqual([NO_TOKENS, 200]);
    api.play({ steps: [{ text: "x", cut: "start" }] });
    await expect(post(api.url, wire, BODIES[wire](0), true)).rejects.toThrow();
  });

  test("says in the middle that it failed", async () => {
    const midError = { type: "overloaded_error", message: "too busy", before: true };
    const api = await modelApi({ steps: [{ text: "never said", midError }] });
    const text = await (await post(api.url, wire, BODIES[wire](0), true)).text();
    expect(text).toContain("too busy");
    expect(text).not.toContain("never");
  });

  test("hangs until its client has had enough", async () => {
    const api = await modelApi({ steps: [{ text: "x", hang: "headers" }] });
    const enough = new AbortController();
    const asking = fetch(api.url + PATHS[wire](false), {
      method: "POST",
      body: JSON.stringify(BODIES[wire](0)),
      signal: enough.signal,
    });
    const left = expect(asking).rejects.toThrow();
    await expect.poll(() => api.calls()).toHaveLength(1);
    enough.abort();
    await left;
    expect(api.calls()[0]?.status).toBe(0);
  });

  test("turns away who has another key", async () => {
    const api = await modelApi(SCRIPT, { key: "another" });
    expect((await post(api.url, wire, BODIES[wire](0), false)).status).toBe(401);
    expect(api.seen[0]?.headers.authorization).toBe("Bearer k");
  });
});

test("a stream of Chat Completions tells its usage only to who asks for it", async () => {
  const api = await modelApi(SCRIPT);
  const silent = await post(api.url, "chat", { ...BODIES.chat(1), stream_options: undefined }, true);
  const open = await post(api.url, "chat", BODIES.chat(1), true);
  expect([(await silent.text()).includes("usage"), (await open.text()).includes("prompt_tokens")]).toEqual([
    false,
    true,
  ]);
});

test("steps can be of one model, and the script can change", async () => {
  const api = await modelApi({ steps: [{ text: "one" }], models: { "m-1": [{ error: { status: 529 } }] } });
  expect((await post(api.url, "anthropic", BODIES.anthropic(0), false)).status).toBe(529);
  api.play({ steps: [{ text: "two" }] });
  expect(await (await post(api.url, "anthropic", BODIES.anthropic(0), false)).text()).toContain("two");
});

test("what clients ask besides is no call", async () => {
  const api = await modelApi(SCRIPT);
  const besides = ["/", "/v1/models", "/v1/messages/count_tokens", "/v1beta/models/m:countTokens", "/other"];
  const answers = await Promise.all(besides.map((path) => fetch(api.url + path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404]);
  expect([api.calls(), api.seen.length]).toEqual([[], 5]);
});
