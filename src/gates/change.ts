/** Judges which files a change touches, never what is in them. */

export type Handling = "allow" | "escalate" | "fail";
export type Refusal = Exclude<Handling, "allow">;

export interface ChangedFile {
  readonly status: "added" | "deleted" | "modified" | "renamed" | "copied" | "type_changed";
  readonly path: string;
  readonly oldPath?: string;
  readonly oldMode: string;
  readonly newMode: string;
  /** Null: binary. */
  readonly addedLines: number | null;
  readonly deletedLines: number | null;
}

export interface ChangeRules {
  readonly deny: readonly string[];
  /** When there is one, every path must be in it. */
  readonly allow: readonly string[] | null;
  readonly maxFiles: number | null;
  readonly maxLines: number | null;
  /** What a path of the deny list leads to. */
  readonly denied: Refusal;
  /** What too many files or lines, and a path outside the allow list, lead to. */
  readonly beyond: Refusal;
  readonly dotfiles: Handling;
  /** The executable bit. */
  readonly modes: Handling;
  readonly links: Handling;
  readonly submodules: Handling;
  readonly lockfiles: Handling;
  readonly ci: Handling;
  readonly binary: Handling;
}

export type ChangeTrigger =
  | "ok"
  | "empty"
  | "denylist"
  | "submodule"
  | "link"
  | "mode"
  | "ci"
  | "lockfile"
  | "dotfile"
  | "binary"
  | "file_count"
  | "line_count"
  | "not_allowlisted"
  | "unverified"
  | "level"
  | "base_moved";

export interface ChangeVerdict {
  readonly outcome: "pass" | "fail" | "escalate" | "empty";
  readonly trigger: ChangeTrigger;
  readonly reason: string;
  /** Paths that led to the trigger, sorted, at most 100. */
  readonly paths: readonly string[];
  /** How many more paths there were. */
  readonly morePaths: number;
  readonly files: number;
  readonly lines: number;
}
