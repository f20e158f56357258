/** What trees in memory hold. Every file is a plain one; a text with a zero byte is binary. */
import { sha256 } from "../../base/digest.ts";
import { pawlError } from "../../base/errors.ts";
import { compileProtection } from "../../gates/protected-paths.ts";
import { WORKSPACE_ERRORS } from "../../ports/errors/workspace-errors.ts";
import type { CountedFile, TreeReader } from "../../ports/trees.ts";

type Tree = ReadonlyMap<string, string>;

const MODE = "100644";
const NO_MODE = "000000";
const MOST_FILES = 100_000;

/** `find` throws when a tree is not there. */
export function createMemoryTreeReader(find: (tree: string) => Tree): TreeReader {
  return {
    async changes(from, to) {
      const changed = compare(find(from), find(to));
      if (changed.length > MOST_FILES) throw tooLarge("comparing two trees");
      return changed;
    },
    async read(tree, path, maxBytes) {
      const text = find(tree).get(path);
      if (text === undefined) return null;
      const bytes = new TextEncoder().encode(text);
      if (bytes.length <= maxBytes) return bytes;
      throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_FILE_TOO_LARGE", { path, bytes: bytes.length, most: maxBytes });
    },
    async hashes(tree, globs) {
      const isProtected = compileProtection(globs, "");
      const held = [...find(tree)].filter(([path]) => isProtected(path, "file"));
      if (held.length > MOST_FILES) throw tooLarge("hashing files");
      return Object.fromEntries(held.sort(byPath).map(([path, text]) => [path, sha256(text)]));
    },
  };
}

function tooLarge(doing: string): Error {
  return pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_TOO_LARGE", { doing, most: MOST_FILES });
}

function byPath([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

function compare(from: Tree, to: Tree): CountedFile[] {
  const lost = new Map([...from].filter(([path]) => !to.has(path)).sort(byPath));
  const files: CountedFile[] = [];
  for (const [path, text] of [...to].sort(byPath)) {
    const old = from.get(path);
    if (old === text) continue;
    const [oldPath] = [...lost].find(([, other]) => other === text) ?? [];
    if (old !== undefined)
      files.push({ status: "modified", path, oldMode: MODE, newMode: MODE, ...countLines(old, text) });
    else if (oldPath === undefined)
      files.push({ status: "added", path, oldMode: NO_MODE, newMode: MODE, ...countLines("", text) });
    else {
      lost.delete(oldPath);
      files.push({ status: "renamed", path, oldPath, oldMode: MODE, newMode: MODE, ...countLines(text, text) });
    }
  }
  for (const [path, text] of lost)
    files.push({ status: "deleted", path, oldMode: MODE, newMode: NO_MODE, ...countLines(text, "") });
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function countLines(from: string, to: string): Pick<CountedFile, "addedLines" | "deletedLines"> {
  if (`${from}${to}`.includes("\0")) return { addedLines: null, deletedLines: null };
  const [old, now] = [linesOf(from), linesOf(to)];
  const kept = longestCommon(old, now);
  return { addedLines: now.length - kept, deletedLines: old.length - kept };
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row: readonly number[] = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    for (const [at, other] of b.entries())
      next.push(line === other ? (row[at] as number) + 1 : Math.max(row[at + 1] as number, next[at] as number));
    row = next;
  }
  return row[b.length] as number;
}
