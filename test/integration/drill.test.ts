/** Drills of real gates: what is planted is caught or it is told, evidence is kept, and nothing is left behind. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { DrillReport, Runtime } from "../../src/runtime/runtime.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { createProject, eventually, type Project } from "../support/cli.ts";
import { commitFiles, git } from "../support/git-project.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/fix-tests");
const example = (name: string): string => readFileSync(join(EXAMPLE, name), "utf8");
const PRICES = example("src/price.mjs");
const SHOP = {
  "blueprint.yaml": example("blueprint.yaml"),
  "src/price.mjs": PRICES.replace("prices.slice(1)", "prices").replace("price / percent", "(price * percent) / 100"),
  "test/price.test.mjs": example("test/price.test.mjs"),
  "tools/report.mjs": example("tools/report.mjs"),
};

/** A shell judges it: it stands for an interpreter that this machine may not have. */
const CALC = {
  "calc.py": "def add(a, b):\n    return a + b\n",
  "tests/test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
  "check.sh": [
    "set -e",
    "grep -q 'from calc' tests/test_calc.py",
    "grep -q '^    assert add' tests/test_calc.py",
    '[ "$(head -n 2 calc.py | cksum)" = "$(printf \'def add(a, b):\\n    return a + b\\n\' | cksum)" ]',
    "",
  ].join("\n"),
  "blueprint.yaml": `version: 1
name: calc
protect: ["check.sh"]
policy: { allow: [{ run: ["sh", "check.sh"] }] }
stages:
  - { id: check, gate: { command: ["sh", "check.sh"] }, timeout: 20s }
`,
};
const ACCEPTING = {
  ...CALC,
  "blueprint.yaml": `version: 1
name: accepting
unprotect: ["tests/**", "test_*.py"]
policy: { allow: [{ run: ["true"] }] }
stages:
  - { id: check, gate: { command: ["true"] }, timeout: 20s }
`,
};

const projects: Project[] = [];
afterAll(() => {
  for (const project of projects) project.remove();
});

function projectOf(files: Readonly<Record<string, string>>): Project {
  const project = createProject();
  projects.push(project);
  commitFiles(project.root, files);
  return project;
}

async function withRuntime<T>(root: string, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await openRuntime({ root });
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}

async function planOf(runtime: Runtime) {
  const { plan } = await runtime.compile("blueprint.yaml", { level: "L3" });
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
  return plan.value;
}

const OPTIONS = {
  plants: 20,
  patches: [],
  keep: false,
  danger: false,
  by: "ann",
  signal: new AbortController().signal,
};

function drilled(root: string, options: Partial<typeof OPTIONS> = {}): Promise<DrillReport> {
  return withRuntime(root, async (runtime) => runtime.drill(await planOf(runtime), { ...OPTIONS, ...options }));
}

const verdicts = ({ tried }: DrillReport): readonly string[] =>
  tried.map(({ plant, verdict, gate }) => `${plant.id} ${verdict}${gate === null ? "" : ` ${gate}`}`);

function runsIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith("r_")) : [];
}

/** Names of runs in the vault, and folders of workspaces. */
function leftIn(root: string): readonly string[] {
  return [".pawl/vault.git/refs/pawl", ".pawl/workspaces"].flatMap((folder) => runsIn(join(root, folder)));
}

describe("a drill of the example", () => {
  it("catches every plant, is recorded, and raises no level by itself", async () => {
    const { root } = projectOf(SHOP);
    const report = await drilled(root);
    expect(verdicts(report)).toEqual([
      "broken_source-1 rejected check",
      "broken_source-2 rejected check",
      "broken_source-3 rejected check",
      "skipped_test-1 undone",
      "weakened_assertion-1 undone",
      "deleted_test-1 undone",
      "exit_zero-1 rejected check",
      "exit_zero-2 undone",
      "edited_gate-1 undone",
      "denied_path-1 asked change",
      "injected_instruction-1 asked change",
      "harmless_comment-1 accepted",
      "harmless_file-1 accepted",
    ]);
    expect(report).toMatchObject({
      baseline: { ok: true, relaxed: false },
      score: { planted: 11, caught: 11, harmless: 2, passed: 2 },
      approvals: ["approve"],
      untried: [{ what: "harmless_readme" }],
      unrecorded: null,
    });
    await withRuntime(root, async (runtime) => {
      const plan = await planOf(runtime);
      const earned = await runtime.earned(plan);
      expect(earned.earned).toBe("L2");
      expect(earned.missing.map(({ what, have }) => `${have}: ${what}`)).toEqual([
        "0: clean verified runs in a row at L2 or above with these gates",
      ]);
      expect((await runtime.list({ limit: 100 })).rows).toEqual([]);
      const { rows } = await runtime.list({ limit: 100, drills: true });
      expect(rows.map(({ drill, blueprint }) => `${drill} ${blueprint}`)).toEqual(rows.map(() => "true fix-tests"));
      expect(rows).toHaveLength(14);
      const passed = report.tried.find(({ plant }) => plant.kind === "harmless_comment");
      const events = await runtime.read(passed?.run as (typeof rows)[number]["run"], 0, 100);
      expect(events[0]?.event).toMatchObject({ drill: { id: report.id, plant: "harmless_comment-1" } });
      expect(events.at(-1)?.event).toEqual(expect.not.objectContaining({ certificate: expect.anything() }));
    });
    expect(leftIn(root)).toEqual([]);
    expect(git(root, "status", "--porcelain", "--", ".", ":!.pawl")).toBe("");
  });

  it("asks for less where the tests fail already, and tells what they do not notice", async () => {
    const { root } = projectOf({ ...SHOP, "src/price.mjs": PRICES });
    const report = await drilled(root, { plants: 6, keep: true });
    expect(report.baseline).toMatchObject({ ok: true, relaxed: true });
    expect(report.score).toMatchObject({ harmless: 2, passed: 2 });
    expect(report.unrecorded).toBe("fewer than 20 changes were planted, and there are more");
    expect(leftIn(root).length).toBeGreaterThan(0);
  });
});

