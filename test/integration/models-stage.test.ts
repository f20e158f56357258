/** A stage behind its wall calls a model through the gateway, and reaches nothing else; the key stays with the host. */
import { afterAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/run/events.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { webServer } from "../support/egress-client.ts";
import { type FakeProvider, fakeProvider, json } from "../support/gateway/upstream.ts";
import { commitFiles } from "../support/git-project.ts";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";
import { tempDir } from "../support/temp-dir.ts";

const KEY = "sk-real-7c2f19d4a6b84e30";
const MODEL = "claude-haiku-4-5";
const ANSWER = {
  model: MODEL,
  usage: { input_tokens: 1000, output_tokens: 200 },
  content: [{ type: "text", text: "4" }],
};

/** An agent: calls as often as it is told, then says all it knows and all it can reach. */
const AGENT = `
const net = require("node:net");
const base = process.env.ANTHROPIC_BASE_URL;
const call = async (path, token = process.env.ANTHROPIC_API_KEY) => {
  const answer = await fetch(base + path, {
    method: "POST", headers: { "x-api-key": token, "content-type": "application/json" },
    body: JSON.stringify({ model: "${MODEL}", max_tokens: 300, messages: [{ role: "user", content: "2 + 2" }] }),
  });
  return [answer.status, (await answer.text()).slice(0, 80)];
};
const reach = (host, port) => new Promise((done) => {
  const socket = net.connect(port, host, () => { done("reached"); socket.destroy(); });
  socket.on("error", (error) => done(error.code));
  socket.setTimeout(2000, () => { done("silence"); socket.destroy(); });
});
(async () => {
  const [times, ...places] = process.argv.slice(2);
  const answers = [];
  for (let at = 0; at < Number(times); at += 1) answers.push(await call("/v1/messages"));
  const wrong = await call("/v1/messages", "pawl-wrong");
  const reached = [];
  for (const place of places) reached.push(await reach(...place.split(":")));
  require("node:fs").writeFileSync("seen.json", JSON.stringify({ answers, wrong, reached, env: process.env }));
})();
`;

afterAll(removeFolders);

interface Seen {
  readonly answers: readonly (readonly [number, string])[];
  readonly wrong: readonly [number, string];
  readonly reached: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function agentRun(provider: FakeProvider, models: string, args: readonly string[]) {
  const root = makeFolder();
  commitFiles(root, {
    "agent.js": AGENT,
    "blueprint.yaml": `version: 1
name: agent
policy: { allow: [{ run: ["node", "**"] }] }
stages:
  - { id: work, command: [node, agent.js, ${args.map((arg) => JSON.stringify(arg)).join(", ")}], models: ${models}, outputs: { seen: seen.json }, timeout: 30s }
`,
  });
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: tempDir(),
    ANTHROPIC_API_KEY: KEY,
    PAWL_ANTHROPIC_URL: `${provider.url}/v1`,
  };
  const runtime = await openRuntime({ root, config: readConfig({ env, flags: { root } }) });
  try {
    const { plan } = await runtime.compile("blueprint.yaml", {});
    if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
    const { run, ended } = await runtime.start(plan.value, {});
    await ended;
    const events: RunEvent[] = (await runtime.read(run, 0, 1000)).map(({ event }) => event);
    const finished = events.find((event) => event.type === "stage.finished");
    if (finished?.type !== "stage.finished") throw new Error(JSON.stringify(events));
    const ref = finished.artifacts?.["seen"];
    const log = finished.log === undefined ? "" : Buffer.from(await runtime.log(finished.log)).toString("utf8");
    if (ref === undefined) throw new Error(`${JSON.stringify(finished)}\n${log}`);
    const text = Buffer.from(await runtime.log({ ...ref, dropped: 0 })).toString("utf8");
    return { seen: JSON.parse(text) as Seen, finished, events, log, bound: plan.value.bound };
  } finally {
    await runtime.close();
  }
}

describe("a stage with models", () => {
  it("calls one through the gateway, sees no key, and reaches no other address", { timeout: 600_000 }, async () => {
    const provider = await fakeProvider(json(ANSWER));
    const other = await webServer("other");
    const places = [`127.0.0.1:${other.port}`, "1.1.1.1:443", `127.0.0.1:${new URL(provider.url).port}`];
    const { seen, finished, events, log } = await agentRun(provider, "{ tokens: 100k, usd: 1 }", ["2", ...places]);
    expect(seen.answers).toEqual([
      [200, expect.stringContaining(MODEL)],
      [200, expect.stringContaining(MODEL)],
    ]);
    expect(seen.wrong[0]).toBe(401);
    expect(seen.reached).toEqual(places.map(() => expect.stringMatching(/^E|silence/)));
    expect(provider.asked.map(({ headers }) => headers["x-api-key"])).toEqual([KEY, KEY]);
    expect(other.requests).toEqual([]);
    // $1 and $5 per million tokens.
    expect(finished.usage).toEqual({ tokens: 2400, microUsd: 2 * (1000 + 5 * 200) });
    expect(JSON.stringify([seen, events, log])).not.toContain(KEY);
    expect(seen.env).toMatchObject({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:3129",
      OPENAI_BASE_URL: "http://127.0.0.1:3129/v1",
      GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:3129",
      ANTHROPIC_API_KEY: expect.stringMatching(/^pawl-/),
      OPENAI_API_KEY: seen.env["ANTHROPIC_API_KEY"],
    });
    expect(seen.env["HTTP_PROXY"]).toBeUndefined();
  });

  it("is stopped at its budget within one refused call", { timeout: 600_000 }, async () => {
    const provider = await fakeProvider(json(ANSWER));
    const { seen, finished, bound } = await agentRun(provider, "{ tokens: 10k, usd: 1 }", ["12"]);
    const statuses = seen.answers.map(([status]) => status);
    const good = statuses.filter((status) => status === 200).length;
    expect(good).toBeGreaterThan(2);
    expect(statuses).toEqual([...Array(good).fill(200), ...Array(12 - good).fill(402)]);
    expect(provider.asked).toHaveLength(good);
    expect(finished.usage?.tokens).toBe(good * 1200);
    expect(finished.usage?.tokens).toBeLessThanOrEqual(bound.tokens);
    expect(bound).toMatchObject({ tokens: 10_000, microUsd: 1_000_000 });
  });
});
