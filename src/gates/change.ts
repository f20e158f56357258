/**
 * Judges which files a change touches, never what is in them. Everything that speaks against the change is found first; the strictest
 * finding decides, and among equals the first in the order of the triggers.
 */
import type { ChangeAnswer, ChangeRules } from "../blueprint/blueprint.ts";
import { CI_FILES, LOCKFILES, SUBMODULE_FILES } from "../plan/paths/known-paths.ts";
import { listing, refusing, treePath } from "./paths.ts";

export type Refusal = Exclude<ChangeAnswer, "allow">;

export interface ChangedFile {
  readonly status: "added" | "deleted" | "modified" | "renamed" | "copied" | "type_changed";
  readonly path: string;
  readonly oldPath?: string;
  /** As git writes it, such as 100644; 000000 where there is no file. */
  readonly oldMode: string;
  readonly newMode: string;
  /** Null: binary. */
  readonly addedLines: number | null;
  readonly deletedLines: number | null;
}

/** In the order in which they are looked at; the last three are the merge gate's alone. */
export const CHANGE_TRIGGERS = [
  "denylist",
  "submodule",
  "link",
  "mode",
  "ci",
  "lockfile",
  "dotfile",
  "binary",
  "file_count",
  "line_count",
  "not_allowlisted",
  "unverified",
  "level",
] as const;
export type ChangeTrigger = (typeof CHANGE_TRIGGERS)[number];

export interface ChangeFinding {
  readonly trigger: ChangeTrigger;
  readonly refusal: Refusal;
  readonly reason: string;
  /** Sorted, each once. */
  readonly paths: readonly string[];
}

export interface ChangeVerdict {
  readonly outcome: "pass" | "fail" | "escalate" | "empty";
  readonly trigger: "ok" | "empty" | ChangeTrigger;
  readonly reason: string;
  /** Paths that led to the trigger, sorted, at most 100. */
  readonly paths: readonly string[];
  /** How many more there were. */
  readonly morePaths: number;
  readonly files: number;
  readonly lines: number;
}

const MOST_PATHS = 100;

const NO_PATHS: Pick<ChangeVerdict, "paths" | "morePaths"> = { paths: [], morePaths: 0 };

export function judgeChange(rules: ChangeRules, files: readonly ChangedFile[]): ChangeVerdict {
  return decide(files, findAgainst(rules, files));
}

/** The strictest finding, the first among equals. An empty change is neither good nor bad. */
export function decide(files: readonly ChangedFile[], findings: readonly ChangeFinding[]): ChangeVerdict {
  const size = changeSize(files);
  if (files.length === 0)
    return { outcome: "empty", trigger: "empty", reason: "nothing changed", ...NO_PATHS, ...size };
  const worst = findings.find(({ refusal }) => refusal === "fail") ?? findings[0];
  if (worst === undefined) {
    return { outcome: "pass", trigger: "ok", reason: `${size.files} files, ${size.lines} lines`, ...NO_PATHS, ...size };
  }
  const { trigger, refusal: outcome, reason, paths } = worst;
  const morePaths = Math.max(0, paths.length - MOST_PATHS);
  return { outcome, trigger, reason, paths: paths.slice(0, MOST_PATHS), morePaths, ...size };
}

/** Files by name, each once; a renamed file is one. */
function changeSize(files: readonly ChangedFile[]): { readonly files: number; readonly lines: number } {
  const byName = new Map(files.map((file) => [treePath(file.path) ?? file.path, file]));
  let lines = 0;
  for (const file of byName.values()) lines += (file.addedLines ?? 0) + (file.deletedLines ?? 0);
  return { files: byName.size, lines };
}

