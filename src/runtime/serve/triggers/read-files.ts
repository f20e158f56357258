/** What the files of some globs are now: names, sizes and times of change, as one digest. Nothing is opened and no link is followed. */
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../base/digest.ts";
import { compileGlob } from "../../../base/match/glob.ts";

/** Nobody means them with a glob. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", ".pawl", "node_modules"]);
/** More is not a set of files to wait for, but a disk. */
const MOST_FILES = 100_000;

export async function readFilesState(root: string, globs: readonly string[]): Promise<string> {
  const tests = globs.map(compileGlob);
  const lines: string[] = [];
  const folders = [...new Set(globs.map(fixedFolder))];
  for (const folder of outermost(folders)) await walk(root, folder, (path) => tests.some((test) => test(path)), lines);
  return sha256(lines.sort().join("\n"));
}

/** The part of a glob before its first wildcard. */
function fixedFolder(glob: string): string {
  const names = glob.split("/");
  const wild = names.findIndex((name) => /[*?{]/.test(name));
  return names.slice(0, wild === -1 ? names.length - 1 : wild).join("/");
}

function outermost(folders: readonly string[]): readonly string[] {
  return folders.filter((folder) => !folders.some((other) => other !== folder && isWithin(folder, other)));
}

function isWithin(folder: string, other: string): boolean {
  return other === "" || folder.startsWith(`${other}/`);
}

async function walk(root: string, folder: string, isMeant: (path: string) => boolean, lines: string[]): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((): Dirent[] => []);
  for (const entry of entries) {
    if (LEFT_OUT.has(entry.name) || lines.length >= MOST_FILES) continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) await walk(root, path, isMeant, lines);
    else if (isMeant(path)) lines.push(await lineOf(root, path));
  }
}

async function lineOf(root: string, path: string): Promise<string> {
  const found = await lstat(join(root, path)).catch(() => null);
  return found === null ? "" : `${path} ${found.size} ${found.mtimeMs} ${found.ino}`;
}
