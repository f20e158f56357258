/** The gateway passes answers on as they are, and counts exactly what they say. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { NO_TOKENS } from "../../src/limits/prices/tokens.ts";
import { ACCOUNT, AT, ask, ONE, type Standing, standingGateway } from "../support/gateway/fixture.ts";
import { fakeProvider, json, stream } from "../support/gateway/upstream.ts";

const event = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const ANTHROPIC = [
  event(
    { type: "message_start", message: { model: "m", usage: { input_tokens: 20, output_tokens: 1 } } },
    "message_start",
  ),
  event({ type: "content_block_delta", delta: { type: "text_delta", text: 'grüße \u2028 "usage"' } }),
  event({ type: "message_delta", usage: { output_tokens: 15 } }, "message_delta"),
  event({ type: "message_stop" }, "message_stop"),
].join("");
const RESPONSES = [
  event({ type: "response.created", response: { model: "m", usage: null } }),
  event({ type: "response.output_text.delta", delta: "x".repeat(5000) }),
  event({
    type: "response.completed",
    response: {
      model: "m",
      usage: { input_tokens: 20, output_tokens: 15, output_tokens_details: { reasoning_tokens: 5 } },
    },
  }),
].join("");
const CHAT = [
  event({ model: "m", choices: [{ delta: { content: "hi" } }] }),
  event({ model: "m", choices: [], usage: { prompt_tokens: 20, completion_tokens: 15 } }),
  "data: [DONE]\n\n",
].join("");
const GEMINI = [
  event({ candidates: [{ content: { parts: [{ text: "a" }] } }], usageMetadata: { promptTokenCount: 20 } }),
  event({
    candidates: [{ finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, thoughtsTokenCount: 5 },
    modelVersion: "m",
  }),
]
  .join("")
  .replaceAll("\n", "\r\n");

const WIRES = [
  ["anthropic", "/v1/messages?beta=true", { model: "m", max_tokens: 100, stream: true }, ANTHROPIC],
  ["responses", "/v1/responses", { model: "m", max_output_tokens: 100, stream: true }, RESPONSES],
  ["chat", "/v1/chat/completions", { model: "m", stream: true, stream_options: { include_usage: true } }, CHAT],
  ["gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", { contents: [] }, GEMINI],
] as const;

async function spent({ ledger }: Standing): Promise<Readonly<Record<string, readonly [number, number]>>> {
  const rows = await ledger.standing([ACCOUNT], AT);
  return Object.fromEntries(rows.map(({ unit, spent: by, reserved }) => [unit, [by.run, reserved]]));
}

/** In pieces of every size, cut wherever they happen to be cut. */
function pieces(text: string, size: number): readonly Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

