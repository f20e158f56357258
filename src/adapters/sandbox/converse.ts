/** Starts a program for a short while, speaks with it on descriptor 3, and leaves nothing of it behind. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex, Readable } from "node:stream";

export interface Start {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Heard {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It wrote a byte to descriptor 3. */
  readonly wasReady: boolean;
  /** It did not end in time and was killed. */
  readonly wasLate: boolean;
}

const MAX_TEXT = 64 * 1024;
/** After it has ended, what it wrote last is read for at most so long. */
const DRAIN_MS = 200;

/** `mayGoOn` is asked when the program is ready; it gets its word only when the answer is yes, else it is killed. */
export function converse(start: Start, patienceMs: number, mayGoOn: (pid: number) => boolean): Promise<Heard> {
  return new Promise((resolve) => {
    const heard = { code: null as number | null, stdout: "", stderr: "", wasReady: false, wasLate: false };
    const child = begin(start, (problem) => resolve({ ...heard, stderr: problem }));
    if (child === undefined) return;
    const [, stdout, stderr, line] = child.stdio as unknown as readonly [null, Readable, Readable, Duplex];
    const kill = (): void => killGroup(child.pid);
    let hasEnded = false;
    let isOver = false;
    const finish = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      kill();
      for (const stream of [stdout, stderr, line]) stream.destroy();
      resolve({ ...heard });
    };
    const timer = whenHeard(patienceMs, () => {
      heard.wasLate = !hasEnded;
      finish();
    });
    for (const [name, stream] of [
      ["stdout", stdout],
      ["stderr", stderr],
    ] as const) {
      stream.on("error", () => undefined);
      stream.setEncoding("utf8").on("data", (text: string) => {
        heard[name] = (heard[name] + text).slice(0, MAX_TEXT);
      });
    }
    line.on("error", () => undefined);
    line.once("data", () => {
      heard.wasReady = true;
      if (mayGoOn(child.pid as number)) line.write("\n");
      else kill();
    });
    child.once("exit", (code) => {
      hasEnded = true;
      heard.code = code;
      child.once("close", finish);
      whenHeard(DRAIN_MS, finish).unref();
    });
  });
}

/** A host that was busy hears first what was said meanwhile: timers come before sockets, and a turn later both are heard. */
function whenHeard(ms: number, callback: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(callback), ms);
}

/** undefined: it could not be started, and the reason is told. */
function begin({ argv, env }: Start, onProblem: (problem: string) => void): ChildProcess | undefined {
  try {
    const stdio = ["ignore", "pipe", "pipe", "pipe"] as ("ignore" | "pipe")[];
    const child = spawn(argv[0] as string, argv.slice(1), { cwd: "/", env, detached: true, stdio });
    child.once("error", (error) => onProblem(error.message));
    return child.pid === undefined ? undefined : child;
  } catch (error) {
    onProblem(String(error));
    return undefined;
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    return;
  }
}
