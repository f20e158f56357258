/** An openloop workspace from the outside: what its users type and read, with only the name of the command changed. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CliProcess, createProject, isAlive, type Project } from "../support/cli.ts";

const EXAMPLE = join(import.meta.dirname, "..", "..", "examples", "openloop-demo");
const WORK = ".openloop/demo";

function commit(root: string): void {
  const git = (...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
      cwd: root,
      stdio: "pipe",
    });
  };
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
}

/** A repository with a program, and a workspace with this config. */
function workspace(config: object, files: Readonly<Record<string, string>> = {}): Project {
  const project = createProject({ "state.txt": "bad\n", ...files });
  onTestFinished(project.remove);
  commit(project.root);
  project.write(`${WORK}/openloop.json`, JSON.stringify({ version: 1, ...config }));
  return project;
}

function heartbeat(project: Project): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(project.root, WORK, "heartbeat.json"), "utf8")) as Readonly<
    Record<string, unknown>
  >;
}

describe("an openloop workspace", () => {
  test("I2: the quick-start of openloop runs with only the name of the command changed", async () => {
    const project = createProject();
    onTestFinished(project.remove);
    cpSync(EXAMPLE, join(project.root, "examples", "openloop-demo"), { recursive: true });
    commit(project.root);
    const mission = "Keep the demo project working and above baseline";
    const init = await project.pawl(
      "init",
      WORK,
      "--project-root",
      "examples/openloop-demo/project",
      "--mission",
      mission,
    );
    expect(init.code).toBe(0);
    cpSync(join(EXAMPLE, "openloop.demo.json"), join(project.root, WORK, "openloop.json"));
    expect((await project.pawl("doctor", WORK)).code).toBe(0);
    const run = await project.pawl("run", WORK, "--max-rounds", "1");
    expect([run.code, run.stderr]).toEqual([0, ""]);
    const status = await project.json("status", WORK);
    const { run: id, log_path: log, speed, updated_at: at, ...rest } = heartbeat(project);
    expect(rest).toEqual({
      status: "complete",
      pid: null,
      command: null,
      round: 1,
      total_rounds: 1,
      step: "apply",
      eta_seconds: 0,
      normal: true,
      last_error: null,
      verify: "pass",
      baseline: "pass",
      consecutive_failures: 0,
    });
    expect(status).toMatchObject({
      code: 0,
      value: { stale: false, valid: true, heartbeat: { run: id, speed, updated_at: at } },
    });
    expect(existsSync(String(log))).toBe(true);
    expect(readdirSync(join(project.root, WORK, "logs")).filter((name) => name.endsWith(".log"))).toHaveLength(4);
    const report: unknown = JSON.parse(
      readFileSync(join(project.root, WORK, "artifacts", `${String(id)}-round-1.json`), "utf8"),
    );
    expect(report).toMatchObject({
      round: 1,
      verify: "pass",
      steps: [{ step: "play" }, { step: "scan" }, { step: "verify" }, { step: "baseline" }],
    });
    const progress = readFileSync(join(project.root, WORK, "progress.md"), "utf8");
    expect(progress.match(/round 1 \w+: pass/g)).toHaveLength(4);
  });

  test("L8: what fails is fixed, judged again, and lands in the project when all of it has passed", async () => {
    const commands = {
      scan: "grep -q good state.txt",
      fix: "printf '%s\\n' good \"$OPENLOOP_STEP $OPENLOOP_ROUND\" {last_error} > state.txt; awk '{print}' state.txt",
      verify: "grep -q good state.txt",
    };
    const project = workspace({ commands });
    const run = await project.pawl("run", WORK, "--max-rounds", "2");
    expect([run.code, heartbeat(project)]).toMatchObject([0, { status: "complete", round: 2, total_rounds: 2 }]);
    expect(readFileSync(join(project.root, "state.txt"), "utf8")).toMatch(/^good\nfix 2\nscan: sh exited with code 1/);
  });

  test.each([
    [["--max-rounds", "1"], {}, 1],
    [[], { total_rounds: 1 }, 1],
    [["--max-rounds", "9"], { total_rounds: 2 }, 2],
  ])("L8: there are as many rounds as were asked for and not one more: %j %j", async (options, config, rounds) => {
    const commands = { verify: "echo verify; false", fix: "echo $OPENLOOP_ROUND >> state.txt" };
    const project = workspace({ commands, ...config });
    expect((await project.pawl("run", WORK, ...options)).code).toBe(1);
    expect(heartbeat(project)).toMatchObject({ status: "blocked", round: rounds, total_rounds: rounds });
    const { value } = await project.json("show", "@last");
    const { attempts } = value as { readonly attempts: readonly { readonly stage: string }[] };
    const times = (stage: string): number => attempts.filter((attempt) => attempt.stage === stage).length;
    expect([times("verify"), times("fix")]).toEqual([rounds, rounds - 1]);
  });

  test("I11: the screenshots of play become artifacts, whatever it says of them, and are made again from the journal", async () => {
    const png = (text: string): string => `\x89PNG\r\n\x1a\n${text}`;
    const play = [
      'cd "$OPENLOOP_WORKSPACE/output"',
      `{ printf '\\211PNG\\r\\n\\032\\n'; tr -d '\\n' < "$OPENLOOP_PROJECT_ROOT/state.txt"; } > home.png`,
      "mkdir a; echo x > 'a/ö {}.txt'; ln -s home.png link",
      'grep -q good "$OPENLOOP_PROJECT_ROOT/state.txt"',
    ];
    const commands = {
      play: play.join("\n"),
      fix: "echo good > state.txt",
      verify: "true",
    };
    const project = workspace({ commands }, { ".gitignore": ".openloop\n" });
    expect((await project.pawl("run", WORK)).code).toBe(0);
    const id = String(heartbeat(project)["run"]);
    const folder = join(project.root, WORK, "artifacts");
    const read = (): Readonly<Record<string, string>> =>
      Object.fromEntries(
        readdirSync(folder)
          .filter((name) => !name.endsWith(".json"))
          .sort()
          .map((name) => [name, readFileSync(join(folder, name), "latin1")]),
      );
    const expected = Object.fromEntries(
      [
        ["1", "bad"],
        ["2", "good"],
      ].flatMap(([round, state]) => [
        [`${id}-round-${round}-play-a_____.txt`, "x\n"],
        [`${id}-round-${round}-play-home.png`, png(String(state))],
      ]),
    );
    expect(read()).toEqual(expected);
    // The gate worked in a checkout that is thrown away: nothing of it is in the project.
    expect(existsSync(join(project.root, WORK, "output"))).toBe(false);
    const show = await project.pawl("show", "@last");
    expect(show.stdout.match(/play +\.openloop\/demo\/output\/home\.png/g)).toHaveLength(2);
    expect(show.stdout).toContain("2 files could not be kept");
    const file = `${WORK}/output/home.png`;
    const logs = await project.json("logs", "@last", "--stage", "play", "--file", file);
    expect(logs).toMatchObject({ code: 0, value: { logs: [{ stage: "play" }, { stage: "play" }] } });
    const missing = await project.pawl("logs", "@last", "--file", "nowhere.png");
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("CLI_KEPT_MISSING")]);
    rmSync(folder, { recursive: true });
    expect((await project.pawl("export", "@last")).code).toBe(0);
    expect(read()).toEqual(expected);
  });

  test("K18: text that a program wrote is never read by the shell", async () => {
    const commands = {
      verify: "echo '$(touch pwned)\"; touch pwned #'; grep -q good state.txt",
      fix: "printf '%s' '{last_error}' > state.txt; echo good >> state.txt",
    };
    const project = workspace({ commands });
    expect((await project.pawl("run", WORK)).code).toBe(0);
    expect(readFileSync(join(project.root, "state.txt"), "utf8")).toContain("$(touch pwned)");
    expect(existsSync(join(project.root, "pwned"))).toBe(false);
  });

  test.each([
    ["verify fails", { commands: { verify: "false" } }, "fail"],
    ["play fails", { commands: { play: "false", verify: "true" } }, null],
    [
      "the baseline is not reached",
      {
        commands: { verify: "true" },
        baseline: { enabled: true, command: "echo score=0.1", regex: "score=([0-9.]+)", value: 0.9 },
      },
      "pass",
    ],
    ["verify takes too long", { commands: { verify: "sleep 60" }, limits: { command_timeout_seconds: 1 } }, "fail"],
  ])("V1: a loop is not complete when %s", async (_, config, verify) => {
    const project = workspace(config);
    const run = await project.pawl("run", WORK, "--max-rounds", "1");
    expect([run.code, heartbeat(project)["status"], heartbeat(project)["verify"]]).toEqual([1, "blocked", verify]);
  });

  test("V1: a loop is not complete when its logs cannot be kept", async () => {
    const project = workspace({ commands: { verify: "true" } }, { ".gitignore": ".pawl\n" });
    expect((await project.pawl("run", WORK, "--max-rounds", "1")).code).toBe(0);
    rmSync(join(project.root, ".pawl", "artifacts"), { recursive: true });
    writeFileSync(join(project.root, ".pawl", "artifacts"), "");
    const run = await project.pawl("run", WORK, "--max-rounds", "1");
    expect([run.code, heartbeat(project)["status"]]).not.toContain("complete");
    expect(run.code).toBe(1);
  });

  test("B10: three failed rounds in a row block the loop, however many it may have", async () => {
    const project = workspace({ commands: { verify: "false" }, total_rounds: 10 });
    expect((await project.pawl("run", WORK)).code).toBe(1);
    expect(heartbeat(project)).toMatchObject({
      status: "blocked",
      round: 3,
      consecutive_failures: 3,
      total_rounds: 10,
    });
  });

  /** A loop whose verify sleeps, once its heartbeat has a process. */
  async function sleeping(): Promise<{ readonly project: Project; readonly host: CliProcess; readonly pid: number }> {
    const project = workspace({ commands: { verify: "sleep 120" } });
    const host = project.start("run", WORK);
    const pidNow = (): unknown =>
      existsSync(join(project.root, WORK, "heartbeat.json")) ? heartbeat(project)["pid"] : null;
    while (typeof pidNow() !== "number" && host.child.exitCode === null) await sleep(50);
    return { project, host, pid: pidNow() as number };
  }

  test("M1: the heartbeat has the process of the command while it runs", async () => {
    const { project, host, pid } = await sleeping();
    expect([isAlive(pid), pid === host.child.pid]).toEqual([true, false]);
    const during = heartbeat(project);
    expect(during).toMatchObject({ status: "running", step: "verify", round: 1, normal: true });
    expect(during["command"]).toContain("sleep 120");
    // It is the process of the command, and not of somebody else: its own words say so.
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).toContain("sleep 120");
    host.child.kill("SIGINT");
    await host.ended;
    expect(heartbeat(project)).toMatchObject({ status: "cancelled", pid: null });
  });

  test("M10: a heartbeat whose host is gone is stale", async () => {
    const { project, host } = await sleeping();
    host.child.kill("SIGKILL");
    await host.ended;
    const status = await project.json("status", WORK);
    expect(status).toMatchObject({ value: { stale: true, heartbeat: { status: "running" } } });
    // What nobody hosts is ended here, and its files say so.
    expect((await project.pawl("cancel", "@last")).code).toBe(0);
    expect(heartbeat(project)).toMatchObject({ status: "cancelled", pid: null });
  });

  test("M11: a loop is ended from another process, and its command with it", async () => {
    const { project, host, pid } = await sleeping();
    expect((await project.pawl("cancel", "@last")).code).toBe(0);
    expect((await host.ended).code).toBe(1);
    expect([isAlive(pid), heartbeat(project)["status"]]).toEqual([false, "cancelled"]);
  });

  test("J12: the files of a workspace are made again from the journal, and nothing is told twice", async () => {
    const project = workspace({ commands: { verify: "true" } });
    expect((await project.pawl("run", WORK)).code).toBe(0);
    const before = heartbeat(project);
    const progress = readFileSync(join(project.root, WORK, "progress.md"), "utf8");
    for (const name of ["heartbeat.json", "logs", "artifacts"])
      rmSync(join(project.root, WORK, name), { recursive: true });
    expect((await project.pawl("export", "@last")).code).toBe(0);
    expect([heartbeat(project), existsSync(String(before["log_path"]))]).toEqual([before, true]);
    expect(readFileSync(join(project.root, WORK, "progress.md"), "utf8")).toBe(progress);
  });

  test.each([
    ["no verify", { commands: { play: "true" } }, "verify"],
    ["another version", { version: 2, commands: { verify: "true" } }, "version"],
    ["a project that is not there", { project_root: "nowhere", commands: { verify: "true" } }, "project_root"],
  ])("M9: doctor names %s", async (_, config, named) => {
    const project = workspace(config);
    const doctor = await project.pawl("doctor", WORK);
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(named)]);
  });

  test("M9: a project that is no repository is refused, and doctor says why", async () => {
    const project = createProject({
      [`${WORK}/openloop.json`]: JSON.stringify({ version: 1, commands: { verify: "true" } }),
    });
    onTestFinished(project.remove);
    expect((await project.pawl("doctor", WORK)).code).toBe(1);
    const run = await project.pawl("run", WORK);
    expect([run.code, run.stderr]).toEqual([expect.any(Number), expect.stringContaining("repository")]);
    expect(run.code).not.toBe(0);
  });

  test("M9: doctor says when what people read is no longer what counts", async () => {
    const project = workspace({ commands: { verify: "true" } }, { [`${WORK}/eval_criteria.md`]: "anything\n" });
    const doctor = await project.pawl("doctor", WORK);
    expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringMatching(/warn +eval_criteria.md/)]);
  });
});
