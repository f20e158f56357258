/** The commands about loops, as a person types them, also wrongly: nothing is ignored, and what went wrong is told. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SHIPPED_REGISTRY } from "../../src/blueprint/dialects/patterns/shipped-registry.ts";
import { folder, git, repository, tick } from "../support/tick-project.ts";

describe("what is typed wrongly", () => {
  test("an argument or option that would do nothing is refused, whatever the command", async () => {
    const project = folder({ "pawl.yaml": "lanes: { agents: { max: 2 } }\n" });
    const lines = [
      ["merge", "r_4f", "--list"],
      ["merge", "--reject", "no"],
      ["merge", "--into", "main"],
      ["merge", "r_4f", "--into", "main", "--reject", "no"],
      ["queue", "resize", "agnets", "1"],
      ["run", "daily-triage", "3", "--ticks", "2", "--dry-run"],
      ["run", "daily-triage", "--max-rounds", "2", "--dry-run"],
      ["run", "daily-triage", "--max-rounds", "2", "--level", "L1"],
    ];
    const codes: string[] = [];
    for (const line of lines) {
      const { code, value } = await project.json(...line);
      expect([line, code]).toEqual([line, 3]);
      codes.push((value as { error: { code: string } }).error.code);
    }
    expect(codes).toEqual([
      ...["CLI_USAGE_INVALID", "CLI_USAGE_INVALID", "CLI_USAGE_INVALID", "CLI_USAGE_INVALID"],
      ...["LANE_UNKNOWN", "CLI_TICKS_TWICE", "CLI_ROUNDS_NONE", "CLI_ROUNDS_NONE"],
    ]);
    expect((await project.pawl("queue", "resize", "agents", "1")).code).toBe(0);
  });

  test("a registry that cannot be read is told by the command that `pawl list` names", async () => {
    const project = folder({ "registry.yaml": "patterns: []\n" });
    expect((await project.pawl("list")).stdout).toContain("1 problem; see: pawl doctor");
    expect((await project.pawl("doctor")).stdout).toContain("registry.yaml:1");
  });

  test("an ExecutionPlan that is not sound ends with 3, and one that is rejected says why", async () => {
    const project = repository({
      files: {
        "none.json": '{"assistant_id":"a","steps":[]}',
        "far.json": '{"assistant_id":"a","steps":[{"name":"read_file","type":"tool","arguments":{"path":"../../x"}}]}',
      },
    });
    expect((await project.pawl("run", "none.json")).code).toBe(3);
    const { code, stdout } = await project.pawl("run", "far.json");
    expect([code, stdout]).toEqual([1, expect.stringMatching(/execute +1 +rejected +\S+ +read_file was denied/)]);
  });
});

describe("a pattern", () => {
  test("I1: is planned below L2 in any folder, and needs a test from there on", async () => {
    const project = folder();
    for (const level of ["L0", "L1"])
      expect((await project.pawl("plan", "daily-triage", "--level", level)).code).toBe(0);
    expect((await project.pawl("plan", "daily-triage")).code).toBe(0);
    const { code, stderr } = await project.pawl("plan", "daily-triage", "--level", "L2");
    expect([code, stderr]).toEqual([3, expect.stringContaining("PLAN_PARAM_MISSING")]);
  });

  test("L5: is rehearsed with its own state file, whatever that is called", async () => {
    const project = folder({
      "registry.yaml": SHIPPED_REGISTRY.replace("state: STATE.md", "state: my-notes.md"),
      "my-notes.md": "# Notes\nloop-pause-all: true\n",
    });
    const { stdout } = await project.pawl("run", "daily-triage", "--level", "L2", "--dry-run");
    expect(stdout).toContain("loop-pause-all is true in the state file");
  });

  test("a file of its loop that is none is refused in a rehearsal as in a tick, and never a defect", async () => {
    const project = folder();
    const state = join(project.root, "STATE.md");
    const refused = async () => (await project.json("run", "daily-triage", "--dry-run")).value;
    const unfit = { error: { code: "LOOP_FILE_UNFIT", exit: 3 } };
    mkdirSync(state);
    expect(await refused()).toMatchObject(unfit);
    spawnSync("rmdir", [state]);
    spawnSync("mkfifo", [state]);
    expect(await refused()).toMatchObject(unfit);
    spawnSync("rm", [state]);
    symlinkSync("/etc/hostname", state);
    expect(await refused()).toMatchObject(unfit);
  });

  test("a state file that is no UTF-8 is told as that, and keeps every byte", async () => {
    const project = repository();
    const bytes = Buffer.from("# State\n\xff\xfe\n", "latin1");
    writeFileSync(join(project.root, "STATE.md"), bytes);
    const { value } = await tick(project, "L2");
    expect(JSON.stringify(value)).toContain("STATE.md is not UTF-8 text.");
    expect(readFileSync(join(project.root, "STATE.md"))).toEqual(bytes);
  });

  test("L10: an item that was handed to a person is not acted on again before that person has decided", async () => {
    const project = repository({ files: { "gate.yaml": 'version: 1\ndenylist: ["src/**"]\n' } });
    expect((await tick(project, "L2")).code).toBe(2);
    expect((await tick(project, "L2")).code).toBe(2);
    const { value } = await project.json("events", "@last");
    expect(JSON.stringify(value)).toContain("#7 was handed to a person, who has not decided yet");
    expect(git(project.root, "branch", "--list", "pawl/*")).toBe("");
    const path = join(project.root, "STATE.md");
    const decided = readFileSync(path, "utf8").replace(
      /(## Human Inbox\n- \[ \] #7 — Add well\n)/,
      "$1  Human decision: go on\n",
    );
    writeFileSync(path, decided);
    writeFileSync(join(project.root, "gate.yaml"), "version: 1\ndenylist: []\n");
    expect((await tick(project, "L2")).code).toBe(0);
  });
});

describe("pawl init WORKSPACE --force", () => {
  test("I2: writes its files again and takes nothing from the timeline", async () => {
    const project = folder();
    await project.pawl("init", ".openloop/demo");
    const progress = join(project.root, ".openloop/demo/progress.md");
    writeFileSync(progress, "# Progress\n\nround 1: verified\n");
    expect((await project.pawl("init", ".openloop/demo", "--force", "--mission", "Another")).code).toBe(0);
    expect(readFileSync(progress, "utf8")).toBe("# Progress\n\nround 1: verified\n");
    expect(readFileSync(join(project.root, ".openloop/demo/mission.md"), "utf8")).toContain("Another");
  });
});

describe("pawl digest", () => {
  test("R14: tells the questions of runs that were served, the same of one loop once", async () => {
    const ask =
      "version: 1\nname: ask\npolicy: { allow: [ { action: file.append } ] }\nworkspace: directory\nstages:\n  - { id: human, gate: { approval: { question: May it? } }, on: { pass: note, fail: fail } }\n  - { id: note, action: file.append, with: { path: count.txt, line: done } }\n";
    const project = folder({ "ask.yaml": ask, "pawl.yaml": "loops:\n  ask: { blueprint: ask.yaml }\n" });
    for (const _ of [1, 2]) {
      await project.pawl("run", "ask", "--no-wait");
      await project.pawl("serve", "--once");
    }
    const { value } = await project.json("digest");
    expect(value).toMatchObject({ notices: [{ loop: "ask", kind: "question", count: 2 }] });
    expect((await project.pawl("digest")).stdout).toMatch(/notices:\n {2}2 × {2}ask: it asks: .*May it\?/);
  });
});
