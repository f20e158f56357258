/**
 * What is about to be moved, kept beside the vault from before the first step until after the last, in one file for each branch. Whoever has the file
 * open is at it, and so is a git that outlives its host: it has the file open too. What nobody has open was cut off.
 */
import { randomBytes } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import { type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sha256 } from "../../../base/digest.ts";
import { pawlError } from "../../../base/errors.ts";
import { GIT_ERRORS } from "../../../ports/errors/git-errors.ts";
import type { RunGit } from "./run-git.ts";

export interface LandingRecord {
  /** The working tree that goes with the branch; null: it is checked out nowhere. */
  readonly folder: string | null;
  readonly from: string;
  readonly to: string;
}

/** What was kept, as it was written: no other landing has the same text. */
export interface Kept extends LandingRecord {
  readonly text: string;
  /** When it was kept. */
  readonly at: number;
  /** Files of the working tree may have been touched. */
  readonly hasBegun: boolean;
}

export interface HeldRecord {
  /** null: nothing was cut off. */
  left(): Promise<Kept | null>;
  keep(record: LandingRecord): Promise<Kept>;
  /** From now on files are touched. */
  begin(): Promise<void>;
  clear(): Promise<void>;
  /** The same git, known to be at it for as long as it runs. */
  through(git: RunGit): RunGit;
}

const BEGUN = "begun\n";
const WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 40;

/** One at a time has the record of a branch. Rejects with GIT_TARGET_BUSY. */
export async function holdRecord<T>(vault: string, into: string, work: (held: HeldRecord) => Promise<T>): Promise<T> {
  const folder = join(vault, "pawl", "landings");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(await realpath(folder), sha256(into).slice(0, 24));
  const handle = await openAlone(path, into);
  try {
    return await work(recordIn(handle));
  } finally {
    await handle.close();
  }
}

async function openAlone(path: string, into: string): Promise<FileHandle> {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const handle = await open(path, "a+", 0o600);
    if (countOpen(path) <= 1) return handle;
    await handle.close();
    if (waitedMs >= WAIT_MS) throw pawlError(GIT_ERRORS, "GIT_TARGET_BUSY", { into, problem: "it is being moved" });
    // Two that look at the same time must not do so for ever.
    await pause(LOOK_AGAIN_MS + (process.pid % LOOK_AGAIN_MS));
  }
}

/** How often the file is open, in all processes that can be seen. */
function countOpen(path: string): number {
  const pids = listed("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => listed(`/proc/${pid}/fd`).filter((fd) => isLinkTo(`/proc/${pid}/fd/${fd}`, path)))
    .length;
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isLinkTo(link: string, path: string): boolean {
  try {
    return readlinkSync(link) === path;
  } catch {
    return false;
  }
}

function recordIn(handle: FileHandle): HeldRecord {
  const add = async (text: string): Promise<void> => {
    await handle.appendFile(text);
    await handle.sync();
  };
  const read = async (): Promise<Kept | null> => {
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(size), 0, size, 0);
    return parse(buffer.toString());
  };
  const clear = async (): Promise<void> => {
    await handle.truncate(0);
    await handle.sync();
  };
  return {
    left: read,
    async keep(record) {
      await clear();
      const { mtimeMs: at } = await handle.stat();
      const text = `${JSON.stringify({ ...record, at, token: randomBytes(9).toString("hex") })}\n`;
      await add(text);
      return { ...record, at, text, hasBegun: false };
    },
    begin: () => add(BEGUN),
    clear,
    through: (git) => (args, call) => git(args, { ...call, holding: handle.fd }),
  };
}

/** What was cut off while it was written was followed by no step. */
function parse(whole: string): Kept | null {
  const end = whole.indexOf("\n") + 1;
  if (end === 0) return null;
  const text = whole.slice(0, end);
  const { folder, from, to, at } = JSON.parse(text) as Kept;
  return { folder, from, to, at, text, hasBegun: whole.slice(end) === BEGUN };
}
