/** `pawl gateway` in front of an agent that knows nothing of it. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN } from "../support/cli.ts";
import { ask, type Sent } from "../support/gateway/fixture.ts";
import { fakeProvider, json } from "../support/gateway/upstream.ts";
import { PATIENCE_MS } from "../support/slowness.ts";
import { tempDir } from "../support/temp-dir.ts";

const KEY = "sk-real-5b1e77f09c3d42aa";
const MODEL = "claude-haiku-4-5";
const OK = json({ model: MODEL, usage: { input_tokens: 1000, output_tokens: 200 }, content: [] });

interface Gateway {
  readonly child: ChildProcess;
  readonly ready: Promise<{ readonly url: string; readonly token: string; readonly variables: Record<string, string> }>;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly lines: readonly Record<string, unknown>[];
    readonly text: string;
  }>;
}

function gateway(args: readonly string[], env: Record<string, string> = { ANTHROPIC_API_KEY: KEY }): Gateway {
  const home = tempDir();
  const child = spawn(process.execPath, [BIN, "gateway", ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  let all = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    all += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    all += text;
  });
  const lines = (): Record<string, unknown>[] =>
    out.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Record<string, unknown>] : []));
  const ready = (async () => {
    await expect.poll(() => out.includes("\n"), { timeout: PATIENCE_MS }).toBe(true);
    const { url, variables } = lines()[0] as { url: string; variables: Record<string, string> };
    return { url, variables, token: variables["ANTHROPIC_API_KEY"] ?? "" };
  })();
  ready.catch(() => undefined);
  const ended = new Promise<Awaited<Gateway["ended"]>>((resolve) => {
    child.once("close", (code) => resolve({ code, lines: args.includes("--jsonl") ? lines() : [], text: all }));
  });
  return { child, ready, ended };
}

const call = (to: { readonly url: string; readonly token: string }): Promise<Sent> =>
  ask(to, "/v1/messages", { model: MODEL, max_tokens: 300, messages: [{ role: "user", content: "2 + 2" }] });

describe("pawl gateway", () => {
  it("prints the variables, meters, refuses at the budget, and sums up when it is interrupted", async () => {
    const provider = await fakeProvider(OK);
    const started = gateway(["--jsonl", "--tokens", "6k", "--upstream", `anthropic=${provider.url}/v1`]);
    const ready = await started.ready;
    expect(ready.variables).toMatchObject({ ANTHROPIC_BASE_URL: ready.url, OPENAI_BASE_URL: `${ready.url}/v1` });
    const statuses: number[] = [];
    for (let at = 0; at < 5; at += 1) statuses.push((await call(ready)).status);
    const good = statuses.filter((status) => status === 200).length;
    expect(statuses).toEqual([...Array(good).fill(200), ...Array(5 - good).fill(402)]);
    expect(good).toBeGreaterThan(1);
    started.child.kill("SIGINT");
    const { code, lines, text } = await started.ended;
    expect(code).toBe(0);
    expect(lines.map(({ type }) => type)).toEqual(["ready", ...Array(good).fill("call"), "ended"]);
    expect(lines.at(-1)).toMatchObject({ calls: good, refused: 5 - good, usage: { tokens: good * 1200 } });
    expect(text).not.toContain(KEY);
    expect(provider.asked.map(({ headers }) => headers["x-api-key"])).toEqual(Array(good).fill(KEY));
  });

  it("shows people how to use it and what each call cost", async () => {
    const provider = await fakeProvider(OK);
    const port = String(20_000 + (process.pid % 20_000));
    const started = gateway(["--usd", "5", "--port", port, "--upstream", `anthropic=${provider.url}`]);
    let text = "";
    started.child.stdout?.on("data", (chunk: string) => {
      text += chunk;
    });
    await expect.poll(() => /export ANTHROPIC_API_KEY=(\S+)/.exec(text)?.[1], { timeout: PATIENCE_MS }).toBeDefined();
    const token = /export ANTHROPIC_API_KEY=(\S+)/.exec(text)?.[1] ?? "";
    expect((await call({ url: `http://127.0.0.1:${port}`, token })).status).toBe(200);
    await expect.poll(() => text).toContain(`200  ${MODEL}  1000 in + 200 out  $0.0020`);
    started.child.kill("SIGINT");
    const end = await started.ended;
    expect([end.code, end.text]).toEqual([0, expect.stringContaining("Spent $0.0020 of $5.00, 1200 tokens in 1 call")]);
  });

  it("records, and replays without a provider or a key; a call that is not there is a failure", async () => {
    const provider = await fakeProvider(OK);
    const folder = join(tempDir(), "traffic");
    const first = gateway(["--jsonl", "--record", folder, "--upstream", `anthropic=${provider.url}`]);
    const said = await call(await first.ready);
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
    expect(readdirSync(folder)).toEqual(["call-000001.json"]);
    expect(readFileSync(join(folder, "call-000001.json"), "utf8")).not.toContain(KEY);
    const again = gateway(["--jsonl", "--replay", folder], {});
    const ready = await again.ready;
    expect((await call(ready)).text).toBe(said.text);
    expect((await call(ready)).status).toBe(599);
    again.child.kill("SIGINT");
    expect((await again.ended).code).toBe(1);
    expect(provider.asked).toHaveLength(1);
  });

  it.each([
    [["--usd", "five"], "--usd takes dollars"],
    [["--tokens", "1.5"], "--tokens takes a whole number"],
    [["--record", "a", "--replay", "b"], "exclude each other"],
    [["--upstream", "anthropic"], "takes provider=url"],
    [["--upstream", "nobody=http://x"], "cannot be the address of nobody"],
    [["--replay", "/nowhere"], "there is no record in it"],
    [["--port", "70000"], "at most 65535"],
  ])("refuses %j", async (args, problem) => {
    const { code, text } = await gateway(args).ended;
    expect([code, text]).toEqual([3, expect.stringContaining(problem)]);
  });
});
