/** Several processes serve one project: each slot at most once, whoever stands still is ended and late, nothing is lost. */
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { type CliProcess, createProject, eventually, isAlive, type Project } from "../support/cli.ts";

const FULL = process.env["PAWL_FULL"] === "1";
const MINUTE = 60_000;

const HEAD = 'version: 1\nname: NAME\npolicy: { allow: [ { action: file.append }, { run: [sleep, "**"] } ] }\n';
const append = "  - { id: note, action: file.append, with: { path: count.txt, line: done } }\n";
const QUICK = `${HEAD.replace("NAME", "quick")}stages:\n${append}`;
const SLOW = `${HEAD.replace("NAME", "slow")}workspace: directory\nstages:\n  - { id: wait, command: [sleep, "3"], effect: idempotent }\n${append}`;

type Line = {
  readonly type: string;
  readonly loop?: string;
  readonly slot?: string;
  readonly run?: string;
  readonly pid?: number;
};

let project: Project;
beforeEach(() => {
  project = createProject({ "quick.yaml": QUICK, "slow.yaml": SLOW });
});
afterEach(() => project.remove());

const linesOf = (text: string): readonly Line[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);
const counted = (): readonly string[] => {
  const file = join(project.root, "count.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};

interface Serving extends CliProcess {
  lines(): readonly Line[];
}

function serve(...args: string[]): Serving {
  const started = project.start("serve", "--jsonl", "--lease", "2s", ...args);
  let text = "";
  started.child.stdout?.on("data", (chunk: string) => {
    text += chunk;
  });
  return { ...started, lines: () => linesOf(text.slice(0, text.lastIndexOf("\n") + 1)) };
}

function expectOnce(lines: readonly Line[]): void {
  const slots = lines.filter(({ type }) => type === "slot.fired").map(({ loop, slot }) => `${loop} ${slot}`);
  expect(new Set(slots).size).toBe(slots.length);
  // The key of an effect names its run: no run has had its effect twice.
  expect(new Set(counted()).size).toBe(counted().length);
}

/** Until nothing is queued: what was put off because another process had the store is still due, and a little later. */
async function serveAll(): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (;;) {
    const last = serve("--once");
    await last.ended;
    lines.push(...last.lines());
    const { value } = await project.json("queue");
    if ((value as { jobs: readonly unknown[] }).jobs.length === 0) return lines;
    await sleep(300);
  }
}

/** Every slot that has fired, and the job of each. */
async function stored() {
  const db = (await loadDriver()).open(join(project.root, ".pawl", "loops.db"), { timeout: 5000 });
  const slots = db.prepare<{ name: string }>("SELECT loop || '@' || slot AS name FROM slots ORDER BY name").all();
  const jobs = db
    .prepare<{ job: string; state: string; run: string }>("SELECT job, state, body ->> 'run' AS run FROM jobs")
    .all();
  db.close();
  return { slots: slots.map(({ name }) => name), jobs };
}

/** The next time of a loop, as if nobody had been there since. */
async function setNext(loop: string, next: number): Promise<void> {
  const db = (await loadDriver()).open(join(project.root, ".pawl", "loops.db"), { timeout: 5000 });
  db.prepare("UPDATE schedules SET next = ?2, armed_at = ?2 WHERE loop = ?1").run(loop, next);
  db.close();
}

describe("pawl serve", () => {
  test("L7: of five processes one fires each slot; one that stands still past its lease is ended, and another goes on with its run", async () => {
    project.write(
      "pawl.yaml",
      "loops:\n  slow: { blueprint: slow.yaml, every: 1s }\n  quick: { blueprint: quick.yaml, every: 1s-2s, catch_up: all }\n",
    );
    const all = Array.from({ length: 5 }, () => serve());
    const heard = (): readonly Line[] => all.flatMap((each) => each.lines());
    const victims: number[] = [];
    for (let round = 0; round < (FULL ? 4 : 1); round += 1) {
      const open = (each: Serving): string | undefined => {
        const over = new Set(
          each
            .lines()
            .filter(({ type }) => type === "run.ended")
            .map(({ run }) => run),
        );
        return each.lines().findLast(({ type, loop, run }) => type === "run.began" && loop === "slow" && !over.has(run))
          ?.run;
      };
      const living = (): readonly Serving[] =>
        all.filter(({ child }) => child.exitCode === null && child.signalCode === null);
      await eventually(() => living().some((each) => open(each) !== undefined), "a run is under way", 60_000);
      const victim = living().find((each) => open(each) !== undefined);
      if (victim === undefined) throw new Error("nobody hosts it");
      const run = open(victim);
      const pid = victim.child.pid ?? 0;
      process.kill(pid, "SIGSTOP");
      victims.push(pid);
      await eventually(
        () => heard().some(({ type, pid: ended }) => type === "host.ended" && ended === pid),
        "it is ended",
        60_000,
      );
      await eventually(
        () => heard().some((line) => line.type === "run.ended" && line.run === run),
        "its run is over",
        60_000,
      );
      expect(isAlive(pid)).toBe(false);
    }
    for (const { child } of all) child.kill("SIGINT");
    await Promise.all(all.map(({ ended }) => ended));
    const lines = [...heard(), ...(await serveAll())];
    expectOnce(lines);
    expect(victims.length).toBe(FULL ? 4 : 1);
    expect(lines.filter(({ type }) => type === "serve.problem")).toEqual([]);
    // Nothing that was fired is lost: each has had its effect. One that was ended may have stored a slot and not told of it.
    const { slots, jobs } = await stored();
    const done = counted().map((line) => (JSON.parse(line) as { key: string }).key.split(":")[0]);
    expect(jobs.map(({ job }) => job).toSorted()).toEqual(slots);
    expect(jobs.filter(({ state }) => state !== "done")).toEqual([]);
    expect(done.toSorted()).toEqual(jobs.map(({ run }) => run).toSorted());
    const told = lines.filter(({ type }) => type === "slot.fired").map(({ loop, slot }) => `${loop}@${slot}`);
    expect(told.filter((name) => !slots.includes(name))).toEqual([]);
    expect(slots.length - told.length).toBeLessThanOrEqual(victims.length);
  });

  test("L7: twelve times that were missed are twelve runs under all, one under one, none under skip", async () => {
    const loop = (how: string): string =>
      `  ${how}: { blueprint: quick.yaml, cron: "*/5 * * * *", catch_up: ${how} }\n`;
    project.write("pawl.yaml", `loops:\n${loop("all")}${loop("one")}${loop("skip")}`);
    expect((await project.pawl("serve", "--once")).code).toBe(0);
    const { value } = await project.json("status");
    expect((value as { loops: { loop: string }[] }).loops.map(({ loop: of }) => of).sort()).toEqual([
      "all",
      "one",
      "skip",
    ]);
    expect((await project.pawl("why")).stdout).toMatch(/next: \w+ at \d{4}-/);
    const slot = Math.floor(Date.now() / (5 * MINUTE)) * 5 * MINUTE;
    // Far enough from the next time that none comes while this runs, and from the last that it counts as missed.
    const from = slot - 11 * 5 * MINUTE;
    for (const name of ["all", "one", "skip"]) await setNext(name, from);
    const [one, two] = await Promise.all([serve("--once").ended, serve("--once").ended]);
    const lines = [...linesOf(one.stdout), ...linesOf(two.stdout)];
    expectOnce(lines);
    const runs = (name: string): number =>
      lines.filter(({ type, loop: of }) => type === "slot.fired" && of === name).length;
    expect(runs("all")).toBeGreaterThanOrEqual(12);
    expect(runs("all")).toBeLessThanOrEqual(13);
    expect(runs("one")).toBeLessThanOrEqual(2);
    expect(runs("one")).toBeGreaterThanOrEqual(1);
    expect(runs("skip")).toBeLessThanOrEqual(1);
  });

  test("a bad loop is told, what has no wall never begins, and the rest runs", async () => {
    project.write(
      "danger.yaml",
      `${HEAD.replace("NAME", "danger")}defaults: { sandbox: danger_full_access }\nworkspace: directory\nstages:\n  - { id: a, command: [sleep, "0"] }\n`,
    );
    project.write(
      "pawl.yaml",
      "loops:\n  bad: { blueprint: none.yaml, every: 1s }\n  danger: { blueprint: danger.yaml, every: 1s }\n  quick: { blueprint: quick.yaml, every: 1s }\n",
    );
    const serving = serve();
    await eventually(() => counted().length >= 2, "the good one has run twice", 60_000);
    serving.child.kill("SIGINT");
    const { code, stdout } = await serving.ended;
    expect(code).toBe(0);
    const failed = linesOf(stdout).filter(({ type }) => type === "loop.failed");
    expect(failed).toContainEqual(expect.objectContaining({ loop: "bad", code: "BLUEPRINT_FILE_UNREADABLE" }));
    expect(failed).toContainEqual(expect.objectContaining({ loop: "danger", code: "RUN_DANGER_REFUSED" }));
  });

  test("R7: a signed delivery is one run; a second with its id, a wrong or an old signature, and one that is too long are none", async () => {
    const secret = "a secret of some length";
    project.write("secret.txt", `${secret}\n`);
    project.write("pawl.yaml", "loops:\n  hook: { blueprint: quick.yaml, webhook: { secret_file: secret.txt } }\n");
    const serving = serve();
    await serving.until("serve.ready");
    const url = (serving.lines().find(({ type }) => type === "serve.ready") as unknown as { url: string }).url;
    const post = async (
      delivery: string,
      fields: { readonly ageMs?: number; readonly key?: string; readonly body?: string } = {},
    ) => {
      const { ageMs = 0, key = secret, body = "{}" } = fields;
      const timestamp = String(Math.floor((Date.now() - ageMs) / 1000));
      const signature = `sha256=${createHmac("sha256", key).update(`${timestamp}.${delivery}.${body}`).digest("hex")}`;
      const headers = { "x-pawl-timestamp": timestamp, "x-pawl-delivery": delivery, "x-pawl-signature": signature };
      return (await fetch(`${url}/hooks/hook`, { method: "POST", headers, body }).catch(() => ({ status: 413 })))
        .status;
    };
    expect(await post("build-1")).toBe(202);
    expect(await post("build-1")).toBe(200);
    expect(await post("build-2", { key: "another secret of length" })).toBe(401);
    expect(await post("build-3", { ageMs: 6 * MINUTE })).toBe(401);
    expect(await post("../build")).toBe(401);
    expect(await post("build-4", { body: "x".repeat((1 << 20) + 1) })).toBe(413);
    expect((await fetch(`${url}/hooks/constructor`, { method: "POST" })).status).toBe(404);
    expect((await fetch(`${url}/hooks/hook`)).status).toBe(405);
    await eventually(() => counted().length === 1, "it has run", 60_000);
    serving.child.kill("SIGINT");
    await serving.ended;
    expect(counted()).toHaveLength(1);
  });

  test("R7: a change of watched files is one run, however many files it is and processes see it", async () => {
    project.write("src/a.txt", "a");
    project.write("pawl.yaml", 'loops:\n  watch: { blueprint: quick.yaml, watch: { files: ["src/**"] } }\n');
    await project.pawl("serve", "--once");
    expect(counted()).toEqual([]);
    for (const name of ["a", "b", "c"]) project.write(`src/${name}.txt`, "changed");
    await Promise.all([project.pawl("serve", "--once"), project.pawl("serve", "--once")]);
    expect(counted()).toHaveLength(1);
    await project.pawl("serve", "--once");
    expect(counted()).toHaveLength(1);
  });

  test("R7: loops with watch and webhook that are written into pawl.yaml while it is served are fired too", async () => {
    const secret = "a secret of some length";
    project.write("secret.txt", secret);
    project.write("src/a.txt", "a");
    const first = "loops:\n  rare: { blueprint: quick.yaml, every: 300d }\n";
    project.write("pawl.yaml", first);
    const serving = serve();
    await eventually(() => serving.lines().some(({ type }) => type === "serve.ready"), "it serves", 60_000);
    project.write(
      "pawl.yaml",
      `${first}  files: { blueprint: quick.yaml, watch: { files: ["src/**"] } }\n  hook: { blueprint: quick.yaml, webhook: { secret_file: secret.txt } }\n`,
    );
    const reloaded = (): Line | undefined => serving.lines().find(({ type }) => type === "serve.reloaded");
    await eventually(() => reloaded() !== undefined, "pawl.yaml is read again", 60_000);
    project.write("src/a.txt", "changed");
    const { url } = reloaded() as unknown as { readonly url: string };
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = `sha256=${createHmac("sha256", secret).update(`${timestamp}.one.`).digest("hex")}`;
    const headers = { "x-pawl-timestamp": timestamp, "x-pawl-delivery": "one", "x-pawl-signature": signature };
    expect((await fetch(`${url}/hooks/hook`, { method: "POST", headers })).status).toBe(202);
    await eventually(() => counted().length === 2, "both loops have run", 60_000);
    serving.child.kill("SIGINT");
    expect((await serving.ended).code).toBe(0);
  });

  test("R7: what changes as soon as it says that it serves is seen: files and a branch of a new loop", async () => {
    project.write("src/a.txt", "a");
    project.write(
      "pawl.yaml",
      'loops:\n  files: { blueprint: quick.yaml, watch: { files: ["src/**"] } }\n  main: { blueprint: quick.yaml, watch: { ref: main } }\n',
    );
    const git = (...args: readonly string[]): void => {
      const author = ["-c", "user.name=ann", "-c", "user.email=ann@example.org"];
      expect(spawnSync("git", ["-C", project.root, ...author, ...args]).status).toBe(0);
    };
    git("init", "--quiet", "--initial-branch=main");
    git("commit", "--quiet", "--allow-empty", "--message=one");
    const serving = serve();
    await eventually(() => serving.lines().some(({ type }) => type === "serve.ready"), "it serves", 60_000);
    project.write("src/a.txt", "changed");
    git("commit", "--quiet", "--allow-empty", "--message=two");
    await eventually(() => counted().length === 2, "both loops have run", 60_000);
    serving.child.kill("SIGINT");
    await serving.ended;
    expect(
      serving
        .lines()
        .filter(({ type }) => type === "slot.fired")
        .map(({ loop }) => loop)
        .toSorted(),
    ).toEqual(["files", "main"]);
  });
});
