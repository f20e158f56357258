/** Who may call, how much, and what never leaves the gateway. */
import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { ACCOUNT, AT, ask, KEY, ONE, type Standing, standingGateway } from "../support/gateway/fixture.ts";
import { fakeProvider, json } from "../support/gateway/upstream.ts";

const OK = json({ model: "m", usage: { input_tokens: 20, output_tokens: 15 }, content: [] });
const BODY = { model: "m", max_tokens: 100 };

/** Without the conveniences of fetch: any header as it is. */
function raw(
  standing: Standing,
  path: string,
  headers: Record<string, string>,
  method = "POST",
): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(standing.url + path, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve([response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8")]));
    });
    request.on("error", reject);
    request.end(method === "POST" ? JSON.stringify(BODY) : undefined);
  });
}

describe("a token", () => {
  it("is taken wherever a client puts it, and stays here; the key goes to the provider only", async () => {
    const provider = await fakeProvider(OK);
    const standing = await standingGateway({ upstream: provider.url });
    const { token } = standing;
    for (const headers of [{ "x-api-key": token }, { authorization: `Bearer ${token}` }, { "x-goog-api-key": token }])
      expect((await raw(standing, "/v1/messages", headers))[0]).toBe(200);
    expect((await raw(standing, `/v1beta/models/m:generateContent?key=${token}&alt=json`, {}))[0]).toBe(200);
    expect(provider.asked.map(({ path }) => path).at(-1)).toBe("/v1beta/models/m:generateContent?alt=json");
    expect(JSON.stringify(provider.asked)).not.toContain(token);
    expect(provider.asked.map(({ headers }) => headers["x-api-key"] ?? headers["x-goog-api-key"])).toEqual(
      Array.from({ length: 4 }, () => KEY),
    );
  });

  it.each([
    ["none", {}],
    ["another", { "x-api-key": "pawl-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
    ["the key of the provider", { authorization: `Bearer ${KEY}` }],
    ["an empty one", { "x-api-key": "" }],
  ])("that is %s lets nobody through", async (_name, headers) => {
    const provider = await fakeProvider(OK);
    const standing = await standingGateway({ upstream: provider.url });
    for (const path of ["/v1/messages", "/v1/responses", "/v1/chat/completions", "/v1beta/models/m:generateContent"]) {
      const [status, text] = await raw(standing, path, headers);
      expect([status, JSON.parse(text)]).toMatchObject([401, { error: {} }]);
    }
    expect((await raw(standing, "/v1/models", headers, "GET"))[0]).toBe(401);
    expect(provider.asked).toEqual([]);
  });

  it("is good no more when its grant is closed, and what is under way is ended and charged", async () => {
    const provider = await fakeProvider(() => undefined);
    const standing = await standingGateway({ upstream: provider.url });
    const waiting = ask(standing, "/v1/messages", BODY).catch(() => null);
    await expect.poll(() => provider.asked.length).toBe(1);
    const use = await standing.door.close();
    expect(use.calls).toBe(1);
    expect(use.usage.tokens).toBeGreaterThan(2000);
    expect((await waiting)?.status).toBe(502);
    expect((await ask(standing, "/v1/messages", BODY)).status).toBe(401);
    expect(await standing.door.close()).toEqual(use);
  });
});

describe("the key", () => {
  it("is in no answer, whatever a provider repeats", async () => {
    const provider = await fakeProvider(
      json({ error: { message: `Incorrect API key provided: ${KEY}.` } }, 401, {
        "x-request-id": `r-${KEY}`,
        "x-secret": KEY,
      }),
    );
    const standing = await standingGateway({ upstream: provider.url });
    const answers = [
      await ask(standing, "/v1/messages", BODY),
      await ask(standing, "/v1/messages/count_tokens", BODY),
      await ask(standing, "/v1/chat/completions", BODY),
    ];
    const told = answers.map(({ text, headers }) => text + JSON.stringify([...headers]));
    for (const text of told) expect(text).not.toContain(KEY);
    expect(told[0]).toContain("Incorrect API key provided: [redacted");
    expect(JSON.stringify(standing.calls)).not.toContain(KEY);
    expect(JSON.stringify(await standing.records.read(ACCOUNT.name))).not.toContain(KEY);
  });

  it("that is missing is said, and nothing is sent", async () => {
    const provider = await fakeProvider(OK);
    const standing = await standingGateway({ upstream: provider.url, keys: new Map([["openai", KEY]]) });
    const answer = await ask(standing, "/v1/messages", BODY);
    expect([answer.status, answer.text]).toEqual([401, expect.stringContaining("There is no key for anthropic.")]);
    expect((await ask(standing, "/v1/messages/count_tokens", BODY)).status).toBe(401);
    expect(provider.asked).toEqual([]);
  });
});

describe("headers", () => {
  it("pass by name, both ways", async () => {
    const provider = await fakeProvider(
      json({}, 200, {
        "anthropic-ratelimit-tokens-remaining": "5",
        "set-cookie": "a=b",
        server: "x",
        "request-id": "r",
      }),
    );
    const standing = await standingGateway({ upstream: provider.url });
    const given = {
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "b",
      cookie: "c=d",
      "openai-organization": "o",
    };
    const { headers } = await ask(standing, "/v1/messages", BODY, { ...given, "x-forwarded-for": "1.2.3.4" });
    const sent = provider.asked[0]?.headers ?? {};
    expect(sent).toMatchObject({ "anthropic-version": "2023-06-01", "anthropic-beta": "b", "x-api-key": KEY });
    expect(Object.keys(sent).filter((name) => /cookie|organization|forwarded|authorization/.test(name))).toEqual([]);
    expect(headers.get("anthropic-ratelimit-tokens-remaining")).toBe("5");
    expect([headers.get("set-cookie"), headers.get("server"), headers.get("request-id")]).toEqual([null, null, "r"]);
  });
});

describe("a budget", () => {
  it.each(["/v1/messages", "/v1/responses", "/v1/chat/completions", "/v1beta/models/m:generateContent"])(
    "that is reached refuses %s with 402, tells not to try again, and sends nothing",
    async (path) => {
      const provider = await fakeProvider(OK);
      const standing = await standingGateway({ upstream: provider.url, caps: { microUsd: 1000 } });
      const answer = await ask(standing, path, BODY);
      expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([402, "false"]);
      expect(answer.text).toContain("GATEWAY_BUDGET_REACHED");
      expect(JSON.parse(answer.text)).toMatchObject({ error: {} });
      expect(provider.asked).toEqual([]);
      expect(standing.door.use()).toMatchObject({ calls: 0, refused: 1, usage: { tokens: 0 } });
    },
  );

  it("is never overspent by calls that come at once", async () => {
    const provider = await fakeProvider(OK);
    const each = Buffer.byteLength(JSON.stringify(BODY)) + 2048 + 100;
    const standing = await standingGateway({ upstream: provider.url, caps: { tokens: 3 * each } });
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(standing, "/v1/messages", BODY)));
    const good = answers.filter(({ status }) => status === 200).length;
    expect(good).toBeGreaterThanOrEqual(3);
    expect(answers.every(({ status }) => status === 200 || status === 402)).toBe(true);
    expect(provider.asked.length).toBe(good);
    const [tokens] = await standing.ledger.standing([ACCOUNT], AT);
    expect([tokens?.spent.run, tokens?.reserved]).toEqual([good * 35, 0]);
  });

  it("is not overspent by what a tool of the provider brings", async () => {
    const provider = await fakeProvider(json({ model: "m", usage: { input_tokens: 50_000, output_tokens: 15 } }));
    const standing = await standingGateway({ upstream: provider.url, caps: { tokens: 10_000 } });
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    expect((await ask(standing, "/v1/messages", { ...BODY, tools })).status).toBe(402);
    expect(provider.asked).toEqual([]);
  });

  it("is free again for the next call as soon as an answer has ended", async () => {
    const provider = await fakeProvider(OK);
    const each = Buffer.byteLength(JSON.stringify(BODY)) + 2048 + 100;
    const standing = await standingGateway({ upstream: provider.url, caps: { tokens: each + 35 * 9 } });
    for (let call = 0; call < 10; call += 1) expect((await ask(standing, "/v1/messages", BODY)).status).toBe(200);
    expect((await ask(standing, "/v1/messages", BODY)).status).toBe(402);
  });

  it("of calls is kept, and lists of providers too", async () => {
    const provider = await fakeProvider(OK);
    const grant = { calls: 2, providers: ["anthropic"] };
    const standing = await standingGateway({ upstream: provider.url, grant });
    expect((await ask(standing, "/v1/chat/completions", BODY)).status).toBe(403);
    expect((await ask(standing, "/v1beta/models/m:countTokens", BODY)).status).toBe(403);
    const statuses = [1, 2, 3].map(async () => (await ask(standing, "/v1/messages", BODY)).status);
    expect((await Promise.all(statuses)).sort()).toEqual([200, 200, 402]);
    expect(provider.asked.length).toBe(2);
  });
});

