/**
 * A cell: one shell script of ours behind a wall, without network, that sees a workspace and what it needs for it. Whatever
 * git does with a tree that a stage could write happens in a cell. The host gets bytes from it, nothing else.
 *
 * A script answers on standard output: a word, then fields, each ended by a line end; a zero byte ends the answer. What
 * follows it is a pack when the word says so.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex, Readable, Writable } from "node:stream";
import { pawlError } from "../../../base/errors.ts";
import { SANDBOX_ERRORS } from "../../../ports/errors/sandbox-errors.ts";
import { BEHIND, type Mount, type Sandbox } from "../../../ports/sandbox.ts";
import { gitFailure } from "../failures.ts";
import { collect, QUIET_ENV } from "../host-git.ts";

/** Where a cell finds our own git folder of a workspace. No stage ever sees it. */
export const SHADOW = "/run/pawl/shadow.git";

export interface CellRequest {
  readonly key: string;
  /** What is done, for messages. */
  readonly doing: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  /** Takes the pack when the script sends one. It is ended when the pack has ended. */
  readonly pack?: () => Writable;
  /** The script begins when this has resolved; when it rejects, it never begins. */
  readonly gate?: Promise<unknown>;
}

export interface CellAnswer {
  readonly word: string;
  readonly fields: readonly string[];
}

const MOST_STDERR = 64 << 10;
const MOST_ANSWER = 256 << 10;
/** No tree that is worth saving takes so long; one that was made to take for ever is given up. */
const MOST_MS = 10 * 60_000;
const ENV = {
  ...QUIET_ENV,
  GIT_DIR: SHADOW,
  GIT_WORK_TREE: BEHIND.workspace,
  GIT_OBJECT_DIRECTORY: `${SHADOW}/new`,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: BEHIND.objects,
};

export interface Cell {
  /** The answer, as soon as it is there; the pack follows. null: there is none, and `done` rejects. */
  readonly answer: Promise<CellAnswer | null>;
  /** Resolves when nothing of the cell is left; rejects when its wall cannot be built or its script fails. */
  readonly done: Promise<void>;
}

/** Runs a script to its end. */
export async function runCell(sandbox: Sandbox, request: CellRequest): Promise<CellAnswer> {
  const { answer, done } = await startCell(sandbox, request);
  await done;
  return (await answer) as CellAnswer;
}

export async function startCell(sandbox: Sandbox, request: CellRequest): Promise<Cell> {
  const enclosure = await sandbox.enclose({
    key: request.key,
    argv: ["/bin/sh", "-uc", request.script],
    env: { ...ENV, ...request.env },
    cwd: "/",
    mounts: request.mounts,
    sealed: [],
    network: [],
    fileBytes: null,
  });
  const [program, ...args] = enclosure.argv;
  const child = spawn(program as string, args, {
    env: enclosure.env,
    cwd: "/",
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const timer = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
  const isStanding = passGate(child.stdio[3] as Duplex, request.gate);
  const err = collect(child.stderr as Readable, MOST_STDERR);
  const answer = readAnswer(child.stdout as Readable, request.pack);
  const judge = async (): Promise<void> => {
    try {
      const [code] = await closed.catch((error: unknown) => {
        throw noWall(String(error));
      });
      const stderr = (await err).bytes.toString();
      if (!(await isStanding)) throw noWall(stderr.trim());
      if (code !== 0 || (await answer) === null) throw gitFailure(request.doing, "the workspace", stderr);
    } finally {
      clearTimeout(timer);
      await enclosure.close();
    }
  };
  const done = judge();
  // Whoever waits for the answer first must not lose the process to a rejection nobody listens to yet.
  done.catch(() => undefined);
  return { answer, done };
}

/** Says to the program behind the wall that it may begin. Resolves to whether the wall was built. */
async function passGate(gate: Duplex, permission: Promise<unknown> | undefined): Promise<boolean> {
  gate.on("error", () => undefined);
  const isStanding = await new Promise<boolean>((resolve) => {
    gate.once("data", () => resolve(true));
    gate.once("close", () => resolve(false));
    gate.once("end", () => resolve(false));
  });
  await permission?.then(
    () => gate.end("\n"),
    () => gate.destroy(),
  );
  if (permission === undefined) gate.end("\n");
  return isStanding;
}

function noWall(stderr: string): Error {
  const missing = stderr === "" ? "the wall around git could not be built" : stderr.slice(0, 500);
  return pawlError(SANDBOX_ERRORS, "SANDBOX_UNAVAILABLE", { missing, hint: "Run `pawl doctor`." });
}

/** null: the script ended without an answer. The end of a pack is told by the pack itself, before the script ends. */
function readAnswer(stream: Readable, open: (() => Writable) | undefined): Promise<CellAnswer | null> {
  return new Promise((resolve) => {
    const none = (): void => resolve(null);
    // Also when the stream breaks off.
    pump(stream, open, resolve).then(none, none);
  });
}

async function pump(
  stream: Readable,
  open: (() => Writable) | undefined,
  answer: (answer: CellAnswer) => void,
): Promise<void> {
  let head: Buffer | null = Buffer.alloc(0);
  let pack: Writable | null = null;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (head === null) {
      await send(pack, chunk);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(0);
    if (end < 0 && head.length > MOST_ANSWER) break;
    if (end < 0) continue;
    const [word = "", ...fields] = head.toString("utf8", 0, end).trimEnd().split("\n");
    if (word === "pack") pack = open?.() ?? null;
    answer({ word, fields });
    await send(pack, head.subarray(end + 1));
    head = null;
  }
  pack?.end();
}

async function send(pack: Writable | null, bytes: Buffer): Promise<void> {
  if (pack === null || bytes.length === 0 || pack.destroyed || pack.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      pack.off("drain", go).off("close", go);
      resolve();
    };
    pack.on("drain", go).on("close", go);
  });
}
