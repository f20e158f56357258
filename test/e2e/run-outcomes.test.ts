import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

let project: Project;
beforeEach(() => {
  project = createProject();
});
afterEach(() => project.remove());

function blueprint(name: string, body: string): void {
  project.write(`${name}.yaml`, `version: 1\nname: ${name}\n${body}workspace: directory\n`);
}

interface RunDocument {
  readonly run: string;
  readonly status: string;
  readonly reason: string;
  readonly exit: number;
  readonly attempts: readonly { readonly stage: string; readonly outcome: string }[];
  readonly next: readonly { readonly say: string; readonly line: string }[];
}

describe("a blueprint with mistakes", () => {
  beforeEach(() => blueprint("bad", "stagess: []\nstages:\n  - id: a\n    command: [echo]\n    on_success: nowhere\n"));

  it.each(["run", "plan"])("tells every problem with its place to %s, and writes nothing", async (command) => {
    const { code, stdout, stderr } = await project.pawl(command, "bad.yaml");
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain("bad.yaml:3:1");
    expect(stderr).toContain("> 3 | stagess: []\n      | ^^^^^^^");
    expect(stderr).toContain("bad.yaml:7:17");
    expect(stderr).toMatch(/\n2 problems\n$/);
    expect(existsSync(join(project.root, ".pawl"))).toBe(false);
  });

  it("tells the same as one JSON document", async () => {
    const { code, value } = await project.json("run", "bad.yaml");
    expect(code).toBe(3);
    expect(value).toMatchObject({ error: { exit: 3, problems: [{ where: { line: 3 } }, { where: { line: 7 } }] } });
    const lines = (await project.pawl("run", "bad.yaml", "--jsonl")).stdout.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(["error"]);
    expect(existsSync(join(project.root, ".pawl"))).toBe(false);
  });
});

describe("what cannot be found", () => {
  it("refuses an unknown blueprint, with a suggestion", async () => {
    project.write("blueprints/tests.yaml", "version: 1\nname: tests\nstages: [{ id: a, command: [echo] }]\n");
    const { code, stderr } = await project.pawl("run", "testss");
    expect([code, stderr.includes('Did you mean "tests"?')]).toEqual([3, true]);
    expect(existsSync(join(project.root, ".pawl"))).toBe(false);
  });

  it("refuses two blueprints of one name", async () => {
    for (const folder of ["blueprints", "pawl"]) {
      project.write(`${folder}/same.yaml`, "version: 1\nname: same\nstages: [{ id: a, command: [echo] }]\n");
    }
    expect((await project.pawl("plan", "same")).stderr).toContain("CLI_BLUEPRINT_AMBIGUOUS");
  });

  it.each(["show", "status", "logs", "events", "resume", "cancel", "pause", "verify", "replay"])(
    "refuses a run that %s does not know, and creates no state",
    async (command) => {
      const { code, stderr } = await project.pawl(command, "r_nothing");
      expect([code, stderr.includes("RUN_NOT_FOUND")]).toEqual([3, true]);
      expect((await project.pawl(command, "@last")).code).toBe(3);
      expect(existsSync(join(project.root, ".pawl"))).toBe(false);
    },
  );
});

describe("runs that end", () => {
  it("fails with 1, shows the last lines, and names the log", async () => {
    blueprint(
      "failing",
      'policy: { allow: [{ shell: "**" }] }\nstages:\n  - id: build\n    command: "echo why it broke; exit 4"\n',
    );
    const { code, stdout } = await project.pawl("run", "failing.yaml");
    expect(code).toBe(1);
    expect(stdout).toMatch(/run r_\w+ failed: stage_failed/);
    expect(stdout).toMatch(/pawl logs r_\w+ --stage build/);
    expect(stdout).toContain("last lines of build:\n  why it broke\n");
    const again = await project.pawl("resume", "@last");
    expect([again.code, again.stderr.includes("RUN_ENDED")]).toEqual([3, true]);
    expect((await project.pawl("cancel", "@last")).stderr).toContain("RUN_ENDED");
    expect((await project.pawl("logs", "@last", "--stage", "biuld")).stderr).toContain('Did you mean "build"?');
    expect((await project.pawl("logs", "@last", "--attempt", "9")).stderr).toContain("CLI_LOG_MISSING");
  });

  it("is denied with 2, and prints the rule that would allow it", async () => {
    blueprint("denied", 'stages:\n  - id: push\n    command: ["git", "push", "--tags", "a b"]\n');
    const { code, stdout } = await project.pawl("run", "denied.yaml");
    expect(code).toBe(2);
    expect(stdout).toContain('  policy:\n    allow:\n      - { run: ["git", "push", "--tags", "a b"] }\n');
  });

  it("asks with 2, prints the exact answers, and goes on with one", async () => {
    blueprint(
      "asking",
      'policy: { ask: [{ run: ["echo", "**"], because: "it talks" }] }\nstages:\n  - id: talk\n    command: ["echo", "hello"]\n',
    );
    const asked = await project.pawl("run", "asking.yaml");
    const id = /^run (r_\w+)\n/.exec(asked.stdout)?.[1] ?? "";
    expect(asked.code).toBe(2);
    const question = /^ {2}pawl approve (\S+)$/m.exec(asked.stdout)?.[1] ?? "";
    expect(asked.stdout).toContain(`  pawl approve ${question} --for-run\n  pawl deny ${question} --why TEXT\n`);
    expect(asked.stdout).toContain("asks about `run echo hello (read_only)`: it talks");
    expect((await project.pawl("resume", id)).stderr).toContain("RUN_ANSWER_NEEDED");
    expect((await project.pawl("resume", id, "--answer", "perhaps")).stderr).toContain("RUN_ANSWER_UNKNOWN");
    const going = await project.pawl("resume", id, "--answer", "approve");
    expect(going.code).toBe(0);
    expect(going.stdout).toContain("answered approve by tester");
    expect(going.stdout).not.toContain(`run ${id} of asking created`);
    expect((await project.pawl("logs", id, "--raw")).stdout).toBe("hello\n");
  });

  it("tells how to answer a question of a child run", async () => {
    blueprint(
      "child",
      'policy: { ask: [{ run: ["echo", "**"] }] }\nstages:\n  - id: talk\n    command: ["echo", "hello"]\n',
    );
    blueprint("parent", "stages:\n  - id: sub\n    run: { blueprint: ./child.yaml }\n");
    const asked = await project.pawl("run", "parent.yaml");
    expect(asked.code).toBe(2);
    const [, child] = /of child run (r_\w+) asks/.exec(asked.stdout) ?? [];
    expect((await project.pawl("resume", child ?? "", "--answer", "approve")).code).toBe(0);
    expect((await project.pawl("resume", "@last")).code).toBe(0);
    expect((await project.json("verify", "--all")).value).toMatchObject({ intact: true, checked: 2 });
  });

  it("takes parameters with their types, and runs nothing in a dry run", async () => {
    const params =
      "params: { words: { type: list }, n: { type: number } }\npolicy: { allow: [{ run: [echo, '**'] }] }\n";
    blueprint("params", `${params}stages:\n  - id: say\n    command: [echo, "\${params.n}"]\n`);
    const dry = await project.pawl("run", "params.yaml", "--dry-run", "--param", "n=3", "--param", 'words=["a"]');
    expect([dry.code, dry.stdout.includes("Nothing was run.")]).toEqual([0, true]);
    expect(existsSync(join(project.root, ".pawl"))).toBe(false);
    const wrong = await project.pawl("run", "params.yaml", "--param", "n=three", "--param", 'words=["a"]');
    expect([wrong.code, wrong.stderr.includes("PLAN_PARAM_TYPE")]).toEqual([3, true]);
    await project.pawl("run", "params.yaml", "--param", "n=3", "--param", 'words=["a"]');
    expect((await project.pawl("logs", "@last", "--raw")).stdout).toBe("3\n");
  });
});

