/** `pawl serve` as a person starts it, with so many loops or runs and nothing due: what it takes and keeps. Linux only. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export interface Served {
  readonly readyMs: number;
  /** Share of a core. */
  readonly cpu: number;
  /** Resident, as the system counts it; nothing was collected for the measurement. */
  readonly mib: number;
}

const BIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const BLUEPRINT =
  'version: 1\nname: quiet\npolicy: { allow: [{ run: ["true"] }] }\nstages: [{ id: a, command: ["true"] }]\n';
const SETTLE_MS = 4000;
/** Of the kernel, in which it counts the time of processes. */
const TICKS_A_SECOND = 100;

export interface IdleServer {
  readonly dir: string;
  readonly loops: number;
  readonly seconds: number;
  /** Makes the history that it begins with. */
  fill?(root: string): Promise<void>;
}

export async function serveIdle({ dir, loops, seconds, fill }: IdleServer): Promise<Served> {
  const root = mkdtempSync(join(dir, "pawl-bench-serve-"));
  writeFileSync(join(root, "quiet.yaml"), BLUEPRINT);
  const lines = Array.from(
    { length: loops },
    (_, index) => `  loop-${index}: { blueprint: quiet.yaml, cron: "${index % 60} 3 1 1 *", zone: Europe/Berlin }\n`,
  );
  writeFileSync(join(root, "pawl.yaml"), `version: 1\nloops:\n${lines.join("")}`);
  await fill?.(root);
  const from = performance.now();
  const child = spawn(process.execPath, [BIN, "serve", "--jsonl"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  try {
    await isReady(createInterface({ input: child.stdout }));
    const readyMs = performance.now() - from;
    await sleep(SETTLE_MS);
    const before = ticksOf(child.pid ?? 0);
    await sleep(seconds * 1000);
    const cpu = (ticksOf(child.pid ?? 0) - before) / TICKS_A_SECOND / seconds;
    return { readyMs, cpu, mib: mibOf(child.pid ?? 0) };
  } finally {
    child.kill("SIGTERM");
    await ended;
    rmSync(root, { recursive: true });
  }
}

async function isReady(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) if (line.includes('"serve.ready"')) return;
  throw new Error("pawl serve ended before it was ready");
}

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return user + system;
}

function mibOf(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}
