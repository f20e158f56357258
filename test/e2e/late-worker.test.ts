/** A worker that stood still past its lease and lives: nothing that it does afterwards is taken, and each effect happens once. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { BIN, type CliProcess, createProject, eventually, isAlive, type Project } from "../support/cli.ts";
import { jsonLines } from "../support/json-lines.ts";

const WITHIN_MS = 60_000;
const STAGES = 400;
const HEAD = 'version: 1\nname: NAME\npolicy: { allow: [ { action: file.append }, { run: [sleep, "**"] } ] }\n';
const append = (id: string): string =>
  `  - { id: ${id}, action: file.append, with: { path: count.txt, line: ${id} } }\n`;
const SLOW = `${HEAD.replace("NAME", "slow")}workspace: directory\nstages:\n${append("first")}  - { id: wait, command: [sleep, "5"], effect: idempotent }\n${append("last")}`;
const MANY = `${HEAD.replace("NAME", "many")}stages:\n${Array.from({ length: STAGES }, (_, i) => append(`s${i}`)).join("")}`;

interface Line {
  readonly type: string;
  readonly run?: string;
  readonly code?: string;
  readonly again?: boolean;
}

interface Serving extends Pick<CliProcess, "ended"> {
  readonly pid: number;
  told(type: string): readonly Line[];
}

let project: Project;
beforeEach(() => {
  project = createProject({ "slow.yaml": SLOW, "many.yaml": MANY });
});
afterEach(() => project.remove());

const linesOf = (text: string): readonly Line[] => jsonLines<Line>(text);

function counted(): readonly string[] {
  const file = join(project.root, "count.txt");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return lines.filter((line) => line.endsWith("}")).map((line) => (JSON.parse(line) as { line: string }).line);
}

/** As the command line is started, `before` it another program. */
function serve(...before: readonly string[]): Serving {
  const [program = process.execPath, ...args] = [...before, process.execPath, BIN, "serve", "--jsonl", "--lease", "1s"];
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], USER: "tester" };
  const child = spawn(program, args, { cwd: project.root, env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<Awaited<CliProcess["ended"]>>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const pid = child.pid ?? 0;
  return { pid, ended, told: (type) => linesOf(stdout).filter((line) => line.type === type) };
}

/** One slot of the loop is due, and no other comes. */
async function makeDue(blueprint: string): Promise<void> {
  project.write("pawl.yaml", `loops:\n  only: { blueprint: ${blueprint}, every: 12h }\n`);
  expect((await project.pawl("serve", "--once")).code).toBe(0);
  const db = (await loadDriver()).open(join(project.root, ".pawl", "loops.db"), { timeout: 5000 });
  db.prepare("UPDATE schedules SET next = ?1, armed_at = ?1").run(Date.now() - 1000);
  db.close();
}

const runOf = ({ told }: Serving): string => told("run.began")[0]?.run ?? "";
const journal = async (run: string): Promise<readonly unknown[]> =>
  linesOf((await project.pawl("events", run, "--jsonl")).stdout);

async function expectOnce(run: string, lines: readonly string[]): Promise<void> {
  expect(counted()).toEqual(lines);
  const { value } = await project.json("show", run);
  expect((value as { status: string }).status).toBe("succeeded");
  expect((await project.pawl("verify", run)).code).toBe(0);
}

/** Stopped within a transaction it keeps the store from everybody and is ended for that, wherever it is: it is stopped between two. */
async function stopBetweenTransactions(pid: number): Promise<void> {
  const driver = await loadDriver();
  const isFree = (file: string): boolean => {
    const db = driver.open(join(project.root, ".pawl", file), { timeout: 0 });
    try {
      db.exec("BEGIN IMMEDIATE");
      db.exec("ROLLBACK");
      return true;
    } catch {
      return false;
    } finally {
      db.close();
    }
  };
  for (;;) {
    process.kill(pid, "SIGSTOP");
    if (["pawl.db", "loops.db"].every(isFree)) return;
    process.kill(pid, "SIGCONT");
    await sleep(5);
  }
}

/** As on a file system whose locks do not reach: whoever looks takes the process for gone, and cannot end it. */
function hideLocks(): void {
  for (const folder of ["hosts", "workers"].map((name) => join(project.root, ".pawl", name)))
    for (const name of readdirSync(folder)) if (name.endsWith(".lock")) rmSync(join(folder, name));
}

describe("a worker that stood still", () => {
  test("L7: and is taken for gone while it lives: not one event or effect of it is taken any more", async () => {
    await makeDue("slow.yaml");
    const late = serve();
    await eventually(() => counted().length >= 1, "it is under way", WITHIN_MS);
    await stopBetweenTransactions(late.pid);
    onTestFinished(() => void (isAlive(late.pid) && process.kill(late.pid, "SIGKILL")));
    const run = runOf(late);
    hideLocks();
    const taker = serve();
    await eventually(() => taker.told("run.ended").length === 1, "another has ended the run", WITHIN_MS);
    expect(taker.told("run.began")).toMatchObject([{ run, again: true }]);
    const stored = await journal(run);
    await expectOnce(run, ["first", "last"]);
    process.kill(late.pid, "SIGCONT");
    await eventually(() => late.told("run.lost").length === 1, "it finds that it was late", WITHIN_MS);
    expect(late.told("run.ended")).toEqual([]);
    for (const { pid } of [late, taker]) process.kill(pid, "SIGINT");
    expect((await Promise.all([late.ended, taker.ended])).map(({ code }) => code)).toEqual([0, 0]);
    expect(await journal(run)).toEqual(stored);
    await expectOnce(run, ["first", "last"]);
  });

  test("L7: where nobody can end it keeps others from its run until it is gone, and does nothing for it itself", async () => {
    await makeDue("many.yaml");
    const wall = ["--dev-bind", "/", "/", "--unshare-pid", "--as-pid-1", "--unshare-uts", "--hostname", "elsewhere"];
    const late = serve("bwrap", ...wall, "--proc", "/proc", "--die-with-parent");
    await eventually(() => counted().length >= 5, "it is under way", WITHIN_MS);
    const pid = Number(execFileSync("ps", ["-o", "pid=", "--ppid", String(late.pid)], { encoding: "utf8" }));
    await stopBetweenTransactions(pid);
    const run = runOf(late);
    const done = counted();
    const taker = serve();
    const stays = (): readonly Line[] => taker.told("loop.failed").filter(({ code }) => code === "SERVE_HOST_STAYS");
    await eventually(() => stays().length > 0, "it cannot be ended", WITHIN_MS);
    const stored = await journal(run);
    process.kill(pid, "SIGCONT");
    await eventually(() => late.told("run.lost").length === 1, "it finds that it was late", WITHIN_MS);
    // What was under way when it was stopped is done, or stored with what comes next; that has not begun.
    expect(counted().length - done.length).toBeLessThanOrEqual(1);
    expect((await journal(run)).length - stored.length).toBeLessThanOrEqual(2);
    process.kill(pid, "SIGINT");
    await late.ended;
    await eventually(() => taker.told("run.ended").length === 1, "another goes on when it is gone", WITHIN_MS);
    process.kill(taker.pid, "SIGINT");
    await taker.ended;
    await expectOnce(
      run,
      Array.from({ length: STAGES }, (_, i) => `s${i}`),
    );
  });
});
