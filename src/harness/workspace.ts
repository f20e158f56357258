/** The folder that tools work in: the one that was given, or an empty one that is gone afterwards. */
import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pawlError } from "../base/errors.ts";
import { HARNESS_ERRORS } from "../ports/errors/harness-errors.ts";

export interface AgentWorkspace {
  /** Absolute and without links. */
  root(): string;
  remove(): void;
}

export function createWorkspace(given: string | undefined): AgentWorkspace {
  let own: string | null = null;
  return {
    root() {
      if (given !== undefined) return folderAt(given);
      own ??= realpathSync(mkdtempSync(join(tmpdir(), "pawl-agent-")));
      return own;
    },
    remove() {
      if (own !== null) rmSync(own, { recursive: true, force: true });
    },
  };
}

/** Throws HARNESS_OPTIONS_UNFIT. */
function folderAt(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(path);
  throw pawlError(HARNESS_ERRORS, "HARNESS_OPTIONS_UNFIT", { problem: `its root ${path} is no folder` });
}
