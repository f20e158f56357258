/** Agents that never come to an end are stopped at exactly the bound that was declared, and those that get somewhere are not. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import type { Level } from "../../src/blueprint/blueprint.ts";
import type { EventOf, RunEvent } from "../../src/run/events.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { commitFiles } from "../support/git-project.ts";

/** A stub agent: what it does to the project each time it is asked. */
const AGENT = `const fs = require("node:fs");
const read = (name) => (fs.existsSync(name) ? fs.readFileSync(name, "utf8") : "");
const [style] = process.argv.slice(2);
if (style === "same") fs.writeFileSync("work.txt", "the same work\\n");
if (style === "swing") fs.writeFileSync("work.txt", read("work.txt") === "a" ? "b" : "a");
if (style === "grow") fs.appendFileSync("prompt.txt", "and then I was asked again\\n");
if (style === "almost") fs.appendFileSync("work.txt", "one more step\\n");
if (style === "almost") console.log("Almost done! All tests will pass now.");
if (style === "chatty") console.log(JSON.stringify({ is_error: false, error: null, status: "done" }));
if (style === "chatty") fs.appendFileSync("work.txt", "line\\n");
if (style === "build") for (const until = Date.now() + 1800; Date.now() < until; );
if (style === "fail") {
  console.error("API error 529 at " + new Date().toISOString() + ": overloaded, request " + Math.random());
  process.exit(1);
}
`;
/** Passes when there are so many lines. */
const CHECK = `const fs = require("node:fs");
const [name, wanted] = process.argv.slice(2);
const lines = fs.existsSync(name) ? fs.readFileSync(name, "utf8").split("\\n").length - 1 : 0;
if (lines < Number(wanted)) {
  console.error("error: not yet");
  process.exit(1);
}
`;

const head = (name: string, limits: string): string => `version: 1
name: ${name}
policy: { allow: [ { run: ["node", "agent.cjs", "*"] }, { run: ["node", "check.cjs", "*", "*"] }, { action: "git.*" } ] }
limits: { ${limits} }
defaults: { timeout: 20s }
stages:
`;
const loop = (style: string, limits: string, more = ""): string => `${head(style, limits)}
  - { id: make, command: [node, agent.cjs, ${style}]${more} }
  - { id: verify, gate: { command: [node, check.cjs, work.txt, "1000"] }, on: { fail: make } }
`;

interface Runaway {
  readonly blueprint: string;
  /** What it must end with. */
  readonly reason: string;
  readonly detail: string;
  /** How often each stage was started. */
  readonly starts: Readonly<Record<string, number>>;
}

/** Rounds, where something else is declared, are far away. */
const RUNAWAYS: Readonly<Record<string, Runaway>> = {
  "the same change again": {
    blueprint: loop("same", "rounds: 30, stagnation: { same_failure: 20, same_tree: 3 }"),
    reason: "stagnation",
    detail: 'same_tree: "make" ended well 3 times and left the tree as it was',
    starts: { make: 4, verify: 3 },
  },
  "back and forth": {
    blueprint: loop("swing", "rounds: 30, stagnation: { same_failure: 20, oscillation: 5 }"),
    reason: "stagnation",
    detail: "oscillation: the tree was one that the run had before 5 times",
    starts: { make: 7, verify: 6 },
  },
  "a prompt that grows": {
    blueprint: loop("grow", "rounds: 6"),
    reason: "max_rounds",
    detail: "limits.rounds is 6",
    starts: { make: 6, verify: 6 },
  },
  "ping-pong": {
    blueprint: `${head("ping-pong", "rounds: 30")}
  - { id: ping, command: [node, agent.cjs, none], sandbox: read_only }
  - { id: pong, command: [node, agent.cjs, none], sandbox: read_only, on_success: ping }
`,
    reason: "stagnation",
    detail: 'repeats: "pong" ended the same way 3 times',
    starts: { ping: 3, pong: 3 },
  },
  "a run that starts runs": {
    blueprint: `${head("spawner", "rounds: 30, spawns: 4")}
  - { id: child, run: { blueprint: ./child.yaml }, on_success: child }
`,
    reason: "max_spawns",
    detail: "limits.spawns is 4",
    starts: { child: 4 },
  },
  nothing: {
    blueprint: loop("none", "rounds: 30"),
    reason: "stagnation",
    detail: 'same_failure: "verify" failed 3 times the same way',
    starts: { make: 3, verify: 3 },
  },
  "almost done": {
    blueprint: loop("almost", "stages: 100", ", max_visits: 5"),
    reason: "max_visits",
    detail: '"make" was visited 5 times',
    starts: { make: 5, verify: 5 },
  },
  "nothing but errors": {
    blueprint: loop(
      "fail",
      "rounds: 30, consecutive_failures: 4, stagnation: { same_failure: 20 }",
      ", on_failure: make",
    ),
    reason: "consecutive_failures",
    detail: "4 failures in a row",
    starts: { make: 4 },
  },
};

