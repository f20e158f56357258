/** The whole loop with real agent programs and a scripted model: scan, fix, verify, review, change, commit; those that are installed. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { REAL_NAMES, realProgram, WORDS } from "../support/agents/life/actors.ts";
import { pathWith } from "../support/agents/life/on-path.ts";
import { createProject, type Project } from "../support/cli.ts";
import { KEY } from "../support/gateway/fixture.ts";
import { git } from "../support/git-project.ts";
import { modelApi } from "../support/model-api/fixture.ts";
import { type Step, totalOf } from "../support/model-api/script.ts";
import type { ModelApi } from "../support/model-api/server.ts";

type Name = (typeof REAL_NAMES)[number];

const TESTS = ["node", "--test", "test/price.test.mjs"];
const USAGE = { input: 1200, cacheRead: 300, output: 40, reasoning: 0 } as const;
const FIXED = `/** The sum of all prices. */
export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}

/** The price after a discount in percent. */
export function discounted(price, percent) {
  return price - (price * percent) / 100;
}
`;

/** Who fixes and who reviews, so that the script can tell them apart. */
const MODELS: Readonly<Record<Name, readonly [string, string]>> = {
  codex: ["gpt-5.5", "gpt-4.1"],
  gemini: ["gemini-2.5-flash", "gemini-2.5-pro"],
  // To newer models it offers other tools.
  opencode: ["gpt-4.1", "gpt-4.1-mini"],
  grok: ["gpt-5.5", "gpt-4.1"],
};

/** One that runs commands without asking can only be allowed all of them; one that is denied something may give up. */
const ASKS: Readonly<Record<Name, boolean>> = { codex: true, gemini: true, opencode: true, grok: false };

function blueprintOf(name: Name): string {
  const [fixer, reviewer] = MODELS[name];
  const narrow = [
    ["cat", "**"],
    ["rg", "**"],
    ["sed", "-n", "**"],
  ];
  const run = ASKS[name] ? [TESTS, ...narrow] : [["**"]];
  return `version: 1
name: agent-loop
limits: { rounds: 4, wall: 10m, consecutive_failures: 5, tokens: 5m, usd: 100 }
defaults: { agent: ${name}, timeout: 4m }
policy:
  allow:
    - action: agent.${name}
    - read: "**"
    - edit: "src/**"
${run.map((argv) => `    - run: ${JSON.stringify(argv)}\n`).join("")}    - action: git.commit
stages:
  - { id: scan, command: ${JSON.stringify(TESTS)}, on_success: done, on_failure: fix }
  - id: fix
    agent: { model: ${fixer}, goal: "Make the failing tests pass with the smallest change." }
    models: { tokens: 1m, usd: 20 }
    inputs: [scan.log]
  - id: verify
    gate: { tests: { command: ${JSON.stringify(TESTS)}, must: all_pass } }
    on: { pass: review, fail: fix, escalate: fail }
  - id: review
    agent: { model: ${reviewer}, role: checker, goal: "Accept only what repairs the prices.", outcomes: [accept, reject] }
    models: { tokens: 1m, usd: 20 }
    on: { accept: change, reject: fix }
  - id: change
    gate: { change: { allow: ["src/**"], max_files: 1, max_lines: 50 } }
    on: { pass: commit, escalate: fail }
  - { id: commit, level: L2, action: git.commit, with: { message: "Repair the prices" } }
