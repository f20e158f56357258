/** One program in a group of its own, with a cleared environment, no input and capped output. Nothing of its group is left. */

import { type ChildProcess, spawn } from "node:child_process";
import { ToolProblem } from "../tool-problem.ts";

export interface RunOptions {
  readonly cwd: string;
  /** All the variables it gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface Ran {
  readonly exit: number | null;
  readonly signal: string | null;
  /** Standard output and error as they came: the beginning and the end. */
  readonly output: string;
  /** Bytes left out between the two. */
  readonly dropped: number;
}

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 64 * 1024;
const TERM_MS = 1000;
/** For what somebody who has left the group still holds open. */
const LINGER_MS = 300;

/** Rejects when the program cannot be started. */
export async function runArgv(argv: readonly string[], { cwd, env, signal }: RunOptions): Promise<Ran> {
  signal.throwIfAborted();
  const [program = "", ...args] = argv;
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const output = createOutput();
  child.stdout.on("data", output.add);
  child.stderr.on("data", output.add);
  let hard: ReturnType<typeof setTimeout> | undefined;
  const onAbort = (): void => {
    endGroup(child, "SIGTERM");
    hard = setTimeout(() => endGroup(child, "SIGKILL"), TERM_MS);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const ended = await endOf(child);
    endGroup(child, "SIGKILL");
    return { ...ended, ...output.text() };
  } finally {
    clearTimeout(hard);
    signal.removeEventListener("abort", onAbort);
  }
}

function endOf(child: ChildProcess): Promise<Pick<Ran, "exit" | "signal">> {
  return new Promise((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(new ToolProblem(error.code === "ENOENT" ? "there is no such program" : error.message, { cause: error })),
    );
    const letGo = (): void => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    child.once("exit", (exit, signal) => {
      endGroup(child, "SIGKILL");
      // A turn later, so that a host that was busy has read what was said meanwhile.
      const timer = setTimeout(() => setImmediate(letGo), LINGER_MS);
      child.once("close", () => {
        clearTimeout(timer);
        resolve({ exit, signal });
      });
    });
  });
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It is gone.
  }
}

function createOutput(): { add(chunk: Buffer): void; text(): Pick<Ran, "output" | "dropped"> } {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let dropped = 0;
  return {
    add(chunk) {
      const first = chunk.subarray(0, HEAD_BYTES - head.length);
      if (first.length > 0) head = Buffer.concat([head, first]);
      const rest = Buffer.concat([tail, chunk.subarray(first.length)]);
      tail = rest.subarray(Math.max(0, rest.length - TAIL_BYTES));
      dropped += rest.length - tail.length;
    },
    text() {
      const gap = dropped === 0 ? "" : `\n… ${dropped} bytes left out …\n`;
      return { output: `${head.toString("utf8")}${gap}${tail.toString("utf8")}`, dropped };
    },
  };
}
