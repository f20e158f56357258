/** What a run makes of its workspace, as a person sees it: diff, fork, gc, live logs and heartbeats. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProject, eventually, type Project } from "../support/cli.ts";

const BLUEPRINT = `version: 1
name: build
policy: { allow: [{ shell: "**" }] }
stages:
  - { id: write, command: "echo one > new.txt; echo changed > kept.txt; ln -s /tmp/elsewhere link" }
  - { id: more, command: "echo two >> new.txt; rm gone.txt", max_attempts: 2 }
  - { id: check, gate: { command: "grep -q two new.txt" }, sandbox: read_only }
`;

let project: Project;
beforeEach(() => {
  project = createProject({ "blueprint.yaml": BLUEPRINT, "kept.txt": "as it was\n", "gone.txt": "bye\n" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("-c", "user.name=ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--message=begin");
});
afterEach(() => project.remove());

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", ["-C", project.root, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

interface DiffDocument {
  readonly files: readonly { readonly status: string; readonly path: string; readonly newMode: string }[];
}

async function pathsOf(...args: string[]): Promise<readonly string[]> {
  const { value } = await project.json("diff", ...args);
  return (value as DiffDocument).files.map(({ status, path, newMode }) => `${status} ${path} ${newMode}`);
}

describe("a run in a clone", () => {
  beforeEach(async () => {
    expect(await project.pawl("run", "blueprint.yaml")).toMatchObject({ code: 0, stderr: "" });
  });

  it("leaves the project as it was, and shows every change", async () => {
    expect(git("status", "--porcelain")).toBe("");
    expect(await pathsOf("@last")).toEqual([
      "deleted gone.txt 000000",
      "modified kept.txt 100644",
      "added link 120000",
      "added new.txt 100644",
    ]);
    const shown = await project.pawl("diff", "@last");
    expect(shown.stdout).toContain("added         link");
    expect(shown.stdout).toContain("+two");
    expect((await project.pawl("diff", "@last", "--stat")).stdout).not.toContain("+two");
    const { stdout: patch } = await project.pawl("diff", "@last", "--raw");
    writeFileSync(join(project.root, "change.patch"), patch);
    git("apply", "--check", "change.patch");
  });

  it("shows what one stage changed, and refuses one that never was", async () => {
    expect(await pathsOf("@last", "--stage", "more")).toEqual(["deleted gone.txt 000000", "modified new.txt 100644"]);
    const wrong = await project.pawl("diff", "@last", "--stage", "mroe");
    expect([wrong.code, wrong.stderr.includes("RUN_STAGE_NOT_REACHED")]).toEqual([3, true]);
    expect((await project.pawl("diff", "@last", "--stage", "check")).code).toBe(3);
  });

  it("is forked at a stage: with the tree and the results of before, and nothing of before runs again", async () => {
    const first = (await project.json("show", "@last")).value as { run: string };
    const forked = await project.pawl("fork", "@last@more");
    expect(forked).toMatchObject({ code: 0, stderr: "" });
    expect(forked.stdout).toContain(`forked from ${first.run}`);
    expect(await pathsOf("@last")).toHaveLength(4);
    const { value } = await project.json("events", "@last");
    const events = (value as { events: { event: { type: string; stage?: string } }[] }).events.map(
      ({ event }) => event,
    );
    expect(events[0]).toMatchObject({ type: "run.created", forked: { run: first.run, stage: "more" } });
    expect(events.filter(({ type, stage }) => type === "stage.started" && stage === "write")).toHaveLength(1);
    expect(await project.pawl("verify", "--all")).toMatchObject({ code: 0 });
    expect(await project.pawl("replay", "@last")).toMatchObject({ code: 0 });
    expect((await project.pawl("fork", "@last@nowhere")).stderr).toContain("RUN_STAGE_NOT_REACHED");
    expect((await project.pawl("fork", "nothing")).stderr).toContain("CLI_FORK_STAGE_MISSING");
  });

  it("is swept: trees stay until they are old, then they are gone and it is proved", async () => {
    const kept = await project.json("gc");
    expect(kept).toMatchObject({ code: 0, value: { workspaces: 0, refs: 0 } });
    expect(await pathsOf("@last")).toHaveLength(4);
    const dry = await project.json("gc", "--older-than", "0s", "--dry-run");
    expect((dry.value as { refs: number }).refs).toBeGreaterThan(0);
    expect(await pathsOf("@last")).toHaveLength(4);
    const swept = (await project.json("gc", "--older-than", "0s")).value as Record<string, number>;
    expect(swept["refs"]).toBeGreaterThan(0);
    expect(swept["objectsAfter"]).toBeLessThan(swept["objectsBefore"] ?? 0);
    expect((await project.pawl("diff", "@last")).stderr).toContain("WORKSPACE_TREE_MISSING");
    expect((await project.pawl("gc", "--older-than", "soon")).stderr).toContain("CLI_AGE_INVALID");
    expect(git("fsck", "--strict")).toBe("");
  });
});

interface Beat {
  readonly pid: number;
  readonly lastLine: string;
}

async function heartbeat(): Promise<Beat> {
  const { value } = await project.json("status", "@last");
  return (value as { heartbeats: Beat[] }).heartbeats[0] ?? { pid: 0, lastLine: "" };
}

describe("a process under way", () => {
  const SLOW =
    'version: 1\nname: slow\npolicy: { allow: [{ shell: "**" }] }\nstages:\n  - { id: slow, command: "echo begun; sleep 30" }\n';

  it("is seen from another process: its heartbeat, its log, and after a kill what it had written", async () => {
    project.write("slow.yaml", SLOW);
    const run = project.start("run", "slow.yaml");
    await run.until("slow started");
    while (!(await heartbeat()).lastLine.includes("begun")) await sleep(100);
    expect((await project.pawl("logs", "@last")).stdout).toBe("==> slow attempt 1, still running <==\nbegun\n");
    const beat = await heartbeat();
    expect(beat).toMatchObject({ stage: "slow", lastLine: "begun", state: "running" });
    expect(existsSync(`/proc/${beat.pid}`)).toBe(true);
    expect(readFileSync(`/proc/${beat.pid}/cmdline`, "utf8")).toContain("sleep 30");
    expect((await project.pawl("status", "@last")).stdout).toContain(`process ${beat.pid}`);
    run.child.kill("SIGKILL");
    await run.ended;
    await eventually(() => !existsSync(`/proc/${beat.pid}`), "the process is gone with its host");
    expect((await project.pawl("cancel", "@last")).code).toBe(0);
    expect((await project.pawl("logs", "@last")).stdout).toContain("begun\n");
  });
});

describe("a project that gives no clone", () => {
  it("is told why, and nothing is run", async () => {
    const bare = createProject({ "blueprint.yaml": BLUEPRINT });
    const { code, stderr } = await bare.pawl("run", "blueprint.yaml");
    expect([code, stderr.includes("WORKSPACE_NOT_A_REPOSITORY")]).toEqual([3, true]);
    bare.remove();
  });
});
