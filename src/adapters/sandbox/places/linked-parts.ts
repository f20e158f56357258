/** Where a link in a folder leads: to a file or folder in the same folder, or to nothing that can be shown. */
import { posix } from "node:path";
import { type Spot, statOf, targetOf } from "../mount-points.ts";

/** The way to it from the same root; null: there is nothing, it holds the link itself, or another link is on the way. */
export function linkedParts(link: Spot): readonly string[] | null {
  const target = readTarget(link);
  if (target === null || posix.isAbsolute(target)) return null;
  const way = posix.join(...link.parts.slice(0, -1), target).replace(/\/$/, "");
  if (way === "." || way === ".." || way.startsWith("../")) return null;
  const parts = way.split("/");
  const holdsLink = parts.every((part, index) => link.parts[index] === part);
  return !holdsLink && isPlain({ root: link.root, parts }) ? parts : null;
}

/** null: it is no link any more. */
function readTarget(link: Spot): string | null {
  try {
    return targetOf(link);
  } catch {
    return null;
  }
}

function isPlain(spot: Spot): boolean {
  try {
    const found = statOf(spot);
    return found !== undefined && (found.isFile() || found.isDirectory());
  } catch {
    return false;
  }
}
