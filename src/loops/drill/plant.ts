/** Plants: changes that are known to be bad, or known to be harmless, made to see what the gates of a loop do about them. */

/** In the order in which a drill takes them. */
export const BAD_KINDS = [
  "broken_source",
  "skipped_test",
  "weakened_assertion",
  "deleted_test",
  "exit_zero",
  "edited_gate",
  "denied_path",
  "injected_instruction",
  "regressed_metric",
  "given_patch",
] as const;
export const HARMLESS_KINDS = ["harmless_comment", "harmless_readme", "harmless_file"] as const;

export type PlantKind = (typeof BAD_KINDS)[number] | (typeof HARMLESS_KINDS)[number];

export interface PlantedFile {
  /** From the top of the tree. */
  readonly path: string;
  /** null: the file is not there. */
  readonly text: string | null;
}

/** A change, before it is known whether the drill has room for it. */
export interface Draft {
  readonly kind: PlantKind;
  readonly files: readonly PlantedFile[];
  /** What was done, in a few words. */
  readonly why: string;
}

export interface Plant extends Draft {
  readonly id: string;
  readonly expect: "reject" | "accept";
}

/** What a drill could not try, and why. */
export interface Untried {
  readonly what: string;
  readonly why: string;
}

export interface Drafts {
  readonly drafts: readonly Draft[];
  readonly untried: readonly Untried[];
}

export function isHarmless(kind: PlantKind): boolean {
  return (HARMLESS_KINDS as readonly PlantKind[]).includes(kind);
}
