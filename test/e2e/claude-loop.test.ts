/** The whole loop with the real Claude Code and a scripted model: scan, fix, verify, review, change, commit; only where it is installed. */
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { AGENT_PROGRAMS, findAgent } from "../../scripts/agent-clis.ts";
import { createProject, type Project } from "../support/cli.ts";
import { KEY } from "../support/gateway/fixture.ts";
import { git } from "../support/git-project.ts";
import { modelApi } from "../support/model-api/fixture.ts";
import { type Step, totalOf } from "../support/model-api/script.ts";
import type { ModelApi } from "../support/model-api/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const [claude] = AGENT_PROGRAMS.filter(({ name }) => name === "claude");
const program = claude === undefined ? null : findAgent(claude);

const BLUEPRINT = `version: 1
name: claude-loop
params: { test: { type: list, default: ["node", "--test", "test/price.test.mjs"], description: Tests the project. } }
limits: { rounds: 4, wall: 5m, consecutive_failures: 5, tokens: 1m, usd: 5 }
defaults: { agent: claude, timeout: 1m }
policy:
  allow:
    - action: agent.claude
    - read: "**"
    - edit: "src/**"
    - run: ["node", "--test", "test/price.test.mjs"]
    - action: git.commit
  ask:
    - { edit: "CHANGELOG.md", because: "What users read is for a person to allow." }
stages:
  - { id: scan, command: "\${params.test}", on_success: done, on_failure: fix }
  - id: fix
    agent: { model: claude-sonnet-4-5, goal: "Make the failing tests pass with the smallest change." }
    models: { tokens: 200k, usd: 2 }
    inputs: [scan.log]
  - id: verify
    gate: { tests: { command: "\${params.test}", must: all_pass } }
    on: { pass: review, fail: fix, escalate: fail }
  - id: review
    agent: { model: claude-haiku-4-5, role: checker, goal: "Accept only what repairs the prices.", outcomes: [accept, reject] }
    models: { tokens: 200k, usd: 2 }
    on: { accept: change, reject: fix }
  - id: change
    gate: { change: { allow: ["src/**", "CHANGELOG.md"], max_files: 3, max_lines: 50 } }
    on: { pass: commit, escalate: fail }
  - { id: commit, level: L2, action: git.commit, with: { message: "Repair the prices" } }
`;

const USAGE = { input: 1200, cacheRead: 300, output: 40, reasoning: 0 } as const;
const at = (path: string): string => `/workspace/${path}`;
const edit = (find: string, put: string): NonNullable<Step["tools"]>[number] => ({
  name: "Edit",
  args: { file_path: at("src/price.mjs"), old_string: find, new_string: put },
});
const read: NonNullable<Step["tools"]>[number] = { name: "Read", args: { file_path: at("src/price.mjs") } };
// It writes no file that it has not read.
const readAll = [
  read,
  ...["CHANGELOG.md", "test/price.test.mjs"].map((path) => ({ name: "Read", args: { file_path: at(path) } })),
];
const tests: NonNullable<Step["tools"]>[number] = {
  name: "Bash",
  args: { command: "node --test test/price.test.mjs" },
};

const FIX: readonly Step[] = [
  { text: "I look.", tools: [...readAll, tests], usage: USAGE },
  { text: "I repair.", tools: [edit("prices.slice(1).reduce", "prices.reduce")], usage: USAGE },
  { text: "Once more.", tools: [edit("price - price / percent", "price - (price * percent) / 100")], usage: USAGE },
  {
    text: "I make the tests easier.",
    tools: [{ name: "Write", args: { file_path: at("test/price.test.mjs"), content: "// none\n" } }],
    usage: USAGE,
  },
  {
    text: "I tell the users.",
    tools: [{ name: "Write", args: { file_path: at("CHANGELOG.md"), content: "# Changes\n\n- Prices are right.\n" } }],
    usage: USAGE,
  },
  { text: "Both lines were wrong.", usage: USAGE },
];
const REVIEW: readonly Step[] = [
  { text: "I look.", tools: [read, tests], usage: USAGE },
  {
    text: "It is right.",
    tools: [{ name: "StructuredOutput", args: { outcome: "accept", why: "It repairs both lines." } }],
    usage: USAGE,
  },
];

const projects: Project[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

async function project(): Promise<{ made: Project; api: ModelApi }> {
  const models = { "claude-sonnet-4-5": FIX, "claude-haiku-4-5": REVIEW };
  const api = await modelApi({ steps: [{ text: "x" }], models }, { key: KEY });
  const made = createProject({ "blueprint.yaml": BLUEPRINT, "CHANGELOG.md": "# Changes\n" });
  projects.push(made);
  for (const folder of ["src", "test"])
    cpSync(join(import.meta.dirname, "../../examples/agent-loop", folder), join(made.root, folder), {
      recursive: true,
    });
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-qm", "first"],
  ])
    git(made.root, ...args);
  const bin = join(tempDir(), "bin");
  mkdirSync(bin);
  symlinkSync(program ?? "", join(bin, "claude"));
  made.env["PATH"] = `${bin}:${process.env["PATH"] ?? ""}`;
  made.env["ANTHROPIC_API_KEY"] = KEY;
  made.env["PAWL_ANTHROPIC_URL"] = `${api.url}/v1`;
  return { made, api };
}

interface Listed {
  readonly approvals: readonly { readonly approval: { readonly id: string; readonly run: string } }[];
}

describe.runIf(program !== null)("the whole loop with Claude Code", { timeout: 600_000 }, () => {
  test("repairs, is judged and reviewed, asks a person once, and commits what was verified", async () => {
    const { made, api } = await project();
    const first = await made.pawl("run", "blueprint.yaml", "--level", "L2");
    expect(`${first.stdout}${first.stderr}`).toContain("CHANGELOG.md");
    expect(first.code).toBe(2);
    const { value } = await made.json("approvals");
    const [asked] = (value as Listed).approvals;
    const { id = "", run = "" } = asked?.approval ?? {};
    const rest = await made.pawl("approve", id, "--by", "ann");
    expect({ code: rest.code, out: rest.stdout + rest.stderr }).toMatchObject({ code: 0 });
    const events = (await made.pawl("events", run, "--jsonl")).stdout;
    expect(events).toContain('"stage.deferred"');
    // What it was denied it did not do, and the file that a person allowed is there.
    const shown = (path: string): string => git(made.root, "show", `${branchOf(made)}:${path}`);
    expect(shown("src/price.mjs")).toContain("prices.reduce");
    expect(shown("src/price.mjs")).toContain("(price * percent) / 100");
    expect(shown("test/price.test.mjs")).toContain("total adds every price");
    expect(shown("CHANGELOG.md")).toContain("Prices are right.");
    expect(existsSync(join(made.root, ".pawl"))).toBe(true);
    expect(api.calls()).toHaveLength(FIX.length + REVIEW.length);
    const tokens = totalOf(api.counted());
    const spent = await made.json("show", run);
    expect(JSON.stringify(spent.value)).toContain(`"tokens":${tokens}`);
    expect((await made.pawl("replay", run)).code).toBe(0);
    expect((await made.pawl("verify", run)).code).toBe(0);
  });
});

/** Where the commit of the run is. */
function branchOf(made: Project): string {
  const refs = git(made.root, "for-each-ref", "--format=%(refname) %(subject)").split("\n");
  return refs.find((line) => line.endsWith("Repair the prices"))?.split(" ")[0] ?? "HEAD";
}