describe("what is not a call", () => {
  it("passes without being billed: counting tokens and listing models", async () => {
    const provider = await fakeProvider(json({ input_tokens: 7 }));
    const standing = await standingGateway({ upstream: provider.url, caps: { microUsd: 0 } });
    expect((await ask(standing, "/v1/messages/count_tokens", BODY)).text).toBe('{"input_tokens":7}');
    expect((await raw(standing, "/v1/models?limit=5", { "x-api-key": standing.token }, "GET"))[0]).toBe(200);
    expect((await raw(standing, "/v1beta/models", { "x-goog-api-key": standing.token }, "GET"))[0]).toBe(200);
    expect(provider.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /v1/messages/count_tokens",
      "GET /v1/models?limit=5",
      "GET /v1beta/models",
    ]);
    expect(standing.calls).toEqual([]);
  });

  it.each([
    ["POST", "/v1/embeddings", { error: { code: "GATEWAY_ROUTE_UNKNOWN", type: "not_found_error" } }],
    ["POST", "/v1/messages/batches", { type: "error", error: { type: "not_found_error" } }],
    ["POST", "/v1beta/models/m:embedContent", { error: { code: 404, status: "NOT_FOUND" } }],
    ["GET", "/v1/responses/r_1", { error: { code: "GATEWAY_ROUTE_UNKNOWN" } }],
    ["GET", "/v1/models/../../admin", { error: { code: "GATEWAY_ROUTE_UNKNOWN" } }],
    ["POST", "//evil.example/v1/messages", { error: {} }],
  ])("is unknown at %s %s", async (method, path, body) => {
    const provider = await fakeProvider(OK);
    const standing = await standingGateway({ upstream: provider.url });
    const [status, text] = await raw(standing, path, { "x-api-key": standing.token }, method);
    expect([status, JSON.parse(text)]).toMatchObject([404, body]);
    expect(provider.asked).toEqual([]);
  });

  it("is refused under a name that is not ours", async () => {
    const standing = await standingGateway({ upstream: "http://127.0.0.1:9" });
    for (const host of ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
      expect((await raw(standing, "/v1/messages", { host, "x-api-key": standing.token }))[0]).toBe(403);
  });

  it("is refused when it is too large, compressed, or no JSON object", async () => {
    const provider = await fakeProvider(OK);
    const standing = await standingGateway({ upstream: provider.url, mostRequestBytes: 1000 });
    expect((await ask(standing, "/v1/messages", { ...BODY, x: "x".repeat(1000) })).status).toBe(413);
    expect((await ask(standing, "/v1/messages", "[]")).status).toBe(400);
    expect((await ask(standing, "/v1/messages", "{")).status).toBe(400);
    expect((await ask(standing, "/v1/messages", { max_tokens: 1 })).text).toContain("it names no model");
    expect((await ask(standing, "/v1/messages", BODY, { "content-encoding": "gzip" })).status).toBe(400);
    expect(provider.asked).toEqual([]);
  });

  it("too large is told so, whether or not it says how large it is", async () => {
    const standing = await standingGateway({ upstream: "http://127.0.0.1:9", mostRequestBytes: 1000 });
    const bytes = Buffer.alloc(4_000_000, "x");
    for (const length of [{ "transfer-encoding": "chunked" }, { "content-length": bytes.length }]) {
      const status = await new Promise((resolve, reject) => {
        const headers = { "x-api-key": standing.token, ...length };
        const sent = httpRequest(`${standing.url}/v1/messages`, { method: "POST", headers }, (answer) => {
          answer.resume().on("end", () => resolve(answer.statusCode));
        });
        sent.on("error", reject).end(bytes);
      });
      expect(status).toBe(413);
    }
  });

  it("deeply nested is no reason to fall over", async () => {
    const provider = await fakeProvider(OK);
    const standing = await standingGateway({ upstream: provider.url });
    const deep = `{"model":"m","max_tokens":1,"messages":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    expect((await ask(standing, "/v1/messages", deep)).status).toBeGreaterThanOrEqual(400);
    expect((await ask(standing, "/v1/messages", BODY)).status).toBe(200);
  });
});

describe("a price of nothing", () => {
  it("lets a model of one's own through without money", async () => {
    const provider = await fakeProvider(OK);
    const free = {
      ...ONE,
      rates: { ...ONE.rates, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0, reasoning: 0 },
    };
    const standing = await standingGateway({ upstream: provider.url, prices: { m: free }, caps: { microUsd: 0 } });
    expect((await ask(standing, "/v1/messages", BODY)).status).toBe(200);
  });
});
