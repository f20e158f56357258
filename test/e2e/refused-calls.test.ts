/** A provider that refuses a call: a time that it names is waited for exactly, and one that wants money is not waited for at all. */
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { RunEvent, StoredEvent } from "../../src/run/events.ts";
import { createProject, type Project } from "../support/cli.ts";
import { slowness } from "../support/slowness.ts";

const KEY = "sk-e2e-0123456789abcdefghij";
/** Any program that asks a model once and gives up when it is refused, as agents do that Pawl does not know. */
const ASK = `const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { authorization: "Bearer " + process.env.OPENAI_API_KEY, "content-type": "application/json" },
  body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: "Hi" }], max_tokens: 9 }),
});
const text = await answer.text();
console.log(answer.status, text);
if (!answer.ok) process.exit(1);
`;
const BLUEPRINT = `version: 1
name: ask
policy: { allow: [{ run: [node, "**"] }] }
stages:
  - { id: ask, command: [node, ask.mjs], effect: idempotent, quota: any, models: { tokens: 500k, usd: 5, calls: 20 } }
`;
const ANSWER = {
  ...{ id: "c1", object: "chat.completion", created: 1, model: "gpt-5" },
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

interface Provider {
  readonly project: Project;
  /** When each request came. */
  readonly asked: readonly number[];
}

/** The provider refuses each request that comes before `fromMs` have passed since the first one. */
async function refusing({ status, headers = {}, body }: Refusal, fromMs: number): Promise<Provider> {
  const asked: number[] = [];
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const now = Date.now();
      asked.push(now);
      const isRefused = now - (asked[0] as number) < fromMs;
      response.writeHead(isRefused ? status : 200, {
        "content-type": "application/json",
        ...(isRefused ? headers : {}),
      });
      response.end(JSON.stringify(isRefused ? body : ANSWER));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const project = createProject({ "ask.mjs": ASK, "ask.yaml": BLUEPRINT });
  onTestFinished(async () => {
    project.remove();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  Object.assign(project.env, { OPENAI_API_KEY: KEY, PAWL_OPENAI_URL: url });
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-qm", "x"],
  ])
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: project.root });
  return { project, asked };
}

async function eventsOf(project: Project): Promise<readonly RunEvent[]> {
  const { value } = await project.json("events", "@last");
  return (value as { readonly events: readonly StoredEvent[] }).events.map(({ event }) => event);
}

const LIMIT = { error: { message: "Rate limit reached.", type: "rate_limit_error", code: "rate_limit_exceeded" } };

test("a run that is told `retry-after: 8` goes on after 8 seconds, and not after a minute", async () => {
  const { project, asked } = await refusing({ status: 429, headers: { "retry-after": "8" }, body: LIMIT }, 7900);
  const { code, stdout, stderr } = await project.pawl("run", "ask.yaml");
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  const waitedMs = (asked.at(-1) as number) - (asked[0] as number);
  expect(waitedMs).toBeGreaterThanOrEqual(7900);
  expect(waitedMs).toBeLessThan(8000 + 8000 * slowness());
  expect(asked).toHaveLength(2);
});

test("a provider that wants money is a failure that names billing, at once", async () => {
  const body = {
    error: { message: "You exceeded your current quota.", type: "insufficient_quota", code: "insufficient_quota" },
  };
  const { project, asked } = await refusing({ status: 429, headers: { "retry-after": "8" }, body }, 1e9);
  const { code, stdout } = await project.pawl("run", "ask.yaml");
  expect(code).toBe(1);
  const events = await eventsOf(project);
  expect(events.map(({ type }) => type)).not.toContain("stage.parked");
  expect(events.find(({ type }) => type === "stage.finished")).toMatchObject({
    outcome: "failure",
    cause: "auth",
    error: expect.stringMatching(/^billing: .*openai/),
  });
  expect(stdout).toMatch(/billing/);
  expect(asked).toHaveLength(1);
});
