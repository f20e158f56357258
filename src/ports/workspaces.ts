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

/** What is judged: the tree of a maker with the protected paths of the tree that its run started from. */
export interface Composition {
  readonly candidate: string;
  readonly base: string;
  /**
   * Globs, of paths from the top of the tree or from the project in it. Upper and lower case are one, and a link or submodule is
   * protected where a folder would have been that a glob reaches into.
   */
  readonly protect: readonly string[];
  readonly at: number;
}

/** A change that nobody made: `files` are put over the base. */
export interface Planting {
  readonly base: string;
  /** Paths from the top of the tree; null: the file is not there. A file that was there keeps its mode. */
  readonly files: readonly { readonly path: string; readonly text: string | null }[];
  readonly at: number;
}

/** A folder that holds a tree, and what a process needs to work there. */
export interface Checkout {
  /** The folder on this machine that holds the files. */
  readonly folder: string;
  /** Where in it the project lies, below which stages start; empty: the whole of it is the project. */
  readonly project: string;
  /** What a process behind a wall needs besides the folder. */
  readonly mounts: readonly Mount[];
  /** Removes it. What it held is thrown away; once more does nothing. */
  remove(label: SaveLabel, signal?: AbortSignal): Promise<void>;
}

export interface Workspace extends Checkout {
  /**
   * Saves everything in it. Resolves to the tree it began with when nothing has changed. Rejects with WORKSPACE_TOO_LARGE, before
   * anything is read, when there is more than `spec` lets be saved.
   */
  save(label: SaveLabel, signal?: AbortSignal): Promise<string>;
  /** What the last save found in it: the same id for exactly the same files, whatever trees led to them. Empty: there was none. */
  content(): string;
  /** Removes it. What was not saved is saved first. */
  remove(label: SaveLabel, signal?: AbortSignal): Promise<void>;
}

/** A workspace with files that no tree holds, because it was too large or saving it was cut off. Nothing deletes it. */
export interface UnsavedWorkspace {
  /** Where the files are. */
  readonly folder: string;
  /** `too_large`: only a higher limit lets it be saved. `cut_off`: `pawl gc`, or resuming the run, saves it. */
  readonly why: "too_large" | "cut_off";
  /** null: clearing away after the run could not save it. */
  readonly stage: string | null;
  readonly at: number;
}

/** Files that no tree can hold, kept as a commit with one file, a tar archive. `pawl recover --to-branches` puts it on a branch. */
export interface ArchivedFiles {
  readonly commit: string;
  /** null: they were archived when the run was cleared away. */
  readonly stage: string | null;
  readonly at: number;
}

/**
 * Work that takes a signal ends as soon as it aborts: every process it has started is killed, and it rejects with
 * WORKSPACE_INTERRUPTED. What was saved before stays saved, and what was not stays in its folder.
 */
export interface Workspaces {
  /** The tree that a new run starts from. Rejects with WORKSPACE_* when the project cannot give one. */
  base(spec: WorkspaceSpec, at: number, signal?: AbortSignal): Promise<string>;
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
  enter(place: Place, tree: string, label: SaveLabel, signal?: AbortSignal): Promise<Workspace>;
  /** Saves what an attempt that was cut off left in the workspace; null: there is no workspace. */
  salvage(place: Place, label: SaveLabel, signal?: AbortSignal): Promise<string | null>;
  /**
   * The tree that is as `candidate`, but as `base` at every protected path: what was changed or deleted there is restored, what is
   * new there is gone, and what stands in the way of it gives way. The same composition gives the same tree; it is `candidate` itself when
   * nothing protected differs. Kept as long as the trees of the run. Rejects with WORKSPACE_TREE_MISSING.
   */
  compose(run: RunId, composition: Composition, signal?: AbortSignal): Promise<string>;
  /**
   * The tree that is as `base` with these files in it, kept as a tree of the run. Rejects with WORKSPACE_TREE_MISSING, and with
   * WORKSPACE_TREE_UNFIT when no tree can hold a path.
   */
  plant(run: RunId, planting: Planting): Promise<string>;
  /**
   * A new folder that holds exactly `tree`, with the shared folders of the project, and nothing that any stage left: no ignored
   * file, no history but that of the project. Nothing in it is ever saved. It is gone after `remove`, with the run, with the process that
   * asked for it at the latest when the next one sweeps. Each call gives another folder.
   */
  checkout(place: Omit<Place, "member">, tree: string, signal?: AbortSignal): Promise<Checkout>;
  /** Drops every tree that is kept for a run that has ended, and only for it. */
  drop(run: RunId): Promise<void>;
  /** Removes every workspace of a run that has ended. Idempotent; what was not saved is saved first. Those that `unsaved` names stay. */
  leave(run: RunId, at: number, signal?: AbortSignal): Promise<void>;
  /** Workspaces of a run with files that could not be saved. */
  unsaved(run: RunId): Promise<readonly UnsavedWorkspace[]>;
  /** What is archived of the workspaces of a run, oldest first. */
  archives(run: RunId): Promise<readonly ArchivedFiles[]>;
}
