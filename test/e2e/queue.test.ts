/** `pawl queue` on a real queue, and a run that waits for the machine. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteLoops } from "../../src/adapters/sqlite/loops/loop-store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { buildJob } from "../contract/jobs.contract.ts";
import { createProject, eventually, type Project } from "../support/cli.ts";

const clock = createSystemClock();

function project(files: Readonly<Record<string, string>> = {}): Project {
  const made = createProject(files);
  onTestFinished(() => made.remove());
  return made;
}

describe("pawl queue", () => {
  it("C1: shows place and time of each job, cancels what waits only, and resizes a lane", async () => {
    const { root, pawl, json } = project();
    expect(await pawl("queue")).toMatchObject({ code: 0, stdout: "nothing is queued, and nothing was.\n" });
    const loops = await openSqliteLoops({ dir: join(root, ".pawl"), clock });
    onTestFinished(() => loops.close());
    for (const id of ["a1", "a2", "a3"]) await loops.jobs.submit(buildJob(id), clock.now());
    await loops.jobs.submit(buildJob("b1", { caller: "b" }), clock.now());
    await loops.jobs.resize("default", 1);
    await loops.jobs.claim({ at: clock.now(), leaseMs: 60_000 });
    const { value } = await json("queue");
    expect(value).toMatchObject({
      lanes: [{ lane: "default", max: 1, running: 1, queued: 3, perHour: 0, meanMs: null }],
      jobs: [
        { id: "a1", position: null, holder: { pid: process.pid } },
        { id: "b1", position: 1, etaMs: null },
        { id: "a2", position: 2 },
        { id: "a3", position: 3 },
      ],
    });
    expect(await pawl("queue", "cancel", "a1")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("LANE_JOB_RUNNING"),
    });
    expect(await pawl("queue", "cancel", "a2")).toMatchObject({ code: 0 });
    expect(await pawl("queue", "cancel", "x")).toMatchObject({ code: 3 });
    expect(await pawl("queue", "resize", "default", "3")).toMatchObject({ code: 0 });
    expect(await pawl("queue", "resize", "default", "many")).toMatchObject({ code: 3 });
    const { stdout } = await pawl("queue");
    expect(stdout).toMatch(/default +1 of 3 +2/);
    expect(stdout).toMatch(/b1 +default +b +1 +next/);
    expect(await loops.jobs.claim({ at: clock.now(), leaseMs: 60_000 })).toMatchObject({ job: { id: "b1" } });
  });
});

const NOTE = (name: string): string =>
  `version: 1\nname: ${name}\npolicy: { allow: [ { action: file.append } ] }\nstages:\n  - { id: note, action: file.append, with: { path: count.txt, line: done } }\n`;
const LOOPS =
  "lanes: { agents: { max: 2 } }\nloops:\n  fix: { blueprint: fix.yaml, lane: agents }\n  often: { blueprint: often.yaml, every: 12h }\n";

describe("pawl run --no-wait", () => {
  it("queues runs of a loop, one beside the other, for whoever serves", async () => {
    const { root, pawl, json, start } = project({
      "fix.yaml": NOTE("fix"),
      "often.yaml": NOTE("often"),
      "pawl.yaml": LOOPS,
    });
    const first = await json("run", "fix", "--no-wait");
    const { job, run } = first.value as { job: string; run: string };
    expect(first).toEqual({ code: 0, value: { job, run, loop: "fix", lane: "agents", position: 1 } });
    expect(job).toMatch(/^fix@asked:[0-9a-z]{12}$/);
    const second = await pawl("run", "fix", "--no-wait");
    expect(second).toMatchObject({ code: 0, stdout: expect.stringMatching(/^queued fix@asked:\S+\nrun r_\S+\n$/) });
    await pawl("run", "often", "--no-wait");
    const { value: waiting } = await json("queue");
    expect((waiting as { jobs: { id: string; position: number }[] }).jobs).toMatchObject([
      { id: job, position: 1 },
      { id: second.stdout.split(/\s/)[1], position: 2 },
      { id: expect.stringMatching(/^often@asked:/), position: 1 },
    ]);
    expect(existsSync(join(root, "count.txt"))).toBe(false);

    const serving = start("serve", "--jsonl");
    const ends = (): number => serving.stdout().split('"type":"run.ended"').length - 1;
    await eventually(() => ends() === 3, "all ran", 60_000);
    serving.child.kill("SIGINT");
    const news = (await serving.ended).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; run?: string; loop?: string });
    const of = (loop: string): readonly string[] => news.filter((each) => each.loop === loop).map(({ type }) => type);
    // Two of a loop at once are never under way, although the lane has room for both.
    const fix = of("fix").filter((type) => type === "run.began" || type === "run.ended");
    expect(fix).toEqual(["run.began", "run.ended", "run.began", "run.ended"]);
    expect(news.filter(({ type }) => type === "run.ended").map((each) => each.run)).toContain(run);
    const keys = readFileSync(join(root, "count.txt"), "utf8").trim().split("\n");
    expect(new Set(keys).size).toBe(3);
    expect((await json("queue")).value).toMatchObject({ jobs: [] });
    expect((await json("show", run)).value).toMatchObject({ status: "succeeded" });
  });

  it("takes only a loop, and only as pawl.yaml says", async () => {
    const { root, pawl } = project({ "fix.yaml": NOTE("fix"), "pawl.yaml": LOOPS });
    expect(await pawl("run", "fix.yaml", "--no-wait")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("CLI_QUEUE_NO_LOOP"),
    });
    for (const words of [["--level", "L2"], ["--param", "a=b"], ["--dry-run"], ["--ticks", "2"]])
      expect(await pawl("run", "fix", "--no-wait", ...words)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining(`leave out ${words[0]}`),
      });
    expect(existsSync(join(root, ".pawl", "loops.db"))).toBe(false);
  });
});

describe("a run whose loop has a weight", () => {
  it("waits until the machine has room for it", async () => {
    const { root, env, start } = project({
      "light.yaml":
        'version: 1\nname: light\nworkspace: directory\npolicy: { allow: [ { run: ["true"] } ] }\nstages:\n  - { id: go, command: ["true"] }\n',
      "pawl.yaml":
        "version: 1\nmachine: { memory: 1GB, cpus: 4 }\nloops:\n  light: { blueprint: light.yaml, level: L1, weight: { memory: 600MB, cpus: 1 } }\n",
    });
    env["XDG_STATE_HOME"] = join(root, "state");
    const loops = await openSqliteLoops({ dir: join(root, "state", "pawl"), clock });
    onTestFinished(() => loops.close());
    const weight = { memoryBytes: 600 * 1024 ** 2, cpus: 1 };
    await loops.admissions.ask({ key: "other", weight, total: { memoryBytes: 2 ** 40, cpus: 64 } });
    const run = start("run", "light.yaml");
    await run.until("waiting for the machine: the memory of the machine is taken");
    await loops.admissions.leave("other");
    expect(await run.ended).toMatchObject({ code: expect.any(Number), stdout: expect.stringContaining("run r_") });
  });
});
