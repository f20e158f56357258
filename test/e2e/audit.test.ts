/** The loops of a project as `pawl audit`, `pawl doctor` and `pawl level` see them, on projects of several kinds. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it, test } from "vitest";
import { createProject, type Project } from "../support/cli.ts";
import { commitFiles } from "../support/git-project.ts";
import { pathsBelow } from "../support/project-folder.ts";

const projects: Project[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function project(files: Readonly<Record<string, string>> = {}): Project {
  const made = createProject(files);
  projects.push(made);
  return made;
}

function withRegistry(made: Project): Project {
  mkdirSync(join(made.root, "patterns"));
  cpSync(resolve("test/golden/registry/registry.yaml"), join(made.root, "patterns/registry.yaml"));
  return made;
}

const today = new Date().toISOString();
const LOOP = `# LOOP.md

## Active Loops

### Daily Triage (L1 — report)
- Cadence: 1d
- State: STATE.md

## Human Gates
- design decisions

## Budget
- Kill switch: loop-pause-all
`;
const STATE = `# Loop State — shop

Last run: ${today}

## High Priority (loop is acting or waiting on human)

## Watch List
`;
const LOG = `<!-- Loop appends below this line -->\n{"run_id":"${today}","pattern":"daily-triage","outcome":"no-op"}\n`;
const BUDGET = "| Loop | Max runs/day | Max tokens/day |\n|---|---|---|\n| Daily Triage | 2 | 100k |\n";
const SKILL = "---\nname: x\n---\nDo it.\n";
const READY = {
  "LOOP.md": LOOP,
  "STATE.md": STATE,
  "loop-run-log.md": LOG,
  "loop-budget.md": BUDGET,
  "AGENTS.md": "Run the tests.\n",
  ".claude/skills/loop-triage/SKILL.md": SKILL,
  "skills/minimal-fix/SKILL.md": SKILL,
  ".claude/agents/loop-verifier.md": "Check it.\n",
  ".github/workflows/ci.yml": "on: push\n",
};

interface Audit {
  readonly readiness: { readonly score: number; readonly level: string; readonly lacking: readonly unknown[] };
  readonly drift: readonly { readonly where: string; readonly what: string }[];
  readonly rot: readonly unknown[];
}
const auditOf = async (made: Project): Promise<Audit> => (await made.json("audit")).value as Audit;

describe("pawl audit", () => {
  test("L13: scores projects from an empty one to one that only lacks a drill, and explains every point", async () => {
    const empty = project();
    expect((await auditOf(empty)).readiness).toMatchObject({ score: 10, level: "L0" });
    expect(pathsBelow(empty.root)).toEqual([]);
    const hollow = project(
      Object.fromEntries(Object.keys(READY).map((name) => [name, name === "loop-budget.md" ? BUDGET : ""])),
    );
    expect((await auditOf(hollow)).readiness).toMatchObject({ score: 10 + 6 + 4 + 3, level: "L0" });
    const first = project({ "STATE.md": STATE, "LOOP.md": LOOP });
    expect((await auditOf(first)).readiness).toMatchObject({ score: 49, level: "L1" });
    const ready = withRegistry(project(READY));
    expect((await auditOf(ready)).readiness).toMatchObject({
      score: 100,
      level: "L2",
      lacking: [{ level: "L3", what: expect.stringContaining("a drill of every loop") }],
    });
    const { code, stdout } = await ready.pawl("audit");
    expect(code).toBe(0);
    expect(stdout).toContain("readiness 100 of 100: L2");
    expect(stdout).toMatch(/18 of 18 {2}state +STATE\.md\n/);
    expect(stdout).toMatch(/14 of 14 {2}verifier +\.claude\/agents\/loop-verifier\.md\n/);
    expect(stdout).toMatch(/0 of {2}2 {2}budget skill +no skill loop-budget\n/);
    expect((await ready.pawl("audit", "--level", "L2")).code).toBe(0);
    expect((await ready.pawl("audit", "--level", "L3")).code).toBe(1);
  });

  test("L13: needs a good drill of every loop, whatever its file is called", async () => {
    const fine = 'version: 1\nname: NAME\npolicy: { allow: [{ run: ["**"] }] }\nprotect: [good.txt]\nstages:\n';
    const gate =
      '  - { id: check, gate: { command: [cmp, good.txt, "README.md"] } }\n  - { id: look, gate: { change: { deny: [".env"] } } }\n';
    const made = project({
      ...READY,
      "LOOP.md": LOOP.replace(/### Daily Triage[^#]*/, "### Nightly (L1 — x)\n- Cadence: 1d\n\n"),
      "tools/night.yaml": fine.replace("NAME", "sweep") + gate.replace("cmp, good.txt", "test, -f"),
      "tools/day.yaml": fine.replace("NAME", "clean") + gate.replace("cmp, good.txt", "test, -f"),
      "pawl.yaml":
        "version: 1\nloops:\n  nightly: { blueprint: tools/night.yaml }\n  daily: { blueprint: tools/day.yaml }\n",
      "README.md": "# Shop\n",
    });
    commitFiles(made.root, {});
    const lacking = async () => (await auditOf(made)).readiness.lacking;
    expect((await made.pawl("drill", "nightly")).code).toBe(0);
    expect(await lacking()).toEqual([{ level: "L3", what: expect.stringContaining("a drill of every loop") }]);
    expect((await made.pawl("drill", "daily")).code).toBe(0);
    expect(await lacking()).toEqual([]);
    expect((await made.pawl("audit", "--level", "L3")).code).toBe(0);
    made.write("LOOP.md", LOOP);
    expect(await lacking()).toEqual([{ level: "L3", what: expect.stringContaining("a drill of every loop") }]);
  });

  it("refuses a file that it cannot read, with its place", async () => {
    const made = project({ "loop-budget.md": "no table\n", "real.md": STATE });
    symlinkSync(join(made.root, "real.md"), join(made.root, "STATE.md"));
    const { code, stderr } = await made.pawl("audit");
    expect(code).toBe(3);
    expect(stderr).toContain("loop-budget.md:1:1");
    expect(stderr).toContain("STATE.md cannot be used: it is a link");
  });
});

