/** Every file below a folder, by its path from the root. Links are not followed; folders are held while they are looked at. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import type { ToolContext } from "../tool.ts";
import { holdingFolder } from "./held-folder.ts";
import { stepsTo } from "./place.ts";

/** Nobody looks for his own work there. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);
const MOST_FILES = 20_000;
const DEEPEST = 40;
const ASKED_AT_ONCE = 500;

export interface Found {
  /** Sorted. */
  readonly paths: readonly string[];
  /** There are more than anybody looks through. */
  readonly isPart: boolean;
}

export async function filesBelow(place: string, { root, signal }: ToolContext): Promise<Found> {
  const paths: string[] = [];
  const waiting: string[] = [place];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    if (paths.length >= MOST_FILES) return { paths: paths.slice(0, MOST_FILES).sort(), isPart: true };
    const entries = (await namesIn(root, folder, folder === place)).filter(isPlain);
    const pathOf = ({ name }: Dirent): string => (folder === "." ? name : `${folder}/${name}`);
    paths.push(...entries.filter((entry) => entry.isFile()).map(pathOf));
    waiting.push(...entries.filter(isLookedInto).map(pathOf).filter(isNear));
  }
  return { paths: paths.sort(), isPart: false };
}

/** Policy reads a backslash as a slash, and would judge another path. */
function isPlain({ name }: Dirent): boolean {
  return !name.includes("\\");
}

function isLookedInto(entry: Dirent): boolean {
  return entry.isDirectory() && !SKIPPED.has(entry.name);
}

function isNear(path: string): boolean {
  return path.split("/").length <= DEEPEST;
}

/** A folder that is gone by now, or that cannot be read, has no names; the first one must be there. */
async function namesIn(root: string, folder: string, isFirst: boolean): Promise<readonly Dirent[]> {
  const names = holdingFolder(root, stepsTo(folder), false, (held) => readdir(held, { withFileTypes: true }));
  return isFirst ? names : names.catch(() => []);
}

/** Those that policy lets it read. Many are asked about at once; where one of them is denied, by halves. */
export async function readableOf(paths: readonly string[], context: ToolContext): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  context.signal.throwIfAborted();
  const isAsked = paths.length <= ASKED_AT_ONCE;
  if (isAsked && (await context.allows(paths.map((path) => ({ kind: "read", path }))))) return paths;
  if (paths.length === 1) return [];
  const half = isAsked ? Math.ceil(paths.length / 2) : ASKED_AT_ONCE;
  return [...(await readableOf(paths.slice(0, half), context)), ...(await readableOf(paths.slice(half), context))];
}
