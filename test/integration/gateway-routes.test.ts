/** Tiers, chains, failover and rates through the gateway, over HTTP, against the scripted model API. */
import { expect, test } from "vitest";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { mergeRoutes, type RouteDraft } from "../../src/limits/routes/settings.ts";
import { KEY, meteredIn, routerWith, type Standing, standingGateway } from "../support/gateway/fixture.ts";
import { modelApi } from "../support/model-api/fixture.ts";
import type { Script } from "../support/model-api/script.ts";
import type { ModelApi } from "../support/model-api/server.ts";

const QUICK = { firstMs: 1, maxMs: 50 };

interface Setup {
  readonly api: ModelApi;
  readonly gateway: Standing;
  ask(model: string, change?: object): Promise<Response>;
}

async function setUp(script: Script, draft: Partial<RouteDraft> = {}): Promise<Setup> {
  const api = await modelApi(script, { key: KEY });
  const clock = createSystemClock();
  const settings = mergeRoutes([
    { tiers: {}, retry: QUICK, bench: {}, rates: { providers: {}, tenants: {} }, ...draft },
  ]);
  const gateway = await standingGateway({ upstream: api.url, router: routerWith(settings, clock), clock });
  const ask = (model: string, change: object = {}): Promise<Response> =>
    fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": gateway.token, "content-type": "application/json" },
      body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: "user", content: "hi" }], ...change }),
    });
  return { api, gateway, ask };
}

const hello: Script["steps"] = [{ text: "hello", usage: { input: 10, output: 5 } }];
const busy = (status: number, rest: object = {}): Script["steps"] => [{ error: { status, ...rest } }];
const asked = ({ api }: Setup): readonly string[] => api.calls().map(({ call }) => call?.model ?? "");

test("a tier is answered by the first of its models that does, and the answer says who it was", async () => {
  const setup = await setUp(
    { steps: hello, models: { "claude-a": busy(529) } },
    { tiers: { smart: ["claude-a", "claude-b"] } },
  );
  const response = await setup.ask("smart");
  expect([response.status, response.headers.get("x-pawl-model")]).toEqual([200, "anthropic/claude-b"]);
  expect(response.headers.get("x-pawl-passed-over")).toBe(
    "anthropic/claude-a: 529 overloaded_error; anthropic/claude-a: 529 overloaded_error",
  );
  expect(await response.text()).toContain("hello");
  expect(asked(setup)).toEqual(["claude-a", "claude-a", "claude-b"]);
  expect(setup.gateway.calls).toMatchObject([
    {
      asked: "smart",
      provider: "anthropic",
      answered: "claude-b",
      passedOver: [
        { model: "anthropic/claude-a", why: "529 overloaded_error" },
        { model: "anthropic/claude-a", why: "529 overloaded_error" },
      ],
    },
  ]);
  expect(meteredIn(setup.gateway)).toEqual(setup.api.counted());
});

test("a pinned model is never exchanged", async () => {
  const setup = await setUp({ steps: hello, models: { "claude-a": busy(529) } });
  const response = await setup.ask("claude-a");
  expect([response.status, response.headers.get("x-pawl-model")]).toEqual([529, "anthropic/claude-a"]);
  expect(asked(setup)).toEqual(["claude-a", "claude-a"]);
});

test("a chain with an effort says it in the words of the wire", async () => {
  const setup = await setUp({ steps: hello, models: { "claude-a": busy(503) } });
  await setup.ask("claude-a,claude-b:high");
  const sent = setup.api.calls().map(({ body }) => JSON.parse(body));
  expect(sent.map(({ model, output_config }) => [model, output_config])).toEqual([
    ["claude-a", undefined],
    ["claude-a", undefined],
    ["claude-b", { effort: "high" }],
  ]);
});

test("a request that is wrong is passed to nobody else", async () => {
  for (const status of [400, 401, 403]) {
    const setup = await setUp({ steps: hello, models: { "claude-a": busy(status) } });
    expect((await setup.ask("claude-a,claude-b")).status).toBe(status);
    expect(asked(setup)).toEqual(["claude-a"]);
  }
});

test("an overloaded stream is given up for another as long as nothing of it was passed on", async () => {
  const midError = { type: "overloaded_error", message: "busy", before: true };
  const setup = await setUp({ steps: hello, models: { "claude-a": [{ text: "never", midError }] } });
  const response = await setup.ask("claude-a,claude-b", { stream: true });
  const text = await response.text();
  expect(response.headers.get("x-pawl-model")).toBe("anthropic/claude-b");
  expect([text.includes("never"), text.includes("overloaded")]).toEqual([false, false]);
  expect(asked(setup)).toEqual(["claude-a", "claude-a", "claude-b"]);
});

test("a stream that has begun is nobody else's: the client sees how it ends", async () => {
  const midError = { type: "overloaded_error", message: "busy" };
  const setup = await setUp({ steps: hello, models: { "claude-a": [{ text: "begun and left", midError }] } });
  const text = await (await setup.ask("claude-a,claude-b", { stream: true })).text();
  expect([text.includes("message_start"), text.includes("overloaded_error")]).toEqual([true, true]);
  expect(asked(setup)).toEqual(["claude-a"]);
});

