/** Where a link in a folder leads: to something in the same folder, whether it exists yet or not, or out of it. */
import { posix } from "node:path";
import { type Spot, statOf, targetOf } from "./mount-points.ts";

export interface Lead {
  /** The way from the same root: to what it leads to, or to another link on the way there. */
  readonly parts: readonly string[];
  readonly is: "file" | "folder" | "nothing" | "link";
}

/** null: it leads out of the root, holds the link itself, or there is no link any more. */
export function leadOf(link: Spot): Lead | null {
  const target = readTarget(link);
  if (target === null || posix.isAbsolute(target)) return null;
  const lead = follow(link.root, link.parts.slice(0, -1), target);
  const holdsLink = lead?.is !== "link" && lead?.parts.every((part, index) => link.parts[index] === part) === true;
  return holdsLink ? null : lead;
}

function follow(root: string, from: readonly string[], target: string): Lead | null {
  const parts = [...from];
  let is: Lead["is"] = "folder";
  for (const step of target.split("/").filter((each) => each !== "" && each !== ".")) {
    if (step !== "..") parts.push(step);
    else if (parts.pop() === undefined) return null;
    if (is === "folder" && parts.length > 0) is = natureOf({ root, parts });
    if (is === "link") break;
  }
  return { parts, is };
}

/** null: it is no link any more. */
function readTarget(link: Spot): string | null {
  try {
    return targetOf(link);
  } catch {
    return null;
  }
}

function natureOf(spot: Spot): Lead["is"] {
  const found = statOf(spot);
  if (found?.isSymbolicLink() === true) return "link";
  if (found?.isDirectory() === true) return "folder";
  return found?.isFile() === true ? "file" : "nothing";
}
