/**
 * What the files of some globs are now: names, sizes and times of change, as one digest. None is opened and no link is followed. What Pawl keeps
 * true in files of other systems is left out, and a file that a loop has written counts as what it was before.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../base/digest.ts";
import { compileGlob } from "../../../base/match/glob.ts";
import { type OwnWrites, stampOf } from "./own-writes.ts";

/** Nobody means them with a glob. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", ".pawl", "node_modules"]);
/** What is kept true for each run, in the folder of an openloop workspace and in that of OpenExec. */
const WORKSPACE = "openloop.json";
const KEPT_TRUE: ReadonlySet<string> = new Set(["heartbeat.json", "progress.md", "logs", "artifacts"]);
const EXEC_RUNS = /(?:^|\/)\.openexec\/runs$/;
/** More is not a set of files to wait for, but a disk. */
const MOST_FILES = 100_000;

export async function readFilesState(root: string, globs: readonly string[], own: OwnWrites = {}): Promise<string> {
  const tests = globs.map(compileGlob);
  const look: Look = { root, own, lines: [], isMeant: (path) => tests.some((test) => test(path)) };
  const folders = [...new Set(globs.map(fixedFolder))];
  for (const folder of outermost(folders)) await walk(look, folder);
  return sha256(look.lines.sort().join("\n"));
}

interface Look {
  readonly root: string;
  readonly own: OwnWrites;
  readonly isMeant: (path: string) => boolean;
  readonly lines: string[];
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

async function walk(look: Look, folder: string): Promise<void> {
  const { root, isMeant, lines } = look;
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((): Dirent[] => []);
  const isWorkspace = entries.some(({ name }) => name === WORKSPACE);
  for (const entry of entries) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const isOurs = (isWorkspace && KEPT_TRUE.has(entry.name)) || EXEC_RUNS.test(path);
    if (LEFT_OUT.has(entry.name) || isOurs || lines.length >= MOST_FILES) continue;
    if (entry.isDirectory()) await walk(look, path);
    else if (isMeant(path)) lines.push(...(await linesOf(look, path)));
  }
}

async function linesOf({ root, own }: Look, path: string): Promise<readonly string[]> {
  const found = await lstat(join(root, path)).catch(() => null);
  const stamp = found === null ? null : stampOf(found);
  const before = stamp !== null && own[path]?.is === stamp ? own[path].was : stamp;
  return before === null ? [] : [`${path} ${before}`];
}