const HONEST: Readonly<Record<string, string>> = {
  "work that is committed in every round": `${head("committed", "rounds: 12")}
  - { id: make, command: [node, agent.cjs, chatty] }
  - { id: commit, action: git.commit, with: { message: "One more line" } }
  - { id: verify, gate: { command: [node, check.cjs, work.txt, "6"] }, on: { fail: make } }
`,
  'output that says "error" and "done" in every round': `${head("chatty", "rounds: 12")}
  - { id: make, command: [node, agent.cjs, chatty] }
  - { id: verify, gate: { command: [node, check.cjs, work.txt, "6"] }, on: { fail: make } }
`,
  "a long build without a word": `${head("build", "rounds: 3")}
  - { id: make, command: [node, agent.cjs, chatty] }
  - { id: build, command: [node, agent.cjs, build], stall: 600ms, sandbox: read_only }
  - { id: verify, gate: { command: [node, check.cjs, work.txt, "1"] }, on: { fail: make } }
`,
};

const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-runaway-")));
let runtime: Runtime;

beforeAll(async () => {
  const files = Object.entries({ ...RUNAWAYS, ...HONEST }).map(([name, found], index) => {
    const text = typeof found === "string" ? found : found.blueprint;
    return [`${index}.yaml`, `# ${name}\n${text}`];
  });
  const chain = (name: string, next: string, limits: string): string =>
    `${head(name, limits)}\n  - { id: next, run: { blueprint: ./${next}.yaml } }\n`;
  commitFiles(root, {
    ...Object.fromEntries(files),
    "agent.cjs": AGENT,
    "check.cjs": CHECK,
    "child.yaml": `${head("child", "stages: 5")}\n  - { id: a, command: [node, agent.cjs, grow] }\n`,
    "self.yaml": chain("self", "self", "rounds: 2"),
    "top.yaml": chain("top", "middle", "depth: 1"),
    "middle.yaml": chain("middle", "child", "stages: 5"),
  });
  runtime = await openRuntime({ root });
});

afterAll(async () => {
  await runtime.close();
  rmSync(root, { recursive: true, force: true });
});

interface Lived {
  readonly run: RunId;
  readonly events: readonly RunEvent[];
  readonly end: EventOf<"run.finished">;
}

const fileOf = (name: string): string => `${Object.keys({ ...RUNAWAYS, ...HONEST }).indexOf(name)}.yaml`;

async function eventsOf(run: RunId): Promise<readonly RunEvent[]> {
  return (await runtime.read(run, 0, 10_000)).map(({ event }) => event);
}

async function live(file: string, level: Level = "L1"): Promise<Lived> {
  const { plan } = await runtime.compile(file, { level, params: {} });
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
  const { run, ended } = await runtime.start(plan.value, { unearned: { by: "ann", why: "a test" } });
  await ended;
  const events = await eventsOf(run);
  const end = events.at(-1);
  if (end?.type !== "run.finished") throw new Error(`it ended with ${end?.type}`);
  return { run, events, end };
}

function startsOf(events: readonly RunEvent[]): Readonly<Record<string, number>> {
  const starts: Record<string, number> = {};
  for (const event of events) if (event.type === "stage.started") starts[event.stage] = (starts[event.stage] ?? 0) + 1;
  return starts;
}

/** The newest tree of a run is still there, with everything in it. */
function keptTree(events: readonly RunEvent[]): string {
  const trees = events.flatMap((event) =>
    event.type === "run.created" || event.type === "stage.finished" ? (event.tree ?? []) : [],
  );
  const vault = `--git-dir=${join(root, ".pawl", "vault.git")}`;
  return execFileSync("git", [vault, "ls-tree", "--name-only", trees.at(-1) ?? ""], { encoding: "utf8" });
}

describe("an agent that would go on for ever stops at the bound:", () => {
  it.each(Object.entries(RUNAWAYS))("%s", { timeout: 600_000 }, async (name, { reason, detail, starts }) => {
    const { events, end } = await live(fileOf(name));
    expect({ reason: end.reason, starts: startsOf(events) }).toEqual({ reason, starts });
    expect(end.detail).toContain(detail);
    expect(keptTree(events)).toContain("agent.cjs");
  });

  it("a blueprint that runs itself does not even begin", async () => {
    const { plan } = await runtime.compile("self.yaml", { level: "L1", params: {} });
    expect(plan.ok ? [] : plan.problems.map(({ code }) => code)).toEqual(["PLAN_CHILD_RECURSIVE"]);
  });

  it("a child that may start no child says so, and its parent fails with it", { timeout: 600_000 }, async () => {
    const { events, end } = await live("top.yaml");
    expect(end.reason).toBe("stage_failed");
    const [stage] = events.filter((event) => event.type === "stage.finished");
    expect(stage).toMatchObject({ stage: "next", cause: "child", spawned: 0 });
    const below = await eventsOf(stage?.child as RunId);
    expect(below.at(-1)).toMatchObject({ status: "rejected", reason: "dispatch_depth" });
    expect(startsOf(below)).toEqual({});
  });

  it("what is forked from a run that was stuck makes a fresh start", { timeout: 600_000 }, async () => {
    const { run } = await live(fileOf("nothing"));
    const forked = await runtime.fork(run, "verify", { unearned: { by: "ann", why: "a test" } });
    await forked.ended;
    const events = await eventsOf(forked.run);
    const own = events.slice(events.findIndex(({ type }) => type === "run.resumed"));
    expect(own.at(-1)).toMatchObject({ reason: "stagnation" });
    expect(startsOf(own)).toEqual({ verify: 3, make: 2 });
  });
});

describe("an agent that gets somewhere comes to its end:", () => {
  it.each(Object.keys(HONEST))("%s", { timeout: 600_000 }, async (name) => {
    const { end } = await live(fileOf(name), "L2");
    expect(end).toMatchObject({ status: "succeeded" });
  });
});
