/** A project of OpenExec on a real repository: its built-in blueprint mends what lint finds, behind a real wall. */
import { afterAll, describe, expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/wire.ts";
import { commitFiles } from "../support/git-project.ts";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";

afterAll(removeFolders);

const LINT = `import { readFileSync } from "node:fs";
if (readFileSync("src/a.mjs", "utf8").includes("var ")) {
  console.error("src/a.mjs: no var");
  process.exit(1);
}
`;
const TEST = `import { a } from "./src/a.mjs";
if (a !== 2) process.exit(1);
`;
const script = (...steps: readonly string[]): string => `version: 1\nattempts:\n  - - ${steps.join("\n    - ")}\n`;
const FILES = {
  "package.json": '{ "scripts": { "lint": "node lint.mjs", "test": "node check.mjs" } }\n',
  "lint.mjs": LINT,
  "check.mjs": TEST,
  "src/a.mjs": "export const a = 1;\n",
  "agents/implement.yaml": script('write: { path: src/a.mjs, text: "export var a = 2;\\n" }'),
  "agents/fix_lint.yaml": script('edit: { path: src/a.mjs, find: "var ", put: "const " }'),
  "agents/fix_tests.yaml": script("say: nothing to do"),
};

async function ran(name: string, files: Readonly<Record<string, string>> = {}) {
  const root = makeFolder();
  commitFiles(root, { ...FILES, ...files });
  const runtime = await openRuntime({ root });
  try {
    const { plan } = await runtime.compile(name, { agent: "scripted:agents", params: { task: "make a two" } });
    if (!plan.ok) throw new Error(plan.problems.map(({ what }) => what).join("\n"));
    const { run, ended } = await runtime.start(plan.value, {});
    await ended;
    const events = (await runtime.read(run, 0, 1000)).map(({ event }) => event);
    const stages = events.flatMap((event) =>
      event.type === "stage.finished" ? [`${event.stage} ${event.outcome}`] : [],
    );
    const end = events.find((event) => event.type === "run.finished");
    return { root, run, stages, end, names: (await runtime.foreign()).map(({ name: found }) => found) };
  } finally {
    await runtime.close();
  }
}

describe("OpenExec", () => {
  it("K16: standard_task goes from lint to fix_lint and back to lint, and is done when an untouched checker says so", async () => {
    const { stages, end } = await ran("standard_task");
    expect(stages).toEqual([
      "gather_context success",
      "implement success",
      "implement-checkpoint success",
      "lint fail",
      "fix_lint success",
      "lint pass",
      "test pass",
      "review success",
    ]);
    expect(end).toMatchObject({ status: "succeeded" });
  });

  it("K16: a linter that is never content ends the run as often as fix_lint may try, and not as a success", async () => {
    const { stages, end } = await ran("standard_task", {
      "agents/fix_lint.yaml": script('write: { path: src/b.mjs, text: "export const b = 1;\\n" }'),
    });
    expect(stages.filter((line) => line.startsWith("fix_lint")).length).toBeLessThanOrEqual(3);
    expect(end).not.toMatchObject({ status: "succeeded" });
  });

  it("K16: the command of the project is run also where only a shell can read it, and none in its place", async () => {
    const gate = (name: string, command: string): string => JSON.stringify({ name, command });
    const gates = [
      gate("lint", "! grep -q 'var ' src/a.mjs || { echo ${NONE:-no var}; exit 1; }"),
      gate(
        "test",
        "A=2 node -e 'import(\"./src/a.mjs\").then(({ a }) => process.exit(a === Number(process.env.A) ? 0 : 1))'",
      ),
    ];
    const { stages, end } = await ran("standard_task", {
      // The scripts of the package would be content with anything.
      "package.json": '{ "scripts": { "lint": "true", "test": "true" } }\n',
      "openexec.yaml": `quality: { gates: [lint, test], custom: [${gates.join(", ")}] }\n`,
    });
    expect(stages.slice(3, 7)).toEqual(["lint fail", "fix_lint success", "lint pass", "test pass"]);
    expect(end).toMatchObject({ status: "succeeded" });
  });

  it("runs a blueprint of the project by its name, under the policy of the project", async () => {
    const deny = {
      decision: "deny",
      priority: 100,
      conditions: [{ type: "tool", operator: "eq", value: "write_file" }],
    };
    const allow = {
      decision: "allow",
      conditions: [{ type: "tool", operator: "in", values: ["run_shell_command", "read_file"] }],
    };
    const { stages, names } = await ran(".openexec/blueprints/flow.yaml", {
      ".openexec/blueprints/flow.yaml":
        "version: 1\nname: flow\nstages:\n  - { id: implement, type: agent, goal: go }\n  - { id: check, type: deterministic, action: run_linters }\n",
      ".openexec/policy.json": JSON.stringify({ default_decision: "deny", rules: [deny, allow] }),
    });
    expect(names).toEqual(["flow"]);
    // The agent was refused its edit, so that there is nothing to find fault with.
    expect(stages).toContain("check pass");
  });
});