`;
}

/** Codex reads files by commands, each inside `bash -lc` or `sh -lc`. */
const LOOKS = ["sed -n 1,5p src/price.mjs", "rg -n total src", "cat test/price.test.mjs | sed -n 1,3p"];

/** No rule allows it. */
const PUSH = "git push origin HEAD";

function stepsOf(name: Name): { readonly fix: readonly Step[]; readonly review: readonly Step[] } {
  const { read, write, run } = WORDS[name];
  const cheat: Step = { text: "I make the tests easier.", tools: [write("test/easy.test.mjs", "// none")] };
  const fix: readonly Step[] = [
    { text: "I look.", tools: [read("src/price.mjs")] },
    ...(name === "codex" ? LOOKS.map((line) => ({ text: "I look on.", tools: [run(line)] })) : []),
    ...(name === "codex" ? [{ text: "I publish.", tools: [run(PUSH)] }] : []),
    { text: "I repair.", tools: [write("src/price.mjs", FIXED)] },
    ...(ASKS[name] ? [cheat] : []),
    { text: "I try.", tools: [run(TESTS.join(" "))] },
    { text: "Both lines were wrong." },
  ];
  const review: readonly Step[] = [
    { text: "I look.", tools: [read("src/price.mjs")] },
    { text: '{"outcome":"accept","why":"It repairs both lines."}' },
  ];
  return { fix: fix.map(priced), review: review.map(priced) };
}

const priced = (step: Step): Step => ({ usage: USAGE, ...step });

const projects: Project[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

async function projectFor(name: Name, program: string): Promise<{ made: Project; api: ModelApi }> {
  const [fixer, reviewer] = MODELS[name];
  const { fix, review } = stepsOf(name);
  const models = { [fixer]: fix, [reviewer]: review };
  const api = await modelApi({ steps: [{ text: "A title" }], aux: "A title", models }, { key: KEY });
  const made = createProject({ "blueprint.yaml": blueprintOf(name) });
  projects.push(made);
  for (const folder of ["src", "test"])
    cpSync(join(import.meta.dirname, "../../examples/agent-loop", folder), join(made.root, folder), {
      recursive: true,
    });
  git(made.root, "init", "-q");
  git(made.root, "add", "-A");
  git(made.root, "commit", "-qm", "first");
  Object.assign(made.env, {
    PATH: `${pathWith({ [name]: program })}:${process.env["PATH"] ?? ""}`,
    OPENAI_API_KEY: KEY,
    GEMINI_API_KEY: KEY,
    PAWL_OPENAI_URL: `${api.url}/v1`,
    PAWL_GOOGLE_URL: `${api.url}/v1beta`,
  });
  return { made, api };
}

const isFull = process.env["PAWL_FULL"] === "1";
const programs = REAL_NAMES.map((name) => ({
  name,
  program: name === "opencode" && !isFull ? null : realProgram(name),
}));

describe.for(programs)("the whole loop with $name", { timeout: 600_000 }, ({ name, program }) => {
  test.runIf(program !== null)("repairs, is judged and reviewed, and commits what was verified", async () => {
    const { made, api } = await projectFor(name, program as string);
    const ended = await made.pawl("run", "blueprint.yaml", "--level", "L2", "--json");
    expect({ code: ended.code, said: ended.stdout + ended.stderr }).toMatchObject({ code: 0 });
    const refs = git(made.root, "for-each-ref", "--format=%(refname) %(subject)").split("\n");
    const branch = refs.find((line) => line.endsWith("Repair the prices"))?.split(" ")[0] ?? "HEAD";
    expect(git(made.root, "show", `${branch}:src/price.mjs`).trim()).toBe(FIXED.trim());
    expect(git(made.root, "log", "-1", "--format=%B", branch)).toContain("Pawl-Certificate: sha256:");
    // What it was denied it did not do.
    expect(git(made.root, "ls-tree", "-r", "--name-only", branch)).not.toContain("easy");
    const { value } = await made.json("show", "@last");
    expect(JSON.stringify(value)).toContain(`"tokens":${totalOf(api.counted())}`);
    expect((await made.pawl("verify", "@last")).code).toBe(0);
    const said = (await made.pawl("logs", "@last", "--transcript")).stdout;
    // Codex starts each command by a login shell: it is decided as the command in it is.
    const rulings = said
      .split("\n")
      .filter((line) => line.includes('"type":"ruling"') && line.includes("exec_command"));
    if (name === "codex") {
      expect(said).toContain("sh -lc 'sed -n 1,5p src/price.mjs'");
      const denied = rulings.filter((line) => !line.includes('"answer":"allow"'));
      expect(denied).toEqual([expect.stringContaining("no rule allows: run git push origin HEAD")]);
      expect(rulings.length).toBeGreaterThanOrEqual(LOOKS.length + 3);
    }
  });
});