describe("a drill of gates that run a shell script", () => {
  it("catches what is planted in tests, code and gate", async () => {
    const { root } = projectOf(CALC);
    const { score, tried } = await drilled(root);
    expect(tried.filter(({ isRight }) => !isRight)).toEqual([]);
    expect(score).toMatchObject({ harmless: 3, passed: 3 });
    expect(new Set(tried.map(({ plant }) => plant.kind))).toEqual(
      new Set([
        ...["broken_source", "skipped_test", "weakened_assertion", "deleted_test", "exit_zero", "edited_gate"],
        ...["harmless_comment", "harmless_readme", "harmless_file"],
      ]),
    );
  });

  it("finds that nobody protects the script of the gate", async () => {
    const open = CALC["blueprint.yaml"].replace('protect: ["check.sh"]\n', "");
    const { root } = projectOf({ ...CALC, "blueprint.yaml": open });
    const { tried } = await drilled(root);
    expect(tried.filter(({ isRight }) => !isRight).map(({ plant }) => plant.why)).toEqual([
      "check.sh: a gate runs it, and it ends well at once",
    ]);
  });

  it("says nothing about gates that do not pass without a change", async () => {
    const { root } = projectOf({ ...CALC, "calc.py": "def add(a, b):\n    return a - b\n" });
    const report = await drilled(root);
    expect(report).toMatchObject({
      baseline: { ok: false, gate: "check" },
      tried: [],
      unrecorded: "the gates do not pass without a change",
    });
  });
});

describe("a gate that accepts everything", () => {
  it("is found out, and the command line says so", async () => {
    const { root, pawl, json } = projectOf(ACCEPTING);
    const { code, stdout } = await pawl("drill", "accepting", "--plants", "9");
    expect(code).toBe(1);
    expect(stdout).toMatch(/sensitivity 0\.\d\d \(\d\/6\)/);
    expect(stdout).toContain("specificity 1.00 (3/3)");
    expect(stdout).toContain("MISSED  deletes tests/test_calc.py: accepted");
    const { value } = await json("level", "accepting");
    expect(value).toMatchObject({ earned: "L2" });
    expect(JSON.stringify(await drilled(root))).toContain('"unrecorded":null');
    expect(JSON.stringify((await json("level", "accepting")).value)).toContain("newest drill of these gates");
  });
});

describe("a drill that is cut off", () => {
  const SLOW = {
    ...ACCEPTING,
    "blueprint.yaml": ACCEPTING["blueprint.yaml"].replaceAll('["true"]', '["sleep", "1"]'),
  };

  it("leaves nothing behind when it is killed and done again", async () => {
    const { root, start, json } = projectOf(SLOW);
    const first = start("drill", "accepting");
    await first.until("1/");
    await eventually(() => runsIn(join(root, ".pawl/workspaces")).length > 0, "a gate judges the second plant");
    first.child.kill("SIGKILL");
    await first.ended;
    expect(leftIn(root).length).toBeGreaterThan(0);
    const { code, value } = await json("drill", "accepting", "--plants", "3");
    expect([code, (value as DrillReport).tried.length]).toEqual([1, 3]);
    expect(leftIn(root)).toEqual([]);
    await withRuntime(root, async (runtime) => {
      const { rows } = await runtime.list({ limit: 100, drills: true });
      expect(rows.filter(({ status }) => status === "running" || status === "queued")).toEqual([]);
    });
  });

  it("ends cleanly with Ctrl-C, and is no evidence", async () => {
    const { root, start, pawl } = projectOf(SLOW);
    const drill = start("drill", "accepting");
    await drill.until("1/");
    drill.child.kill("SIGINT");
    const { code, stdout } = await drill.ended;
    expect(code).toBe(130);
    expect(stdout).toContain("not recorded: it was interrupted");
    expect(leftIn(root)).toEqual([]);
    expect((await pawl("level", "accepting")).stdout).not.toContain("newest drill");
  });
});