/** Everything that speaks against the change, in the order of the triggers. */
export function findAgainst(rules: ChangeRules, files: readonly ChangedFile[]): readonly ChangeFinding[] {
  const { files: fileCount, lines } = changeSize(files);
  const found: ChangeFinding[] = [];
  const add = (trigger: ChangeTrigger, handling: ChangeAnswer, reason: string, paths: readonly string[]): void => {
    if (handling !== "allow") found.push({ trigger, refusal: handling, reason, paths });
  };
  const isRefused = refusing(rules.deny);
  // A path that leaves the tree has no place in any change.
  const denied = namesOf(files).filter((path) => treePath(path) === undefined || isRefused(path));
  if (denied.length > 0) add("denylist", rules.denied, `denied path: ${denied[0]}`, denied);
  for (const { trigger, field, what, covers } of KINDS) {
    const paths = namesOf(files.filter(covers));
    if (paths.length > 0) add(trigger, rules[field], `${what}: ${paths[0]}`, paths);
  }
  if (rules.maxFiles !== null && fileCount > rules.maxFiles) {
    add("file_count", rules.beyond, `${fileCount} files, at most ${rules.maxFiles} may change`, namesOf(files));
  }
  if (rules.maxLines !== null && lines > rules.maxLines) {
    add("line_count", rules.beyond, `${lines} lines, at most ${rules.maxLines} may change`, namesOf(files));
  }
  const isListed = rules.allow === null ? () => true : listing(rules.allow);
  const outside = namesOf(files).filter((path) => !isListed(path));
  if (outside.length > 0) add("not_allowlisted", rules.beyond, `not on the allow list: ${outside[0]}`, outside);
  return found;
}

/** Both names of a renamed or copied file, normalised, sorted, each once. */
function namesOf(files: readonly ChangedFile[]): readonly string[] {
  const names = files.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [path, oldPath]));
  return [...new Set(names.map((name) => treePath(name) ?? name))].sort();
}

interface Kind {
  readonly trigger: ChangeTrigger;
  readonly field: "submodules" | "links" | "modes" | "ci" | "lockfiles" | "dotfiles" | "binary";
  readonly what: string;
  covers(file: ChangedFile): boolean;
}

const MODES: readonly string[] = ["000000", "100644", "100755", "120000", "160000"];
const PLAIN = "100644";

const hasMode = (file: ChangedFile, mode: string): boolean => file.oldMode === mode || file.newMode === mode;
const hasName = (file: ChangedFile, covers: (path: string) => boolean): boolean => namesOf([file]).some(covers);

const isCi = refusing(CI_FILES);
const isLockfile = refusing(LOCKFILES);
const isSubmoduleFile = refusing(SUBMODULE_FILES);

/** A file that git would not write in this mode is as suspicious as one that became a program. */
function changesMode(file: ChangedFile): boolean {
  if (!MODES.includes(file.oldMode) || !MODES.includes(file.newMode)) return true;
  const before = file.oldMode === "000000" ? PLAIN : file.oldMode;
  return before !== file.newMode && (file.newMode === "100755" || (before === "100755" && file.newMode === PLAIN));
}

function isDotfile(file: ChangedFile): boolean {
  const isOther = (name: string): boolean => isCi(name) || isLockfile(name) || isSubmoduleFile(name);
  return hasName(file, (name) => /(?:^|\/)\./.test(name) && !isOther(name));
}

const KINDS: readonly Kind[] = [
  {
    trigger: "submodule",
    field: "submodules",
    what: "submodule",
    covers: (file) => hasMode(file, "160000") || hasName(file, isSubmoduleFile),
  },
  { trigger: "link", field: "links", what: "link", covers: (file) => hasMode(file, "120000") },
  { trigger: "mode", field: "modes", what: "mode changes", covers: changesMode },
  { trigger: "ci", field: "ci", what: "CI file", covers: (file) => hasName(file, isCi) },
  { trigger: "lockfile", field: "lockfiles", what: "lockfile", covers: (file) => hasName(file, isLockfile) },
  { trigger: "dotfile", field: "dotfiles", what: "hidden file", covers: isDotfile },
  {
    trigger: "binary",
    field: "binary",
    what: "binary file",
    covers: (file) => file.addedLines === null || file.deletedLines === null,
  },
];