describe("a stream", () => {
  for (const [wire, path, body, text] of WIRES)
    it.each([1, 7, 64, 100_000])(`of ${wire} passes unchanged in pieces of %i bytes, and is counted`, async (size) => {
      const provider = await fakeProvider(stream(pieces(text, size)));
      const standing = await standingGateway({ upstream: provider.url });
      const answer = await ask(standing, path, body);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(text);
      expect(provider.asked.map(({ path: to, body: sent }) => [to, JSON.parse(sent)])).toEqual([[path, body]]);
      expect(standing.door.use()).toMatchObject({ usage: { tokens: 35, microUsd: 35 }, calls: 1, refused: 0 });
      expect(standing.calls).toMatchObject([{ answered: "m", status: 200, estimate: null, error: null }]);
      expect(await spent(standing)).toEqual({ tokens: [35, 0], microUsd: [35, 0] });
    });

  it("that is cut costs the input that is known and the output that was reserved, and does not look whole", async () => {
    const [start = ""] = ANTHROPIC.split(/(?<=\n\n)/);
    const provider = await fakeProvider(stream([start], "cut"));
    const standing = await standingGateway({ upstream: provider.url });
    await expect(ask(standing, "/v1/messages", { model: "m", max_tokens: 100, stream: true })).rejects.toThrow();
    await expect
      .poll(() => standing.calls)
      .toMatchObject([
        {
          tokens: { ...NO_TOKENS, input: 20, output: 100 },
          charged: { tokens: 120, microUsd: 120 },
          estimate: "the answer was cut: its output is charged as it was reserved",
          error: "cut by the provider",
        },
      ]);
    expect(await spent(standing)).toEqual({ tokens: [120, 0], microUsd: [120, 0] });
  });

  it("that a client leaves is ended at the provider too, and charged", async () => {
    let isGone = false;
    const provider = await fakeProvider((_asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(ANTHROPIC.slice(0, 200));
      response.on("close", () => {
        isGone = true;
      });
    });
    const standing = await standingGateway({ upstream: provider.url });
    const leave = new AbortController();
    const response = await fetch(`${standing.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": standing.token },
      body: JSON.stringify({ model: "m", max_tokens: 100, stream: true }),
      signal: leave.signal,
    });
    await response.body?.getReader().read();
    leave.abort();
    await expect.poll(() => standing.calls).toMatchObject([{ error: "cut by the client", charged: { tokens: 120 } }]);
    await expect.poll(() => isGone).toBe(true);
  });

  it("that says nothing of what it took costs what was reserved", async () => {
    const provider = await fakeProvider(stream(["data: [DONE]\n\n"]));
    const standing = await standingGateway({ upstream: provider.url });
    const body = JSON.stringify({ model: "m", max_tokens: 100, stream: true });
    await ask(standing, "/v1/messages", body);
    const reserved = Buffer.byteLength(body) + 2048 + 100;
    expect(standing.calls).toMatchObject([{ tokens: null, charged: { tokens: reserved, microUsd: reserved } }]);
    expect(await spent(standing)).toEqual({ tokens: [reserved, 0], microUsd: [reserved, 0] });
  });

  it("of a client that did not ask what it took does not tell it, and is counted all the same", async () => {
    const provider = await fakeProvider(stream(pieces(CHAT, 11)));
    const standing = await standingGateway({ upstream: provider.url });
    const answer = await ask(standing, "/v1/chat/completions", { model: "m", stream: true });
    expect(answer.text).toBe(`${CHAT.split("\n\n")[0]}\n\ndata: [DONE]\n\n`);
    expect(JSON.parse(provider.asked[0]?.body ?? "")).toMatchObject({ stream_options: { include_usage: true } });
    expect(standing.door.use().usage).toEqual({ tokens: 35, microUsd: 35 });
  });
});

describe("an answer in one piece", () => {
  const USAGE = { input_tokens: 20, output_tokens: 15 };

  it("is counted, and is settled before the client sees it", async () => {
    const provider = await fakeProvider(json({ model: "m", usage: USAGE, content: [] }));
    const standing = await standingGateway({ upstream: provider.url, settleMs: 100 });
    const answer = await ask(standing, "/v1/messages", { model: "m", max_tokens: 100 });
    expect(JSON.parse(answer.text)).toEqual({ model: "m", usage: USAGE, content: [] });
    expect(await spent(standing)).toEqual({ tokens: [35, 0], microUsd: [35, 0] });
  });

  it("that comes compressed is read, and passed on plain", async () => {
    const provider = await fakeProvider((_asked, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync(JSON.stringify({ model: "m", usage: USAGE })));
    });
    const standing = await standingGateway({ upstream: provider.url });
    const answer = await ask(standing, "/v1/messages", { model: "m", max_tokens: 100 });
    expect(JSON.parse(answer.text)).toEqual({ model: "m", usage: USAGE });
    expect(provider.asked[0]?.headers["accept-encoding"]).toBe("identity");
    expect(standing.door.use().usage.tokens).toBe(35);
  });

  it("of a model without a price costs the tokens it says and the money that was reserved", async () => {
    const provider = await fakeProvider(json({ model: "who-knows", usage: USAGE }));
    const standing = await standingGateway({ upstream: provider.url });
    await ask(standing, "/v1/messages", { model: "who-knows", max_tokens: 100 });
    const [call] = standing.calls;
    expect(call).toMatchObject({
      charged: { tokens: 35 },
      estimate: expect.stringContaining("price of the model is not known"),
    });
    expect(call?.charged.microUsd).toBeGreaterThan(10_000);
  });

  it("is billed as the model that answered, not as the one that was asked", async () => {
    const provider = await fakeProvider(json({ model: "dear", usage: USAGE }));
    const dear = { ...ONE, rates: { ...ONE.rates, output: 100 } };
    const standing = await standingGateway({ upstream: provider.url, prices: { m: ONE, dear } });
    await ask(standing, "/v1/messages", { model: "m", max_tokens: 100 });
    expect(standing.calls).toMatchObject([{ asked: "m", answered: "dear", charged: { microUsd: 20 + 1500 } }]);
  });

  it.each([
    ["negative", { input_tokens: -20, output_tokens: 15 }],
    ["no whole numbers", { input_tokens: 20.5, output_tokens: 15 }],
    ["more than any call takes", { input_tokens: 9_007_199_254_740_991, output_tokens: 9_007_199_254_740_991 }],
  ])("whose counts are %s costs what was reserved, and leaves nothing held", async (_, usage) => {
    const provider = await fakeProvider(json({ model: "m", usage }));
    const standing = await standingGateway({ upstream: provider.url });
    const answer = await ask(standing, "/v1/messages", { model: "m", max_tokens: 100 });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { model: "m", usage }]);
    const held = 100 + 2048 + Buffer.byteLength('{"model":"m","max_tokens":100}');
    expect(await spent(standing)).toEqual({ tokens: [held, 0], microUsd: [held, 0] });
  });

  it("whose price is beyond counting costs what was reserved", async () => {
    const provider = await fakeProvider(json({ model: "dear", usage: USAGE }));
    const dear = { ...ONE, rates: { ...ONE.rates, output: 1e300 } };
    const standing = await standingGateway({ upstream: provider.url, prices: { m: ONE, dear } });
    expect((await ask(standing, "/v1/messages", { model: "m", max_tokens: 100 })).status).toBe(200);
    expect(standing.calls[0]?.estimate).toContain("nobody can count");
    expect((await spent(standing))["tokens"]?.[1]).toBe(0);
  });

  it("that is an error costs nothing", async () => {
    const error = { type: "error", error: { type: "rate_limit_error", message: "slow down" } };
    const provider = await fakeProvider(json(error, 429, { "retry-after": "7" }));
    const standing = await standingGateway({ upstream: provider.url });
    const answer = await ask(standing, "/v1/messages", { model: "m", max_tokens: 100 });
    expect([answer.status, answer.headers.get("retry-after"), JSON.parse(answer.text)]).toEqual([429, "7", error]);
    expect(standing.calls).toMatchObject([
      { status: 429, error: "rate_limit_error", charged: { tokens: 0, microUsd: 0 } },
    ]);
    expect((await spent(standing))["tokens"]).toEqual([0, 0]);
  });
});

describe("a provider that is not there", () => {
  it("costs nothing when nobody can have got the request", async () => {
    const standing = await standingGateway({ upstream: "http://127.0.0.1:9" });
    const answer = await ask(standing, "/v1/messages", { model: "m", max_tokens: 100 });
    expect(answer.status).toBe(502);
    expect(JSON.parse(answer.text)).toMatchObject({ type: "error", error: { type: "api_error" } });
    expect(standing.calls).toMatchObject([{ charged: { tokens: 0, microUsd: 0 } }]);
  });

  it("costs what was reserved when it broke off after it got the request", async () => {
    const provider = await fakeProvider((_asked, _response, request) => void request.socket.destroy());
    const standing = await standingGateway({ upstream: provider.url });
    expect((await ask(standing, "/v1/messages", { model: "m", max_tokens: 100 })).status).toBe(502);
    expect(standing.calls[0]?.charged.tokens).toBeGreaterThan(2000);
  });
});
