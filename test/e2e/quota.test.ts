import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../support/cli.ts";
import { PATIENCE_MS, slowness } from "../support/slowness.ts";

const DANGER = "--danger-full-access";
/** Refuses until the second that the file `reset` names; then it works for a moment and says when. */
const VENDOR = `now=$(date +%s)
reset=$(cat reset)
if [ "$now" -lt "$reset" ]; then
  echo "refused $now" >> calls
  echo "You've hit your usage limit. Try again in $((reset - now)) seconds."
  exit 1
fi
echo "begin $(date +%s%N)" >> calls
sleep 0.3
echo "end $(date +%s%N)" >> calls
`;
const AGENT = `version: 1
name: agent
workspace: directory
defaults: { sandbox: danger_full_access }
policy: { allow: [{ run: ["sh", "**"] }] }
stages:
  - { id: fix, command: [sh, vendor.sh], quota: codex }
`;

let project: Project;
beforeEach(() => {
  project = createProject({ "agent.yaml": AGENT, "vendor.sh": VENDOR });
});
afterEach(() => project.remove());

/** The vendor refuses for so long from now, longer on a busy machine: who is to be refused must get there in time. */
function refuse(seconds: number): number {
  const reset = Math.ceil(Date.now() / 1000) + Math.ceil(seconds * (seconds > 0 ? slowness() : 1));
  project.write("reset", String(reset));
  return reset * 1000;
}

const calls = (): readonly string[] => readFileSync(join(project.root, "calls"), "utf8").trim().split("\n");
const waits = async (): Promise<unknown> => (await project.json("show", "@last")).value;

describe("a run that its vendor refuses", () => {
  it("waits in the foreground, says until when and why, and goes on by itself", async () => {
    const reset = refuse(3);
    const run = project.start("run", "agent.yaml", DANGER);
    await run.until("Ctrl-C leaves it resting");
    expect(await waits()).toMatchObject({ status: "waiting", reason: "awaiting_quota" });
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /rests until [-\d]+ [:\d]+ UTC, in [\d.]+m?s: awaiting_quota, the quota of the vendor is used up/,
    );
    expect(stdout).toContain("fix parked: the quota of the vendor is used up");
    expect(Number(calls().at(-2)?.split(" ")[1]) / 1e6).toBeGreaterThanOrEqual(reset);
  });

  it("stays resting after Ctrl-C, and after a kill, and goes on when it is due", async () => {
    const reset = refuse(4);
    const runs = [project.start("run", "agent.yaml", DANGER), project.start("run", "agent.yaml", DANGER)];
    for (const run of runs) await run.until("Ctrl-C leaves it resting");
    runs[0]?.child.kill("SIGINT");
    runs[1]?.child.kill("SIGKILL");
    expect(await runs[0]?.ended).toMatchObject({ code: 130 });
    await runs[1]?.ended;
    const early = await project.pawl("resume", "--due");
    expect(early.code).toBe(0);
    expect(early.stdout).toMatch(/no run has a time that has come\nnext: run r_\w+ of agent at .* UTC: awaiting_quota/);
    await sleep(Math.max(0, reset + 1500 - Date.now()));
    const due = await project.json("resume", "--due");
    expect(due).toMatchObject({
      code: 0,
      value: { woken: [{ status: "succeeded" }, { status: "succeeded" }], next: null },
    });
  });

  it("is left alone with --no-auto-resume", async () => {
    const reset = refuse(2);
    const run = await project.pawl("run", "agent.yaml", DANGER, "--no-auto-resume");
    expect(run.code).toBe(2);
    expect(run.stdout).toMatch(/It goes on at .* UTC\. Wait for that:\n {2}pawl resume r_\w+/);
    const refused = await project.pawl("resume", "@last", "--no-auto-resume");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("RUN_NOT_DUE");
    await sleep(Math.max(0, reset + 1000 - Date.now()));
    expect(await waits()).toMatchObject({ status: "waiting" });
    expect(calls()).toHaveLength(1);
    expect((await project.pawl("resume", "@last")).code).toBe(0);
  });

  it("is left alone where pawl.yaml says so", async () => {
    project.write("pawl.yaml", "auto_resume: false\n");
    refuse(60);
    expect((await project.pawl("run", "agent.yaml", DANGER)).code).toBe(2);
  });

  it("is tried at once when a person insists", async () => {
    refuse(60);
    await project.pawl("run", "agent.yaml", DANGER, "--no-auto-resume");
    refuse(-1);
    expect((await project.pawl("resume", "@last", "--now")).code).toBe(0);
  });
});