describe("formats", () => {
  beforeEach(() =>
    blueprint(
      "two",
      'policy: { allow: [{ run: [echo, "**"] }] }\nstages:\n  - { id: one, command: [echo, one] }\n  - { id: two, command: [echo, two] }\n',
    ),
  );

  it("gives one JSON document for everything", async () => {
    const run = (await project.json("run", "two.yaml")) as { code: number; value: RunDocument };
    expect(run.value).toMatchObject({ status: "succeeded", exit: 0, attempts: [{ stage: "one" }, { stage: "two" }] });
    const id = run.value.run;
    expect((await project.json("show", id)).value).toEqual(run.value);
    expect((await project.json("status")).value).toMatchObject({
      runs: [{ run: id, status: "succeeded" }],
      next: null,
    });
    expect((await project.json("status", id)).value).toMatchObject({ run: id });
    expect((await project.json("logs", id)).value).toMatchObject({
      run: id,
      logs: [{ text: "one\n" }, { text: "two\n" }],
    });
    expect((await project.json("events", id, "--after", "2")).value).toMatchObject({
      run: id,
      events: [{ seq: 3 }, {}, {}, {}, {}],
    });
    expect((await project.json("verify", id)).value).toMatchObject({ intact: true, checked: 1, broken: [] });
    expect((await project.json("replay", id)).value).toMatchObject({ run: id, equal: true });
    expect((await project.json("plan", "two.yaml", "--graph", "mermaid")).value).toMatchObject({
      plan: { name: "two" },
    });
    expect((await project.json("list")).value).toMatchObject({ blueprints: [] });
    expect((await project.json("doctor")).value).toMatchObject({ ready: true });
    expect((await project.json("show", "zzz")).value).toMatchObject({ error: { code: "RUN_NOT_FOUND" } });
  });

  it("gives a line for each event, and a last one for the end", async () => {
    const run = await project.pawl("run", "two.yaml", "--jsonl");
    const lines = run.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; seq?: number; run: string });
    expect(lines.slice(0, -1).map((line) => line.seq)).toEqual(lines.slice(0, -1).map((_, index) => index + 1));
    expect(lines.at(-1)).toMatchObject({ kind: "end", status: "succeeded", exit: 0 });
    const events = await project.pawl("events", "@last", "--jsonl");
    expect(events.stdout.trim().split("\n").slice(0, -1)).toEqual(run.stdout.trim().split("\n").slice(0, -1));
  });

  it("pages through runs, newest first", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1)
      ids.unshift(((await project.json("run", "two.yaml")).value as RunDocument).run);
    const first = (await project.json("status", "--limit", "2")).value as { runs: { run: string }[]; next: string };
    const second = (await project.json("status", "--limit", "2", "--cursor", first.next)).value as typeof first;
    expect([...first.runs, ...second.runs].map((row) => row.run)).toEqual(ids);
    expect(second.next).toBe(null);
    expect((await project.json("status", "--status", "failed")).value).toEqual({ runs: [], next: null });
    const ambiguous = await project.pawl("show", "r_");
    expect([ambiguous.code, ambiguous.stderr.includes("RUN_AMBIGUOUS")]).toEqual([3, true]);
  });

  it("uses no colour where nobody sees it", async () => {
    for (const args of [["run", "two.yaml"], ["status"], ["show", "@last"], ["run", "nothing"]]) {
      const { stdout, stderr } = await project.pawl(...args);
      expect(stdout + stderr).not.toContain("\u001b");
    }
    expect(readFileSync(join(project.root, "two.yaml"), "utf8")).toContain("name: two");
  });
});
