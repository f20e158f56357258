/** A real run of twelve stages that is killed and resumed until it ends, and the judgement of what it left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { RunId } from "../../src/base/ids.ts";
import type { RunRow } from "../../src/ports/store/run-index.ts";
import type { RunEvent } from "../../src/run/events.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openRuntime } from "../../src/runtime/wire.ts";

const BIN = resolve("dist/cli/main.js");
const FIXTURE = resolve("test/support/crash");
const MOST_LIVES = 30;
const EXPECTED = [
  ...["keyed-a", "fan[0]", "fan[1]", "fan[2]", "captured", "keyed-b", "keyed"].map((stage) => `keyed ${stage}:1`),
  ...["once-a", "once-b", "once"].map((stage) => `once ${stage}:1`),
];

export interface CrashReport {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: readonly string[];
  readonly repeated: readonly string[];
  readonly skipped: readonly string[];
  readonly status: string;
}

interface Line {
  readonly run?: string;
  readonly seq?: number;
  readonly event?: { readonly type: string };
}

export interface Crasher {
  /** The command line that starts the process, given the one that would start it without a killer. */
  command(argv: readonly string[]): readonly string[];
  /** Called with the started process; may kill it. */
  started?(child: ChildProcess): void;
}

const survivor: Crasher = { command: (argv) => argv };

/** `crashers` kill one life after the other; the lives after them are left alone. */
export async function crashRun(crashers: readonly Crasher[]): Promise<CrashReport> {
  const dir = mkdtempSync(join(tmpdir(), "pawl-crash-"));
  try {
    cpSync(FIXTURE, dir, { recursive: true });
    const acknowledged = new Map<string, string>();
    let kills = 0;
    for (let life = 0; life < MOST_LIVES; life += 1) {
      const crasher = crashers[life] ?? survivor;
      const args = await nextCommand(dir);
      if (args === null) break;
      const { out, killed } = await live(dir, args, crasher);
      if (killed) kills += 1;
      for (const line of acknowledgedLines(out)) acknowledged.set(line.key, line.text);
    }
    return await judge(dir, kills, acknowledged);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function acknowledgedLines(out: string): { readonly key: string; readonly text: string }[] {
  // The last line may be cut: a process that dies while printing has not said it.
  return out
    .split("\n")
    .slice(0, -1)
    .flatMap((text) => {
      const line = JSON.parse(text) as Line;
      return line.seq === undefined || line.event === undefined
        ? []
        : [{ key: `${line.run}:${line.seq}`, text: JSON.stringify(line.event) }];
    });
}

async function nextCommand(dir: string): Promise<readonly string[] | null> {
  const rows = await runsOf(dir);
  const [row] = rows;
  if (row === undefined) return ["run", "blueprint.yaml", "--danger-full-access", "--jsonl"];
  if (!["running", "queued", "waiting", "paused"].includes(row.status)) return null;
  if (row.status !== "waiting") return ["resume", row.run, "--jsonl"];
  const asking = await question(dir, row.run);
  if (asking === null) return ["resume", row.run, "--jsonl"];
  // The oracle: an effect that left its line has happened.
  const happened = lines(dir, "effects.log").includes(`once ${asking.key}`);
  return ["resume", asking.run, "--answer", happened ? "done" : "again", "--jsonl"];
}

/** The open question of a run or of one of its children. */
async function question(dir: string, run: RunId): Promise<{ readonly run: RunId; readonly key: string } | null> {
  let open: { readonly stage: string; readonly visit: number } | null = null;
  let child: RunId | null = null;
  for (const event of await eventsOf(dir, run)) {
    if (event.type === "approval.requested") open = event;
    if (event.type === "approval.answered") open = null;
    if (event.type === "stage.rested") child = event.child as RunId;
    if (event.type === "stage.started" || event.type === "stage.finished") child = null;
  }
  if (open !== null) return { run, key: `${run}:${open.stage}:${open.visit}` };
  return child === null ? null : question(dir, child);
}

/** Looks at the state without starting a process. */
async function looking<T>(dir: string, look: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await openRuntime({ root: dir, readOnly: true });
  try {
    return await look(runtime);
  } finally {
    await runtime.close();
  }
}

async function runsOf(dir: string): Promise<readonly RunRow[]> {
  if (!existsSync(join(dir, ".pawl/pawl.db"))) return [];
  return looking(dir, async (runtime) => (await runtime.list({ limit: 10 })).rows);
}

async function eventsOf(dir: string, run: RunId): Promise<readonly RunEvent[]> {
  return looking(dir, async (runtime) => (await runtime.read(run, 0, 10_000)).map((stored) => stored.event));
}

function lines(dir: string, file: string): readonly string[] {
  const path = join(dir, file);
  return existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}

async function judge(dir: string, kills: number, acknowledged: ReadonlyMap<string, string>): Promise<CrashReport> {
  const [row] = await runsOf(dir);
  const lost: string[] = [];
  const byRun = new Map<string, readonly RunEvent[]>();
  for (const [key, text] of acknowledged) {
    const [run = "", seq = "0"] = key.split(":");
    const events = byRun.get(run) ?? (await eventsOf(dir, run as RunId));
    byRun.set(run, events);
    if (JSON.stringify(events[Number(seq) - 1]) !== text) lost.push(key);
  }
  const done = lines(dir, "effects.log").map((line) => line.replace(/r_[0-9a-z]{12}:/, ""));
  const appended = lines(dir, "appended.log");
  const skipped = EXPECTED.filter((line) => !done.includes(line));
  if (appended.length < 2) skipped.push("file.append");
  const status = row === undefined ? "none" : await looking(dir, (runtime) => judgeChain(runtime, row));
  return {
    kills,
    acknowledged: acknowledged.size,
    lost,
    repeated: [...duplicates(done), ...duplicates(appended)],
    skipped,
    status,
  };
}

async function judgeChain(runtime: Runtime, row: RunRow): Promise<string> {
  const children = (await runtime.list({ parent: row.run, limit: 10 })).rows;
  for (const { run } of [row, ...children]) {
    if (!(await runtime.verify(run)).intact) return "broken chain";
    if (!(await runtime.replay(run)).equal) return "broken law";
  }
  return row.status;
}

function duplicates(list: readonly string[]): string[] {
  return list.filter((line, index) => list.indexOf(line) !== index);
}

function live(
  dir: string,
  args: readonly string[],
  crasher: Crasher,
): Promise<{ readonly out: string; readonly killed: boolean }> {
  return new Promise((done) => {
    const [program = "", ...rest] = crasher.command([process.execPath, BIN, ...args]);
    const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };
    const child = spawn(program, rest, { cwd: dir, env, stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.on("close", (code, signal) => done({ out, killed: signal === "SIGKILL" || code === 137 }));
    crasher.started?.(child);
  });
}
