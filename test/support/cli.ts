/** Runs the built command line in a project of its own, as a person or a script would. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PATIENCE_MS } from "./slowness.ts";

export const BIN = join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<CliResult>;
  /** Resolves when the text appeared on standard output or error; fails when the process ends without it. */
  until(text: string): Promise<void>;
  /** Standard output so far. */
  stdout(): string;
}

export interface Project {
  readonly root: string;
  /** Added to the environment of every command. */
  readonly env: Record<string, string>;
  /** Runs to the end. */
  pawl(...args: string[]): Promise<CliResult>;
  /** `json`: the one document on standard output. */
  json(...args: string[]): Promise<{ readonly code: number | null; readonly value: unknown }>;
  start(...args: string[]): CliProcess;
  write(name: string, text: string): string;
  remove(): void;
}

export function createProject(files: Readonly<Record<string, string>> = {}): Project {
  const env: Record<string, string> = {};
  const root = mkdtempSync(join(tmpdir(), "pawl-e2e-"));
  const write = (name: string, text: string): string => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const start = (...args: string[]): CliProcess => startCli(root, args, env);
  const pawl = (...args: string[]): Promise<CliResult> => start(...args).ended;
  return {
    root,
    env,
    pawl,
    start,
    write,
    json: async (...args) => {
      const { code, stdout } = await pawl(...args, "--json");
      return { code, value: JSON.parse(stdout) as unknown };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function startCli(cwd: string, args: readonly string[], more: Readonly<Record<string, string>>): CliProcess {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], USER: "tester", ...more };
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  return {
    child,
    ended,
    until: async (text) => {
      while (!stdout.includes(text) && !stderr.includes(text)) {
        if (isOver) throw new Error(`ended without "${text}":\n${stdout}\n${stderr}`);
        await sleep(10);
      }
    },
    stdout: () => stdout,
  };
}

/** Waits until `check` holds; fails after five seconds. */
export async function eventually(check: () => boolean, what: string, withinMs = PATIENCE_MS): Promise<void> {
  const until = performance.now() + withinMs;
  while (!check()) {
    if (performance.now() > until) throw new Error(`did not happen within ${withinMs} ms: ${what}`);
    await sleep(20);
  }
}

/** Whether a process of this id exists and is not merely waiting to be collected by its parent. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (!existsSync("/proc/self/stat")) return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
