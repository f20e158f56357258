/** The built-in agent as a stage of a blueprint: the whole loop on a repository with a bug, with a model that answers as told. */
import { execFileSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import type { RunEvent, StoredEvent } from "../../src/run/events.ts";
import { createProject, type Project } from "../support/cli.ts";
import { modelApi } from "../support/model-api/fixture.ts";
import { type Step, totalOf } from "../support/model-api/script.ts";
import { processesWith } from "../support/process-fixture.ts";

const KEY = "sk-e2e-0123456789abcdefghij";
const BUG = "export const sum = (a, b) => a - b;\n";
const TEST = `import assert from "node:assert";
import { test } from "node:test";
import { sum } from "../src/sum.mjs";
test("sum", () => assert.equal(sum(2, 3), 5));
`;
const BLUEPRINT = `version: 1
name: fix
limits: { rounds: 3, wall: 5m }
defaults: { agent: model, timeout: 1m }
policy:
  allow:
    - action: agent.model
    - read: "**"
    - edit: "src/**"
    - run: ["node", "--test", "test/sum.test.mjs"]
    - action: git.commit
  ask: [ { edit: "CHANGELOG.md" } ]
stages:
  - { id: scan, command: ["node", "--test", "test/sum.test.mjs"], on_success: done, on_failure: fix }
  - id: fix
    agent: { model: claude-sonnet-4-5, goal: "Make the failing test pass.", toolset: coding_backend }
    models: { tokens: 500k, usd: 5, calls: 20 }
    inputs: [scan.log]
  - id: verify
    gate: { tests: { command: ["node", "--test", "test/sum.test.mjs"], must: all_pass } }
    on: { pass: review, fail: fix, escalate: fail }
  - id: review
    agent: { model: gpt-5, role: checker, goal: "Accept only a repair.", outcomes: [accept, reject] }
    models: { tokens: 500k, usd: 5, calls: 20 }
    on: { accept: commit, reject: fix }
  - { id: commit, action: git.commit, with: { message: Repair the sum }, level: L2 }
`;

const tool = (name: string, args: Record<string, unknown>): Step => ({ tools: [{ name, args }] });

function git(root: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=ann", "-c", "user.email=ann@example.org"];
  return execFileSync("git", ["-C", root, ...who, ...args], { encoding: "utf8" });
}

function brokenProject(url: string): Project {
  const project = createProject({ "src/sum.mjs": BUG, "test/sum.test.mjs": TEST, "fix.yaml": BLUEPRINT });
  onTestFinished(() => project.remove());
  git(project.root, "init", "--quiet", "--initial-branch=main");
  git(project.root, "add", "--all");
  git(project.root, "commit", "--quiet", "--message=begin");
  Object.assign(project.env, {
    ...{ ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY },
    ...{ PAWL_ANTHROPIC_URL: url, PAWL_OPENAI_URL: url },
  });
  return project;
}

const REVIEW: readonly Step[] = [{ text: '{"outcome":"accept","why":"the test passes"}' }];

async function eventsOf(project: Project): Promise<readonly RunEvent[]> {
  const { value } = await project.json("events", "@last");
  return (value as { readonly events: readonly StoredEvent[] }).events.map(({ event }) => event);
}

test("finds, repairs, is verified and reviewed, and its work is committed", { timeout: 600_000 }, async () => {
  const steps = [
    tool("read_file", { path: "src/sum.mjs" }),
    tool("write_file", { path: "test/sum.test.mjs", content: "" }),
    tool("edit_file", { path: "src/sum.mjs", old_text: "a - b", new_text: "a + b" }),
    tool("run_command", { argv: ["node", "--test", "test/sum.test.mjs"] }),
    { text: "Repaired." },
  ];
  const api = await modelApi({ steps, models: { "gpt-5": REVIEW } }, { key: KEY });
  const project = brokenProject(api.url);
  const { code, stdout, stderr } = await project.pawl("run", "fix.yaml", "--level", "L2");
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  const events = await eventsOf(project);
  const outcomes = events.flatMap((event) => (event.type === "stage.finished" ? [[event.stage, event.outcome]] : []));
  expect(outcomes).toEqual([
    ["scan", "failure"],
    ["fix", "success"],
    ["verify", "pass"],
    ["review", "accept"],
    ["commit", "success"],
  ]);
  const spent = events.reduce(
    (sum, event) => sum + (event.type === "stage.finished" ? (event.usage?.tokens ?? 0) : 0),
    0,
  );
  expect(spent).toBe(totalOf(api.counted()));
  const told = api.calls().map(({ body }) => body);
  expect(told[2]).toContain("was denied");
  expect(told[4]).toContain("pass 1");
  expect(JSON.stringify(events)).not.toContain(KEY);
  expect(git(project.root, "log", "--all", "--format=%s")).toContain("Repair the sum");
});

test("asks a person about one call, and goes on with exactly that", { timeout: 600_000 }, async () => {
  const steps = [
    tool("write_file", { path: "CHANGELOG.md", content: "Repaired.\n" }),
    tool("edit_file", { path: "src/sum.mjs", old_text: "a - b", new_text: "a + b" }),
    { text: "Repaired." },
  ];
  const api = await modelApi({ steps, models: { "gpt-5": REVIEW } }, { key: KEY });
  const project = brokenProject(api.url);
  expect(await project.pawl("run", "fix.yaml", "--level", "L2")).toMatchObject({ code: 2 });
  expect(api.calls()).toHaveLength(1);
  const { value } = await project.json("approvals");
  const [first] = (value as { readonly approvals: readonly { readonly approval: { readonly id: string } }[] })
    .approvals;
  expect(await project.pawl("approve", first?.approval.id ?? "")).toMatchObject({ code: 0 });
  const outcomes = (await eventsOf(project)).flatMap((event) =>
    event.type === "stage.finished" ? [[event.stage, event.outcome]] : [],
  );
  expect(outcomes.at(1)).toEqual(["fix", "success"]);
  // The call happened without the model being asked for it again.
  expect(api.calls().filter(({ body }) => body.includes("claude"))).toHaveLength(3);
});

const ASKS_SERVER = `version: 1
name: ask
defaults: { agent: model, timeout: 1m, sandbox: read_only }
policy: { allow: [{ action: agent.model }, { mcp: "search/sum" }] }
stages:
  - id: ask
    agent: { model: claude-sonnet-4-5, goal: "Add two and three.", with: { mcp: [search] } }
    models: { tokens: 500k, usd: 5, calls: 20 }
`;

/** Without any package: what it stands on must be seen behind its wall. */
const SERVER = `import { createInterface } from "node:readline";
const tool = (name, properties) => ({ name, description: name, inputSchema: { type: "object", properties } });
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  if (method === "tools/list")
    say(id, { tools: [tool("sum", { a: { type: "number" }, b: { type: "number" } }), tool("wipe", {})] });
  if (method === "tools/call")
    say(id, { content: [{ type: "text", text: "the sum is " + (params.arguments.a + params.arguments.b) }] });
});
`;

test("T12: calls tools of an MCP server that a person has accepted, as far as policy allows", {
  timeout: 180_000,
}, async () => {
  const steps = [tool("mcp__search__sum", { a: 2, b: 3 }), tool("mcp__search__wipe", {}), { text: "Five." }];
  const api = await modelApi({ steps }, { key: KEY });
  const declared = "mcp:\n  search: { run: [node, server.mjs, mcp-stage-4712] }\n";
  const project = createProject({ "ask.yaml": ASKS_SERVER, "pawl.yaml": declared, "server.mjs": SERVER });
  onTestFinished(() => project.remove());
  git(project.root, "init", "--quiet", "--initial-branch=main");
  git(project.root, "add", "--all");
  git(project.root, "commit", "--quiet", "--message=begin");
  Object.assign(project.env, { ANTHROPIC_API_KEY: KEY, PAWL_ANTHROPIC_URL: api.url });

  const unpinned = await project.pawl("run", "ask.yaml");
  expect([unpinned.code, unpinned.stdout.includes("MCP_SERVER_UNPINNED"), api.calls()]).toEqual([2, true, []]);

  expect(await project.pawl("mcp", "pin", "search")).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await project.pawl("run", "ask.yaml");
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  const [, second, third] = api.calls().map(({ body }) => body);
  expect(second).toContain("the sum is 5");
  expect(third).toContain("no rule allows");
  expect(processesWith("mcp-stage-4712")).toEqual([]);
});
