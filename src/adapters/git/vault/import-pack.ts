/**
 * Takes objects into the vault. They come as a pack, which git checks object by object before it gets its name; then the
 * pack, the commit that holds the tree and the reference become durable, in this order.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { errnoOf, gitFailure, storeFailure, unfit } from "../failures.ts";
import { collect, ended, type GitChild, type HostGit, killGroup } from "../host-git.ts";
import { syncFile, syncFolder, writeDurable } from "./durable.ts";

const MOST_TEXT = 64 << 10;
const READ_ONLY = 0o444;
const compress = promisify(deflate);

/** A pack that is being read. Nothing of it is in the vault until `finish` has resolved. */
export interface Import {
  readonly input: Writable;
  /** Waits for git to have checked it. Rejects with WORKSPACE_TREE_UNFIT when git refuses an object. */
  finish(): Promise<ReceivedPack>;
  /** Ends it and leaves nothing. */
  abandon(): Promise<void>;
}

export interface ReceivedPack {
  has(id: string): Promise<boolean>;
  /** Makes it durable and part of the vault. */
  accept(): Promise<void>;
}

export interface ImportOptions {
  readonly git: HostGit;
  readonly vault: string;
  readonly temp: string;
  /** Objects of the user's own repository are taken as they are; all others are checked. */
  readonly isTrusted: boolean;
}

export function startImport({ git, vault, temp, isTrusted }: ImportOptions): Import {
  const base = join(temp, `pack-${randomBytes(9).toString("hex")}`);
  const files = { pack: `${base}.pack`, idx: `${base}.idx` };
  // What is checked comes without deltas, and only deltas are worked on side by side.
  const checks = isTrusted ? [] : ["--strict", "--threads=1"];
  // Synced by us, all files at once.
  const args = ["-c", "core.fsync=none", `--git-dir=${vault}`, "index-pack", "--stdin", ...checks, files.pack];
  const child: GitChild = git.start({ args });
  child.stdin.on("error", () => undefined);
  const out = collect(child.stdout, MOST_TEXT);
  const err = collect(child.stderr, MOST_TEXT);
  const end = ended(child, "git");
  // Judged in finish or abandon; until then a failure is nobody's.
  end.catch(() => undefined);
  const clear = async (): Promise<void> => {
    await Promise.all([rm(files.pack, { force: true }), rm(files.idx, { force: true })]);
  };
  return {
    input: child.stdin,
    async finish() {
      const code = await end;
      const [{ bytes: said }, { bytes: complaint }] = await Promise.all([out, err]);
      const name = /^(?:pack|keep)\t([0-9a-f]{40,64})/.exec(said.toString("latin1"))?.[1];
      if (code === 0 && name !== undefined)
        return { has: (id) => isIndexed(files.idx, id), accept: () => accept(vault, files, name) };
      await clear();
      throw refusalOf(complaint.toString(), vault);
    },
    async abandon() {
      child.stdin.destroy();
      killGroup(child);
      await end.catch(() => undefined);
      await clear();
    },
  };
}

function refusalOf(stderr: string, vault: string): Error {
  const refused = /(?:error|fatal): (.*?(?:fsck|object [0-9a-f]{40,64}: )\S*.*)/.exec(stderr)?.[1];
  return refused === undefined ? gitFailure("taking objects into the vault", vault, stderr) : unfit(refused);
}

async function accept(vault: string, files: { pack: string; idx: string }, name: string): Promise<void> {
  const folder = join(vault, "objects/pack");
  try {
    await Promise.all([files.pack, files.idx].map(syncFile));
    await Promise.all([files.pack, files.idx].map((file) => chmod(file, READ_ONLY)));
    // Whoever sees the index must find the pack.
    await rename(files.pack, join(folder, `pack-${name}.pack`));
    await rename(files.idx, join(folder, `pack-${name}.idx`));
    await syncFolder(folder);
  } catch (error) {
    throw storeFailure(error, folder);
  }
}

/** Writes one object as a file of its own. */
export async function writeLoose(vault: string, temp: string, id: string, raw: Buffer): Promise<void> {
  const folder = join(vault, "objects", id.slice(0, 2));
  const path = join(folder, id.slice(2));
  const isThere = await stat(path).catch(() => null);
  if (isThere !== null) return;
  const file = join(temp, `object-${randomBytes(9).toString("hex")}`);
  try {
    await writeDurable(file, await compress(raw), READ_ONLY);
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(join(vault, "objects"));
    await link(file, path).catch((error: unknown) => {
      if (errnoOf(error) !== "EEXIST") throw error;
    });
    await syncFolder(folder);
  } catch (error) {
    throw storeFailure(error, path);
  } finally {
    await rm(file, { force: true });
  }
}

const HEADER_BYTES = 8;
const FANOUT_BYTES = 1024;

/** Whether an index of version 2 names this object: a table of counts by first byte, then the ids in order. */
async function isIndexed(idx: string, id: string): Promise<boolean> {
  const wanted = Buffer.from(id, "hex");
  const handle = await open(idx, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const table = Buffer.alloc(FANOUT_BYTES);
    await handle.read(table, 0, FANOUT_BYTES, HEADER_BYTES);
    const first = wanted[0] as number;
    const from = first === 0 ? 0 : table.readUInt32BE((first - 1) * 4);
    const count = table.readUInt32BE(first * 4) - from;
    const ids = Buffer.alloc(count * wanted.length);
    await handle.read(ids, 0, ids.length, HEADER_BYTES + FANOUT_BYTES + from * wanted.length);
    for (let at = 0; at < ids.length; at += wanted.length)
      if (wanted.compare(ids, at, at + wanted.length) === 0) return true;
    return false;
  } finally {
    await handle.close();
  }
}
