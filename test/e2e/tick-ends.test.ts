/** Every tick that began leaves one line in loop-run-log.md, however it ended. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Project } from "../support/cli.ts";
import { logOf, repository, stagesOf, tick } from "../support/tick-project.ts";

const HANGS = 'test=["sleep","600"]';
const BY_NAME = ["run", "daily-triage", "--agent", "scripted", "--level", "L2", "--param", HANGS];

/** A tick whose tests never end, with its process. */
async function hanging(project: Project) {
  const host = project.start(...BY_NAME);
  await host.until("verify");
  return host;
}

const linesOf = (project: Project) => logOf(project).map(({ outcome, note, item }) => [outcome, note, item]);

async function lastRun(project: Project): Promise<string> {
  const { value } = await project.json("show", "@last");
  return (value as { run: string }).run;
}

describe("the line of a tick", () => {
  test("J11: is there after a cancel, once, and says so", async () => {
    const project = repository();
    const host = await hanging(project);
    expect((await project.pawl("cancel", "@last")).code).toBe(0);
    await host.ended;
    expect(linesOf(project)).toEqual([["no-op", expect.stringMatching(/^cancelled/), "#7"]]);
    expect(logOf(project)[0]).toMatchObject({ pattern: "daily-triage", run: await lastRun(project), actions_taken: 0 });
  });

  test("J11: is there after Ctrl-C", async () => {
    const project = repository();
    const host = await hanging(project);
    host.child.kill("SIGINT");
    expect((await host.ended).code).toBe(130);
    expect(linesOf(project)).toEqual([["no-op", expect.stringMatching(/^cancelled/), "#7"]]);
  });

  test("J11: is there after a kill, with a host that lives and with one that is gone", async () => {
    for (const isAlive of [true, false]) {
      const project = repository();
      const host = await hanging(project);
      if (!isAlive) host.child.kill("SIGKILL");
      if (!isAlive) await host.ended;
      expect((await project.pawl("kill", "@last", "--why", "a test")).code).toBe(0);
      await host.ended;
      expect(linesOf(project)).toEqual([["no-op", expect.stringMatching(/^kill_switch/), "#7"]]);
    }
  });

  test("J11: is there after a cancel of a run whose host is gone", async () => {
    const project = repository();
    const host = await hanging(project);
    host.child.kill("SIGKILL");
    await host.ended;
    expect(() => logOf(project)).toThrow("ENOENT");
    expect((await project.pawl("cancel", "@last")).code).toBe(0);
    expect(linesOf(project)).toEqual([["no-op", expect.stringMatching(/^cancelled/), "#7"]]);
  });

  test("J11: is there where policy denies an action of the tick, or the budget the tick itself", async () => {
    const denied = repository({ files: { "pawl.yaml": "policy: { deny: [{ action: loop.claim }] }\n" } });
    expect((await tick(denied, "L2")).code).toBe(2);
    expect(linesOf(denied)).toEqual([["no-op", expect.stringMatching(/^policy_denied: .*loop\.claim/), "#7"]]);
    const table = "## Daily limits\n| Loop | Max runs/day |\n|---|---|\n| daily-triage | 0 |\n";
    const broke = repository({ files: { "loop-budget.md": table } });
    expect((await tick(broke, "L2")).code).toBe(2);
    expect(await stagesOf(broke)).toEqual([]);
    expect(linesOf(broke)).toEqual([["no-op", expect.stringMatching(/^budget_exhausted: /), undefined]]);
  });

  test("J11: is there where the kill switch lets no tick begin, as a no-op that says why, by hand and served", async () => {
    const project = repository({ files: { "STATE.md": "# Loop State\n\nloop-pause-all: true\n" } });
    expect((await project.pawl(...BY_NAME)).code).toBe(1);
    const paused = [
      "no-op",
      expect.stringMatching(/^the kill switch is on .*STATE\.md:3.*loop-pause-all: true/),
      undefined,
    ];
    expect(linesOf(project)).toEqual([paused]);
    expect(logOf(project)[0]).toMatchObject({ pattern: "daily-triage", tokens_estimate: 0, actions_taken: 0 });
    project.write("pawl.yaml", `loops: { triage: { pattern: daily-triage, agent: scripted, every: 300d } }\n`);
    expect((await project.pawl("run", "triage", "--no-wait")).code).toBe(0);
    expect((await project.pawl("serve", "--once")).code).toBe(0);
    expect(linesOf(project)).toEqual([paused, paused]);
  });

  test("J11: that was not written because the host was killed in between is written by the next tick, or by a resume, once", async () => {
    const project = repository({ files: { "pawl.yaml": "policy: { deny: [{ action: loop.claim }] }\n" } });
    expect((await tick(project, "L2")).code).toBe(2);
    const run = await lastRun(project);
    const log = join(project.root, "loop-run-log.md");
    const whole = readFileSync(log, "utf8");
    rmSync(log);
    expect((await project.pawl("resume", run)).code).not.toBe(0);
    expect(readFileSync(log, "utf8")).toBe(whole);
    writeFileSync(log, whole.replace(/^\{.*\n/m, ""));
    rmSync(join(project.root, "pawl.yaml"));
    expect((await tick(project, "L2")).code).toBe(0);
    expect((await tick(project, "L1")).code).toBe(0);
    expect(linesOf(project).map(([outcome]) => outcome)).toEqual(["no-op", "fix-proposed", "report-only"]);
    expect(logOf(project)[0]).toMatchObject({ run });
  });
});
