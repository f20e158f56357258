/**
 * A cell: one shell script of ours behind a wall, without network, that sees a workspace and what it needs for it. Whatever
 * git does with a tree that a stage could write happens in a cell. The host gets bytes from it, nothing else.
 *
 * A script answers on standard output: a word, then fields, each ended by a line end; a zero byte ends the answer. What
 * follows it is a pack when the word says so. `soon` is no answer: it says that a pack may come. Lines from the host come on
 * standard input; a script that waits for one ends when there is none.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { Duplex, Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { pawlError } from "../../../base/errors.ts";
import { SANDBOX_ERRORS } from "../../../ports/errors/sandbox-errors.ts";
import { BEHIND, type Mount, type Sandbox } from "../../../ports/sandbox.ts";
import { gitFailure } from "../failures.ts";
import { collect, QUIET_ENV } from "../host-git.ts";
import { interrupted, onAbort, throwIfAborted } from "../interrupt.ts";
import { type CellAnswer, type OpenPack, readAnswer } from "./read-answer.ts";

/** Where a cell finds our own git folder of a workspace. No stage ever sees it. */
export const SHADOW = "/run/pawl/shadow.git";

export interface CellRequest {
  readonly key: string;
  /** What is done, for messages. */
  readonly doing: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
}

const MOST_STDERR = 64 << 10;
/** No tree that is worth saving takes so long; one that was made to take for ever is given up. */
const MOST_MS = 10 * 60_000;
/** A wall is built within milliseconds. */
const PATIENCE_MS = 10_000;
/** What bubblewrap ends with when the program behind it was killed. */
const KILLED = 137;
const ENV = {
  ...QUIET_ENV,
  GIT_DIR: SHADOW,
  GIT_WORK_TREE: BEHIND.workspace,
  GIT_OBJECT_DIRECTORY: `${SHADOW}/new`,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: BEHIND.objects,
};

/** A cell whose script waits for its first line, or whose wall is still being built. It does not keep this process alive. */
export interface WaitingCell {
  /** Whether it can still begin. */
  isWaiting(): boolean;
  /** Gives the script its first line; null: it gets none. Once, and not after `discard`. */
  begin(line: string | null, pack: OpenPack, signal: AbortSignal): Cell;
  /** Ends it. Resolves when nothing of it is left. */
  discard(): Promise<void>;
}

export interface Cell {
  /** The answer, as soon as it is there; the pack follows. null: there is none, and `done` rejects. */
  readonly answer: Promise<CellAnswer | null>;
  /** Resolves when nothing of the cell is left; rejects when its wall cannot be built or its script fails. */
  readonly done: Promise<void>;
  /** Gives the script its last line; null: there is none. */
  tell(line: string | null): void;
}

/** Runs a script that waits for no line to its end. */
export async function runCell(
  sandbox: Sandbox,
  request: CellRequest,
  signal: AbortSignal,
  pack?: OpenPack,
): Promise<CellAnswer> {
  throwIfAborted(signal, request.doing);
  const { answer, done } = (await startCell(sandbox, request)).begin(null, pack, signal);
  await done;
  return (await answer) as CellAnswer;
}

export async function startCell(sandbox: Sandbox, request: CellRequest): Promise<WaitingCell> {
  const { child, isStanding, gone } = await spawnCell(sandbox, request);
  const input = child.stdin as Writable;
  // The script may have ended before it is told anything.
  input.on("error", () => undefined);
  setHold(child, "unref");
  const kill = async (): Promise<void> => {
    // Bubblewrap that is killed while it builds leaves a process behind, which holds our pipes.
    const stands = await Promise.race([isStanding, sleep(PATIENCE_MS, false, { ref: false })]);
    child.kill("SIGKILL");
    if (!stands) for (const stream of child.stdio) stream?.destroy();
  };
  return {
    isWaiting: () => child.exitCode === null && child.signalCode === null,
    begin(line, pack, signal) {
      setHold(child, "ref");
      const timer = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
      const forget = onAbort(signal, () => void kill());
      if (line === null) input.end();
      else input.write(`${line}\n`);
      const answer = readAnswer(child.stdout as Readable, pack);
      const done = gone
        .finally(() => {
          clearTimeout(timer);
          forget();
        })
        .then(async () => {
          if ((await answer) === null) throw gitFailure(request.doing, "the workspace", "");
        });
      // Whoever waits for the answer first must not lose the process to a rejection nobody listens to yet.
      done.catch(() => undefined);
      return { answer, done, tell: (last) => (last === null ? input.end() : input.end(`${last}\n`)) };
    },
    async discard() {
      setHold(child, "ref");
      // Unread output would put off the end.
      (child.stdout as Readable).resume();
      input.end();
      await kill();
      await gone.catch(() => undefined);
    },
  };
}

interface Spawned {
  readonly child: ChildProcess;
  readonly isStanding: Promise<boolean>;
  /** Resolves when nothing of it is left; rejects when it ended badly. */
  readonly gone: Promise<void>;
}

async function spawnCell(sandbox: Sandbox, { key, script, env, mounts, doing }: CellRequest): Promise<Spawned> {
  const enclosure = await sandbox.enclose({
    key,
    argv: ["/bin/sh", "-uc", script],
    env: { ...ENV, ...env },
    cwd: "/",
    mounts,
    sealed: [],
    network: [],
    fileBytes: null,
  });
  const [program, ...args] = enclosure.argv;
  const child = spawn(program as string, args, {
    env: enclosure.env,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const isStanding = passGate(child.stdio[3] as Duplex);
  const stderr = collect(child.stderr as Readable, MOST_STDERR).then(
    ({ bytes }) => bytes.toString(),
    () => "",
  );
  const judge = async (): Promise<void> => {
    try {
      const [code, signal] = await closed.catch((error: unknown) => {
        throw noWall(String(error));
      });
      if (!(await isStanding)) throw noWall((await stderr).trim());
      // A kill of the run ends its processes from another one, and these are among them.
      if (signal !== null || code === KILLED) throw interrupted(doing, "its processes were killed");
      if (code !== 0) throw gitFailure(doing, "the workspace", await stderr);
    } finally {
      await enclosure.close();
    }
  };
  const gone = judge();
  gone.catch(() => undefined);
  return { child, isStanding, gone };
}

/** Whether this process stays alive for the sake of the cell. */
function setHold(child: ChildProcess, how: "ref" | "unref"): void {
  child[how]();
  for (const stream of child.stdio) (stream as Socket)[how]();
}

/** Says to the program behind the wall that it may begin. Resolves to whether the wall was built. */
async function passGate(gate: Duplex): Promise<boolean> {
  gate.on("error", () => undefined);
  const isStanding = await new Promise<boolean>((resolve) => {
    gate.once("data", () => resolve(true));
    gate.once("close", () => resolve(false));
    gate.once("end", () => resolve(false));
  });
  gate.end("\n");
  return isStanding;
}

function noWall(stderr: string): Error {
  const missing = stderr === "" ? "the wall around git could not be built" : stderr.slice(0, 500);
  return pawlError(SANDBOX_ERRORS, "SANDBOX_UNAVAILABLE", { missing, hint: "Run `pawl doctor`." });
}
