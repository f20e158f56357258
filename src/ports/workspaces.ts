/**
 * Workspaces: where the effects of a run may happen. A tree is the id of a commit that holds the whole content of a
 * workspace, saved so that it survives a power cut and anything that happens to the workspace afterwards.
 */
import type { RunId } from "../base/ids.ts";
import type { WorkspaceSpec } from "../blueprint/blueprint.ts";
import type { Mount } from "./sandbox.ts";

export interface Place {
  readonly run: RunId;
  /** Path of the member that has a workspace of its own; null: the workspace of the run. */
  readonly member: string | null;
  readonly spec: WorkspaceSpec;
}

export interface SaveLabel {
  readonly stage: string;
  readonly attempt: number;
  readonly at: number;
}

export interface Workspace {
  /** The folder on this machine that holds the files. */
  readonly folder: string;
  /** Where in it the project lies, below which stages start; empty: the whole of it is the project. */
  readonly project: string;
  /** What a process behind a wall needs besides the folder. */
  readonly mounts: readonly Mount[];
  /** Saves everything in it. Resolves to the tree it began with when nothing has changed. */
  save(label: SaveLabel): Promise<string>;
  /** Removes it. What was not saved is saved first. */
  remove(label: SaveLabel): Promise<void>;
}

export interface Workspaces {
  /** The tree that a new run starts from. Rejects with WORKSPACE_* when the project cannot give one. */
  base(spec: WorkspaceSpec, at: number): Promise<string>;
  /**
   * Files of the project that are not as the commit has them, or not in it; ignored ones are left out, and so are ours.
   * A run that starts from the commit does not see them. Paths relative to the project; rejects as `base` does.
   */
  uncommitted(): Promise<readonly string[]>;
  /**
   * From now on no sweep drops the tree that a run is about to start from. Rejects with WORKSPACE_TREE_MISSING. `parent`: the
   * run that starts it; the workspace of the new run begins with a copy of the files there that no tree holds.
   */
  keep(run: RunId, tree: string, parent?: RunId): Promise<void>;
  /**
   * Makes the workspace hold exactly `tree`: creates it when it is missing, restores it when it differs. What it held
   * is saved first. Two callers of one place wait for each other.
   */
  enter(place: Place, tree: string, label: SaveLabel): Promise<Workspace>;
  /** Saves what an attempt that was cut off left in the workspace; null: there is no workspace. */
  salvage(place: Place, label: SaveLabel): Promise<string | null>;
  /** Removes every workspace of a run that has ended. Idempotent; what was not saved is saved first. */
  leave(run: RunId, at: number): Promise<void>;
}
