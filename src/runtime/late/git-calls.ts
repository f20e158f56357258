/** What is asked of git, whose code is loaded with the first call. */
import type { Trees } from "../../ports/trees.ts";
import type { Workspaces } from "../../ports/workspaces.ts";

export type GitParts = Workspaces & Trees & { hold<T>(work: () => Promise<T>): Promise<T> };

export const GIT_CALLS = [
  ...(["base", "uncommitted", "keep", "enter", "salvage", "leave", "compose", "plant", "checkout", "drop"] as const),
  ...(["changes", "read", "hashes", "diff", "oid", "holding", "examine", "sweep", "vault", "hold"] as const),
  ...(["unsaved", "archives"] as const),
];
