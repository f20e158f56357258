/** Where things live below a project root. `.pawl/` is ours; nothing else is written unless a stage's effect says so. */
import { join } from "node:path";

export interface StatePaths {
  readonly state: string;
  readonly artifacts: string;
  readonly temp: string;
  /** What processes under way have printed so far. */
  readonly logs: string;
  readonly heartbeats: string;
  readonly workspaces: string;
  /** Model calls of attempts under way. */
  readonly calls: string;
  /** What was accepted of MCP servers. */
  readonly mcp: string;
  /** Skills as they were read, by digest. */
  readonly skills: string;
  /** What agents keep from one attempt to the next. */
  readonly agents: string;
  /** Every tree that was saved, in a repository of our own. */
  readonly vault: string;
}

export function statePaths(root: string): StatePaths {
  const state = join(root, ".pawl");
  const below = (name: string): string => join(state, name);
  return {
    state,
    artifacts: below("artifacts"),
    temp: below("tmp"),
    logs: below("logs"),
    heartbeats: below("heartbeats"),
    workspaces: below("workspaces"),
    calls: below("calls"),
    mcp: below("mcp"),
    skills: below("skills"),
    agents: below("agents"),
    vault: below("vault.git"),
  };
}
