/** What a tree in the vault holds: files by name, and their digests. Nothing is written anywhere, and no link is followed. */
import { createHash, type Hash } from "node:crypto";
import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { pawlError } from "../../../base/errors.ts";
import { compileProtection, type EntryKind } from "../../../gates/protected-paths.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import { gitFailure } from "../failures.ts";
import type { HostGit } from "../host-git.ts";
import type { Vault } from "../vault/vault.ts";

const MOST_FILES = 100_000;
const LINE = /^(\d{6}) (\w+) ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/;

interface Entry {
  readonly mode: string;
  readonly id: string;
  readonly bytes: number;
  readonly path: string;
}

/** null: a folder, or nothing. */
export function kindOf(mode: string): EntryKind | null {
  if (mode === "120000") return "link";
  if (mode === "160000") return "submodule";
  return mode.startsWith("100") ? "file" : null;
}

export async function readTreeFile(
  vault: Vault,
  tree: string,
  path: string,
  maxBytes: number,
): Promise<Uint8Array | null> {
  await vault.treeOf(tree);
  if (/\0|(^|\/)\.{0,2}(\/|$)/.test(path)) return null;
  const [found, ...others] = await list(vault, tree, ["--", path]);
  if (found === undefined || others.length > 0 || found.path !== path || kindOf(found.mode) !== "file") return null;
  if (found.bytes <= maxBytes) return vault.git("reading a file", ["cat-file", "blob", found.id]);
  throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_FILE_TOO_LARGE", { path, bytes: found.bytes, most: maxBytes });
}

export async function hashFiles(
  git: HostGit,
  vault: Vault,
  tree: string,
  globs: readonly string[],
  project: string,
): Promise<Record<string, string>> {
  await vault.treeOf(tree);
  const isProtected = compileProtection(globs, project);
  const entries = (await list(vault, tree, ["-r"])).filter(({ mode, path }) =>
    isProtected(path, kindOf(mode) ?? "file"),
  );
  const doing = "hashing files";
  if (entries.length > MOST_FILES)
    throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_TOO_LARGE", { doing, most: MOST_FILES });
  const blobs = new Set(entries.flatMap(({ mode, id }) => (kindOf(mode) === "submodule" ? [] : [id])));
  const digests = await hashBlobs(git, vault, blobs);
  const hashes = new Map<string, string>();
  for (const { mode, id, path } of entries) {
    const digest = kindOf(mode) === "submodule" ? sha256(id) : digests.get(id);
    if (digest === undefined) throw gitFailure(doing, vault.dir, `fatal: ${id} is not there`);
    // Names that are no text may look the same: none may hide another.
    const other = hashes.get(path);
    hashes.set(path, other === undefined ? digest : sha256(`${other} ${digest}`));
  }
  return Object.fromEntries(hashes);
}

async function list(vault: Vault, tree: string, args: readonly string[]): Promise<Entry[]> {
  const flags = ["--literal-pathspecs", "ls-tree", "-l", "-z", "--full-tree"];
  const [first, ...rest] = args;
  const call = first === "--" ? [...flags, tree, first, ...rest] : [...flags, ...args, tree];
  const lines = (await vault.git("listing a tree", call)).toString().split("\0");
  return lines.flatMap((line) => {
    const [, mode, , id, bytes, path] = LINE.exec(line) ?? [];
    return mode === undefined || id === undefined || path === undefined
      ? []
      : [{ mode, id, bytes: Number(bytes), path }];
  });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function hashBlobs(git: HostGit, vault: Vault, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  if (ids.size === 0) return digests;
  const sink = batchReader((id, digest) => digests.set(id, digest));
  const input = [...ids, ""].join("\n");
  const args = [`--git-dir=${vault.dir}`, "cat-file", "--batch", "--buffer"];
  await Promise.all([git.pour("hashing files", { args, input }, sink), finished(sink)]);
  return digests;
}

/** Takes the output of `cat-file --batch`: for each object a line with its size, its bytes, a line end. */
function batchReader(found: (id: string, digest: string) => unknown): Writable {
  let head = "";
  let hash: Hash | null = null;
  /** Bytes of the object that are to come, and its line end. */
  let left = 0;
  const takeHead = (chunk: Buffer): number => {
    const end = chunk.indexOf("\n");
    head += chunk.toString("latin1", 0, end < 0 ? chunk.length : end);
    if (end < 0) return chunk.length;
    const [, type, size] = head.split(" ");
    if (type === "blob") {
      hash = createHash("sha256");
      left = Number(size) + 1;
    } else head = "";
    return end + 1;
  };
  const takeBytes = (chunk: Buffer, into: Hash): number => {
    const taken = Math.min(left, chunk.length);
    into.update(chunk.subarray(0, Math.min(taken, left - 1)));
    left -= taken;
    if (left === 0) {
      found(head.split(" ")[0] as string, into.digest("hex"));
      head = "";
      hash = null;
    }
    return taken;
  };
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length; ) {
        const rest = chunk.subarray(at);
        at += hash === null ? takeHead(rest) : takeBytes(rest, hash);
      }
      done();
    },
  });
}
