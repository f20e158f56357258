/** Trees: what is kept of every workspace, also of those that are gone. */
import type { RunId } from "../base/ids.ts";

export interface ChangedFile {
  readonly status: "added" | "deleted" | "modified" | "renamed" | "copied" | "type_changed";
  /** Bytes of the path, read as UTF-8; what is no UTF-8 is shown as U+FFFD. */
  readonly path: string;
  readonly oldPath?: string;
  /** `100644`, `100755`, `120000` (link), `160000` (submodule), `000000` (not there). */
  readonly oldMode: string;
  readonly newMode: string;
}

export interface CountedFile extends ChangedFile {
  /** Lines as git counts them; null: it is binary, and nobody can say. */
  readonly addedLines: number | null;
  readonly deletedLines: number | null;
}

export interface TreeDiff {
  readonly files: readonly ChangedFile[];
  /** The whole change as git writes it, every file as text. */
  readonly patch: Uint8Array;
  /** The patch is longer than what is here. */
  readonly truncated: boolean;
}

export interface SweepRequest {
  /** What is known of a run. The workspaces and trees of an open one are not touched, and neither are those of an unknown one. */
  known(run: RunId): Promise<"open" | "ended" | "unknown">;
  /** Trees saved before this time are dropped, in milliseconds since 1970; 0: none. */
  readonly before: number;
  readonly at: number;
  /** Say what would be done and do nothing. */
  readonly dryRun?: boolean;
}

/** What is kept of a run that no journal mentions: it may be the only copy of its work, so no sweep removes it. */
export interface UnknownRun {
  readonly run: RunId;
  readonly workspaces: number;
  /** Names of saved trees. */
  readonly refs: number;
}

export interface SweepReport {
  /** Workspaces that were removed, each after everything in it was saved. */
  readonly workspaces: number;
  /** Runs whose workspaces could not be removed, because not everything in them could be saved. They are left as they are. */
  readonly stuck: number;
  /** Names of saved trees that were dropped. */
  readonly refs: number;
  /** Saved trees that had lost their name, although nobody dropped them; they have one again. */
  readonly found: number;
  readonly unknown: readonly UnknownRun[];
  readonly objectsBefore: number;
  readonly objectsAfter: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** What a tree holds, read from what is kept and never from a folder. Paths count from the top of the tree. */
export interface TreeReader {
  /**
   * Every path that differs, with its lines; a file that was renamed, as both names. Rejects with WORKSPACE_TREE_MISSING, and with
   * WORKSPACE_TREE_TOO_LARGE beyond 100,000 of them.
   */
  changes(from: string, to: string): Promise<readonly CountedFile[]>;
  /**
   * The bytes of a file; null: there is no file, or something else. No link is followed. Rejects with WORKSPACE_TREE_MISSING, and with
   * WORKSPACE_FILE_TOO_LARGE when it is longer than `maxBytes`.
   */
  read(tree: string, path: string, maxBytes: number): Promise<Uint8Array | null>;
  /**
   * The sha256 of everything that a composition with these globs would protect, by path: of the bytes of a file, of where a
   * link leads, of the name of a submodule's commit. Rejects as `changes` does.
   */
  hashes(tree: string, globs: readonly string[]): Promise<Readonly<Record<string, string>>>;
}

/**
 * `dropped`: removed on purpose, and recorded. `unnamed`: it is there, and no reference keeps it from being removed. `no_vault`: nothing is kept
 * anywhere.
 */
export type TreeHolding = "held" | "dropped" | "unnamed" | "missing" | "no_vault";

/** Whether what journals name is still there. It trusts no file of the vault more than its bytes. */
export interface TreeCheck {
  /** How a tree is kept that the journal of the run names. */
  holding(run: RunId, tree: string): Promise<TreeHolding>;
  /**
   * Reads every object of these trees, or all that has a name with its whole history, and computes what each is called. `problem` names the first
   * that is missing or damaged. Rejects when the signal aborts.
   */
  examine(
    trees: readonly string[] | "all",
    signal: AbortSignal,
  ): Promise<{ readonly objects: number; readonly problem: string | null }>;
}

export interface Trees extends TreeReader, TreeCheck {
  /** What changed from one tree to another; the patch is cut at `maxBytes`. Rejects with WORKSPACE_TREE_MISSING. */
  diff(from: string, to: string, maxBytes: number): Promise<TreeDiff>;
  /** The id of what a tree holds: the same for every commit with exactly these files. Rejects with WORKSPACE_TREE_MISSING. */
  oid(tree: string): Promise<string>;
  /** Where trees are kept, and whether anything is there. */
  vault(): Promise<{ readonly path: string; readonly isThere: boolean }>;
  /** Clears away what runs that have ended left behind. Rejects with WORKSPACE_BUSY when others do not let go in time. */
  sweep(request: SweepRequest): Promise<SweepReport>;
}
