/** Where a path of the agent leads, as policy names places: from the root of the workspace, or absolute when it is outside. */
import { lstatSync, readlinkSync } from "node:fs";
import { join, posix } from "node:path";

export interface Workspace {
  /** As the agent sees it. */
  readonly seenAt: string;
  /** The same folder on this machine. */
  readonly folder: string;
}

const MOST_LINKS = 40;

/**
 * The place that the text names and, when links are on the way, the one that they lead to: both must be allowed. `from`: the
 * working folder, as the agent sees it.
 */
export function placesOf(workspace: Workspace, from: string, text: string): readonly string[] {
  if (text.startsWith("~")) return [text];
  const named = posix.resolve(from, text);
  const reached = follow(workspace, named);
  return [...new Set([named, reached])].map((path) => placeIn(workspace.seenAt, path));
}

function placeIn(root: string, path: string): string {
  const way = posix.relative(root, path);
  if (way === "") return ".";
  return way === ".." || way.startsWith("../") ? path : way;
}

/** Links are followed as the agent would, by the names it sees; what is not in the workspace cannot be looked at from here. */
function follow({ seenAt, folder }: Workspace, path: string): string {
  let done = seenAt;
  let open = partsBelow(seenAt, path);
  for (let links = 0; open !== null && open.length > 0; ) {
    const [part = "", ...rest] = open;
    const here = posix.join(done, part);
    const target = links < MOST_LINKS ? linkAt(join(folder, posix.relative(seenAt, here))) : null;
    if (target === null) {
      done = here;
      open = rest;
      continue;
    }
    links += 1;
    const next = posix.resolve(done, target, ...rest);
    open = partsBelow(seenAt, next);
    if (open === null) return next;
    done = seenAt;
  }
  return open === null ? path : done;
}

/** null: it is not below the root. */
function partsBelow(root: string, path: string): readonly string[] | null {
  if (path === root) return [];
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1).split("/") : null;
}

function linkAt(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}
