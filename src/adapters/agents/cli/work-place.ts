/** Where an agent works behind the wall, and what the paths it names are called in the words of policy. */
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProcessRequest } from "../../../ports/executor.ts";
import { BEHIND } from "../../../ports/sandbox.ts";

export interface WorkPlace {
  /** Absolute, behind the wall. */
  readonly cwd: string;
  /** From the root of the workspace; absolute when it lies outside. `from`: where the agent stands. */
  pathOf(given: string, from?: string): string;
}

export function workPlaceOf({ project, cwd }: Pick<ProcessRequest, "project" | "cwd">): WorkPlace {
  const here = posix.join(BEHIND.workspace, project, cwd).replace(/(.)\/$/, "$1");
  return {
    cwd: here,
    pathOf(given, from = here) {
      const path = posix.resolve(here, from, given.startsWith("file://") ? fromUrl(given) : given);
      if (path === BEHIND.workspace) return ".";
      const inside = `${BEHIND.workspace}/`;
      return path.startsWith(inside) ? path.slice(inside.length) : path;
    },
  };
}

/** What is no address of a file stays as it is: no rule will know it. */
function fromUrl(url: string): string {
  try {
    return fileURLToPath(url, { windows: false });
  } catch {
    return url;
  }
}
