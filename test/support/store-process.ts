/** Starts store-child.ts and reads what it says. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export interface StoreProcess {
  readonly child: ChildProcess;
  /** Every line so far. */
  readonly lines: unknown[];
  /** Resolves when it has said `count` lines. Rejects when it ends before. */
  said(count: number): Promise<readonly unknown[]>;
  readonly ended: Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("./store-child.ts", import.meta.url));

export function startStoreProcess(
  dir: string,
  verb: string,
  run: string,
  options: { count?: number; uid?: number } = {},
): StoreProcess {
  const { count = 0, uid } = options;
  const args = ["--import", "tsx", SCRIPT, dir, verb, run, String(count)];
  const as = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], ...as });
  const lines: unknown[] = [];
  let errors = "";
  let notify = (): void => {};
  let over = false;
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line));
    notify();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => {
      over = true;
      notify();
      resolve();
    });
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    lines,
    ended,
    async said(wanted) {
      while (lines.length < wanted) {
        if (over) throw new Error(`ended after ${lines.length} lines: ${errors}`);
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
      return lines;
    },
  };
}