describe("six runs in six processes", () => {
  it("all go on, one of them first and the others one by one", async () => {
    const reset = refuse(6);
    const runs = Array.from({ length: 6 }, () => project.start("run", "agent.yaml", DANGER));
    for (const run of runs) await run.until("Ctrl-C leaves it resting");
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    const told = calls().map((line) => line.split(" "));
    expect(told.filter(([what]) => what === "refused")).toHaveLength(6);
    const times = (what: string): number[] => told.filter(([kind]) => kind === what).map(([, at]) => Number(at) / 1e6);
    const begins = times("begin");
    expect(begins).toHaveLength(6);
    expect(begins[0]).toBeGreaterThanOrEqual(reset);
    expect(begins[1]).toBeGreaterThanOrEqual(times("end")[0] as number);
    for (const [at, begin] of begins.slice(2).entries())
      expect(begin - (begins[at + 1] as number)).toBeGreaterThan(1500);
  });
});

/** Behind a wall: it writes nothing, what it did stands in the journal. */
const WALLED = `version: 1
name: walled
workspace: directory
policy: { allow: [{ run: ["sh", "**"] }] }
stages:
  - { id: fix, command: [sh, refusing.sh], quota: codex }
`;
const REFUSING = VENDOR.replaceAll(/^ *echo "(?:refused|begin|end).*\n/gm, "");
const LOOPS = "loops:\n  daily: { blueprint: walled.yaml, every: 24h }\n";

describe("runs that rest in a project that is served", () => {
  beforeEach(() => {
    for (const [name, text] of [
      ["walled.yaml", WALLED],
      ["refusing.sh", REFUSING],
      ["pawl.yaml", LOOPS],
    ] as const)
      project.write(name, text);
  });

  async function rest(): Promise<string> {
    const { code, stdout } = await project.pawl("run", "walled.yaml", "--no-auto-resume");
    expect(code).toBe(2);
    return /r_\w+/.exec(stdout)?.[0] ?? "";
  }

  /** When the stage of a run began for the last time, and when it was through; null: it is not yet. */
  async function passage(run: string): Promise<{ readonly from: number; readonly to: number } | null> {
    const { stdout } = await project.pawl("events", run, "--jsonl");
    const lines = stdout.trim().split("\n");
    const events = lines.flatMap((line) => (JSON.parse(line) as { event?: { type: string; at: number } }).event ?? []);
    const last = (type: string): number => events.findLast((event) => event.type === type)?.at ?? 0;
    return last("run.finished") === 0 ? null : { from: last("stage.started"), to: last("stage.finished") };
  }

  it("are woken when their time has come, one of them first and the others one by one", async () => {
    const reset = refuse(6);
    const runs = [await rest(), await rest(), await rest()];
    const serving = project.start("serve", "--jsonl");
    await serving.until("serve.ready");
    const passages = async () => (await Promise.all(runs.map(passage))).filter((each) => each !== null);
    await expect.poll(async () => (await passages()).length, { timeout: PATIENCE_MS, interval: 1000 }).toBe(3);
    serving.child.kill("SIGINT");
    expect((await serving.ended).stdout.match(/"run.woken"/g)).toHaveLength(3);
    const [first, second, third] = (await passages()).sort((a, b) => a.from - b.from);
    expect(first?.from).toBeGreaterThanOrEqual(reset);
    expect(second?.from).toBeGreaterThanOrEqual(first?.to ?? Number.NaN);
    expect((third?.from ?? 0) - (second?.from ?? 0)).toBeGreaterThan(1500);
  });

  it("are followed to their end by who waits for them, whichever process resumes them", async () => {
    const serving = project.start("serve", "--jsonl");
    await serving.until("serve.ready");
    refuse(5);
    const waiting = [project.start("run", "walled.yaml"), project.start("run", "walled.yaml")];
    for (const { code, stdout, stderr } of await Promise.all(waiting.map(({ ended }) => ended)))
      expect({ code, stderr, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/run r_\w+ succeeded/) });
    serving.child.kill("SIGINT");
    await serving.ended;
  });

  it("rest on with --no-auto-resume, and where pawl.yaml says so", async () => {
    const reset = refuse(5);
    const run = await rest();
    refuse(-1);
    await sleep(Math.max(0, reset + 500 - Date.now()));
    const once = (...args: string[]) => project.pawl("serve", "--once", ...args);
    expect((await once("--no-auto-resume")).code).toBe(0);
    project.write("pawl.yaml", `auto_resume: false\n${LOOPS}`);
    expect((await once()).code).toBe(0);
    expect(await passage(run)).toBeNull();
    project.write("pawl.yaml", LOOPS);
    expect((await once()).code).toBe(0);
    expect(await passage(run)).not.toBeNull();
  });
});
