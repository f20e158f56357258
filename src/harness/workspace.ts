/** The folder that tools work in: the one that was given, or an empty one that is gone afterwards. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface AgentWorkspace {
  /** Absolute and without links. */
  root(): string;
  remove(): void;
}

export function createWorkspace(given: string | undefined): AgentWorkspace {
  let own: string | null = null;
  return {
    root() {
      if (given !== undefined) return realpathSync(given);
      own ??= realpathSync(mkdtempSync(join(tmpdir(), "pawl-agent-")));
      return own;
    },
    remove() {
      if (own !== null) rmSync(own, { recursive: true, force: true });
    },
  };
}