describe("pawl doctor", () => {
  test("I14: names each drift of the files of loops with its place, and says when they agree", async () => {
    const good = withRegistry(project(READY));
    const checks = (await good.json("doctor")).value as { readonly checks: readonly { readonly name: string }[] };
    expect(checks.checks.filter(({ name }) => name === "loops")).toEqual([
      { name: "loops", status: "ok", detail: "the files of loops agree", hint: null },
    ]);
    const made = withRegistry(
      project({
        ...READY,
        "LOOP.md": LOOP.replace("Cadence: 1d", "Cadence: 30d"),
        "loop-budget.md": `${BUDGET}| Nobody | 1 | - |\n`,
        "ci-sweeper-state.md": "## Active Failures\n",
        "pawl.yaml": "version: 1\nloops:\n  daily-triage: { pattern: daily-triage, level: L2 }\n",
      }),
    );
    const { stdout } = await made.pawl("doctor");
    expect(stdout).toMatch(/warn {2}loops +LOOP\.md:6: "Daily Triage" runs every "30d"; the registry says 1d-2h/);
    expect(stdout).toMatch(/warn {2}loops +loop-budget\.md:4: the limit on runs is for "nobody"/);
    expect(stdout).toMatch(/warn {2}loops +ci-sweeper-state\.md:1: it is the state of "CI Sweeper"/);
    expect(stdout).toMatch(/warn {2}loops +pawl\.yaml:3: "daily-triage" has L2 here and L1 in LOOP\.md:5/);
  });

  test("R15: shows the items that no loop acts on any more", async () => {
    const made = project({
      "STATE.md": `${STATE}- old — seen 2020-01-01\n- \`src/gone.ts\` fails\n- \`src/here.ts\` fails\n`,
      "src/here.ts": "",
    });
    const { stdout } = await made.pawl("doctor");
    expect(stdout).toMatch(/STATE\.md:8: "old" is not acted on: nobody has seen it for \d+ days/);
    expect(stdout).toContain("src/gone.ts is not there any more");
    expect(stdout).not.toContain("src/here.ts is not");
    expect((await auditOf(made)).rot).toHaveLength(2);
  });

  test("R15: acts on what names a branch, a package, a version or a call", async () => {
    const items = [
      "`feature/login` is red",
      "bump `lodash@4.17.20`",
      "`user.login()` throws",
      "needs `v1.2.3`",
      "`a.ts`",
    ];
    const made = project({
      "STATE.md": `${STATE}${items.map((item, at) => `- #${at} — ${item}\n`).join("")}`,
      "src/a.ts": "",
    });
    expect((await auditOf(made)).rot).toEqual([]);
    made.write("STATE.md", `${STATE}- #1 — \`src/old\` is slow\n- #2 — \`old/gone.ts\` fails\n`);
    expect((await auditOf(made)).rot).toHaveLength(2);
  });

  test("I14: finds the state that LOOP.md names, and tells of a loop that stands there twice", async () => {
    const entry = "### My Own (l2 — x)\n- State: `notes.md`\n\n### Other (L9 — x)\n- State: ../notes.md\n";
    const table = "\n| Pattern | Cadence | Status |\n|---|---|---|\n| Daily Triage | 1d | L0 |\n";
    const made = withRegistry(
      project({
        ...READY,
        "LOOP.md": `${LOOP.replace("## Human Gates", `${entry}\n## Human Gates`)}${table}`,
        "notes.md": "## High Priority\n- old — seen 2020-01-01\n",
        "pawl.yaml": "version: 1\nloops:\n  my-own: { blueprint: x.yaml }\n  other: { blueprint: x.yaml }\n",
      }),
    );
    const { drift, rot } = await auditOf(made);
    expect(drift.map(({ where, what }) => `${where} ${what}`)).toEqual([
      'LOOP.md:12 "Other" has "L9 — x" here, which is no level',
      'LOOP.md:12 ../notes.md, the state of "Other", is no file of the project',
      'LOOP.md:23 "Daily Triage" stands on line 5 already; the lowest level counts',
      'pawl.yaml:3 "my-own" has L1 here and L2 in LOOP.md:9',
    ]);
    expect(rot).toHaveLength(1);
  });

  it("says nothing of loops where there are none, and fails where a file of theirs cannot be read", async () => {
    expect((await project().pawl("doctor")).stdout).not.toMatch(/^\w+ +loops /m);
    const { stdout } = await project({ "loop-budget.md": "no table\n" }).pawl("doctor");
    expect(stdout).toMatch(/fail {2}loops +loop-budget\.md:1: the file has no table of daily limits/);
  });

  it("shows where a registry of tomorrow is not what the schema says, and reads it all the same", async () => {
    const made = withRegistry(project());
    const path = join(made.root, "patterns/registry.yaml");
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace("    token_cost: high\n", "    token_cost: high\n    color: red\n"),
    );
    expect((await made.pawl("doctor")).stdout).toMatch(
      /warn {2}loops +patterns\/registry\.yaml:19: unknown key "color"/,
    );
    expect((await made.pawl("cost", "daily-triage")).code).toBe(0);
  });
});
