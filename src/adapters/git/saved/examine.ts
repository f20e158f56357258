/**
 * Reads what the vault holds, every object to its last byte, and computes each name anew. Git lists the objects and unpacks them; that
 * they are what their names say is checked here, because git believes the bytes of an object that it can unpack.
 */
import { createHash, type Hash } from "node:crypto";
import type { Readable } from "node:stream";
import { collect, ended, type GitChild, type HostGit } from "../host-git.ts";
import { formatOf } from "../vault/commit.ts";

export interface Examined {
  readonly objects: number;
  /** The first that is missing or damaged; null: there is none. */
  readonly problem: string | null;
}

const MOST_STDERR = 4096;

/** `revisions`: options of `git rev-list`; `input`: what it reads. */
export async function examine(
  git: HostGit,
  dir: string,
  revisions: readonly string[],
  input: string,
  signal: AbortSignal,
): Promise<Examined> {
  const at = `--git-dir=${dir}`;
  const lister = git.start({ args: [at, "rev-list", "--objects", "--no-object-names", ...revisions] });
  const reader = git.start({ args: [at, "cat-file", "--batch", "--buffer"] });
  const stop = (): void => {
    for (const child of [lister, reader]) child.kill("SIGKILL");
  };
  signal.addEventListener("abort", stop);
  for (const child of [lister, reader]) child.stdin.on("error", () => undefined);
  lister.stdin.end(input);
  lister.stdout.pipe(reader.stdin);
  try {
    const [listed, read, seen] = await Promise.all([outcome(lister), outcome(reader), compareNames(reader.stdout)]);
    signal.throwIfAborted();
    return { objects: seen.objects, problem: seen.problem ?? listed ?? read };
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** What git says went wrong; null: nothing. */
async function outcome(child: GitChild): Promise<string | null> {
  const [said, code] = await Promise.all([collect(child.stderr, MOST_STDERR), ended(child, "git")]);
  if (code === 0) return null;
  const line =
    said.bytes
      .toString()
      .split("\n")
      .find((text) => text !== "") ?? `git ended with ${code}`;
  return line.replace(/^(fatal|error): /, "");
}

interface Open {
  readonly id: string;
  readonly hash: Hash;
  /** Bytes of its content that have not come yet, and the line end after it. */
  left: number;
}

interface Comparing {
  objects: number;
  problem: string | null;
  /** What has come of the line before the next object. */
  head: string;
  open: Open | null;
}

/** Reads `<id> <type> <size>`, a line end, the content, a line end, for each object. */
async function compareNames(output: Readable): Promise<Examined> {
  const state: Comparing = { objects: 0, problem: null, head: "", open: null };
  for await (const chunk of output as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; )
      at = state.open === null ? readHead(state, chunk, at) : readContent(state, state.open, chunk, at);
  }
  return { objects: state.objects, problem: state.problem };
}

/** Returns the place after what it has read. */
function readHead(state: Comparing, chunk: Buffer, at: number): number {
  const end = chunk.indexOf(LINE_END, at);
  state.head += chunk.toString("latin1", at, end < 0 ? chunk.length : end);
  if (end < 0) return chunk.length;
  state.open = begin(state.head);
  if (state.open === null) state.problem ??= `object ${state.head}`;
  state.head = "";
  return end + 1;
}

/** The same. */
function readContent(state: Comparing, open: Open, chunk: Buffer, at: number): number {
  const bytes = take(open, chunk, at);
  if (open.left === 0) {
    state.objects += 1;
    if (open.hash.digest("hex") !== open.id) state.problem ??= `object ${open.id} is not what its name says`;
    state.open = null;
  }
  return at + bytes;
}

const LINE_END = 0x0a;
const HEAD = /^([0-9a-f]+) (\w+) (\d+)$/;

/** null: it is not there. */
function begin(head: string): Open | null {
  const [, id, type, size] = HEAD.exec(head) ?? [];
  if (id === undefined || size === undefined) return null;
  const hash = createHash(formatOf(id)).update(`${type} ${size}\0`);
  return { id, hash, left: Number(size) + 1 };
}

/** Takes what is there of an object; returns how many bytes that were. */
function take(open: Open, chunk: Buffer, at: number): number {
  const bytes = Math.min(open.left, chunk.length - at);
  const isLast = bytes === open.left;
  open.hash.update(chunk.subarray(at, at + bytes - (isLast ? 1 : 0)));
  open.left -= bytes;
  return bytes;
}