test("a try that may have been billed is not repeated, and is charged", async () => {
  for (const cut of ["start", "middle"] as const) {
    const setup = await setUp({ steps: hello, models: { "claude-a": [{ text: "x", cut }] } });
    const broken = await setup.ask("claude-a,claude-b");
    expect(broken.status).toBe(502);
    expect(asked(setup)).toEqual(["claude-a"]);
    expect(setup.gateway.door.use().usage.tokens).toBeGreaterThan(100);
  }
});

test("a model that asks for much time is left alone from then on", async () => {
  const away = { headers: { "retry-after": "3600" } };
  const setup = await setUp({ steps: hello, models: { "claude-a": busy(429, away) } });
  expect((await setup.ask("claude-a,claude-b")).headers.get("x-pawl-model")).toBe("anthropic/claude-b");
  await setup.ask("claude-a,claude-b");
  expect(asked(setup)).toEqual(["claude-a", "claude-b", "claude-b"]);
  const alone = await setup.ask("claude-a");
  expect([alone.status, Number(alone.headers.get("retry-after")) > 3500]).toEqual([429, true]);
  expect(await alone.text()).toContain("GATEWAY_MODELS_RESTING");
  expect(setup.gateway.door.use().parkedUntil).toBeGreaterThan(Date.now() + 3_500_000);
});

test("a model that asks for more time than anybody has is asked again, and nobody rests for it", async () => {
  const away = { headers: { "retry-after": "99999999999999" } };
  const setup = await setUp({ steps: hello, models: { "claude-a": busy(429, away) } });
  expect((await setup.ask("claude-a")).status).toBe(429);
  expect(setup.gateway.door.use().parkedUntil).toBeNull();
  expect(asked(setup).length).toBeGreaterThan(1);
});

test("the door knows what its last call got, and when no call has any hope", async () => {
  const over = { type: "overloaded_error", message: "busy" };
  const setup = await setUp({
    steps: hello,
    models: {
      busy: busy(429, { message: "slow down" }),
      failing: [{ text: "begun and left", midError: over }],
      cut: [{ text: "x", cut: "middle" }],
      wrong: busy(401, { message: `no ${KEY}` }),
    },
  });
  const { door } = setup.gateway;
  const after = async (model: string, change: object = {}): Promise<unknown> => {
    await (await setup.ask(model, change)).text().catch(() => undefined);
    return door.lastRefusal()?.why ?? null;
  };
  const tools = [{ name: "t", input_schema: { type: "object" } }];
  expect(await after("busy")).toBe("rate_limited");
  // It rests now, and why is known.
  expect(await after("busy")).toBe("rate_limited");
  expect(await after("claude-b", { tools })).toBeNull();
  expect(await after("failing", { tools, stream: true })).toBe("overloaded");
  expect(await after("claude-b")).toBe("overloaded");
  expect(await after("cut", { tools, stream: true })).toBe("provider");
  for (let call = 0; call < 3; call += 1) expect(await after("wrong", { tools })).toBe("auth");
  expect(await door.hopeless).toEqual({ why: "auth", error: expect.not.stringContaining(KEY), isAll: false });
});

test("a title that is answered does not make the quota of the work come back", async () => {
  const away = { headers: { "retry-after": "3600" } };
  const setup = await setUp({ steps: hello, models: { "claude-a": busy(429, away) } });
  const tools = [{ name: "t", input_schema: { type: "object" } }];
  await (await setup.ask("claude-a", { tools })).text();
  await (await setup.ask("claude-b")).text();
  expect(setup.gateway.door.use().parkedUntil).toBeGreaterThan(Date.now() + 3_500_000);
  await (await setup.ask("claude-b", { tools })).text();
  expect(setup.gateway.door.use().parkedUntil).toBeNull();
});

test("models of other wires are passed over by name, and a route without any is refused", async () => {
  const setup = await setUp({ steps: hello }, { tiers: { smart: ["gpt-x", "claude-b"] } });
  const response = await setup.ask("smart");
  expect(response.headers.get("x-pawl-passed-over")).toBe(
    "openai/gpt-x: openai does not speak anthropic, and requests are not translated",
  );
  const lost = await setup.ask("gpt-x,gpt-y");
  expect(lost.status).toBe(400);
  expect(await lost.text()).toContain("GATEWAY_ROUTE_UNFIT");
  expect(asked(setup)).toEqual(["claude-b"]);
});

test("a rate that is used up lets nothing through, and says when it will", async () => {
  const rates = { providers: { anthropic: { requests: 2, tokens: null } }, tenants: {} };
  const setup = await setUp({ steps: hello }, { rates });
  const answers = [await setup.ask("claude-b"), await setup.ask("claude-b"), await setup.ask("claude-b")];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(20);
  expect(setup.api.calls()).toHaveLength(2);
});
