/** What a walk over the tree of a shell text gathers. The first thing that cannot be accounted for ends it. */
import type { ParsedScript } from "unbash";
import type { ShellCommand, ShellFacts } from "../facts.ts";

type ShellFile = ShellFacts["files"][number];

const MOST_COMMANDS = 200;
const DEEPEST = 20;
const MOST_FOLDERS = 8;

export interface Walk {
  /** The text that the nodes were read from. */
  text: string;
  /** Walks a script that was found inside a word. */
  readonly inner: (walk: Walk, script: ParsedScript) => undefined;
  readonly commands: ShellCommand[];
  readonly files: ShellFile[];
  why: string | undefined;
  depth: number;
  /** How many loops and functions are around: what they do may happen again. */
  repeats: number;
  /** Where a command may be running: a `cd` may have worked or not. */
  folders: readonly string[];
  /** Nobody knows where: a folder is not known, or a loop changes it. */
  lost: boolean;
  /** What the next command reads on standard input: a known text, null for an unknown one, undefined for that of the whole text. */
  input: string | null | undefined;
}

export function newWalk(text: string, inner: Walk["inner"]): Walk {
  const nothing = { why: undefined, depth: 0, repeats: 0, input: undefined };
  return { ...nothing, text, inner, commands: [], files: [], folders: [""], lost: false };
}

export function refuse(walk: Walk, why: string): undefined {
  walk.why ??= why;
}

/** Goes one level down; too deep a text is refused. */
export function deeper(walk: Walk, visit: () => void): undefined {
  if (walk.depth >= DEEPEST) return refuse(walk, `it is nested more than ${DEEPEST} levels deep`);
  walk.depth += 1;
  visit();
  walk.depth -= 1;
}

export function addCommand(walk: Walk, command: ShellCommand): undefined {
  if (walk.commands.length >= MOST_COMMANDS) refuse(walk, `it has more than ${MOST_COMMANDS} commands`);
  walk.commands.push(command);
}

/** A file is opened: once for every folder in which that may happen. */
export function addFile(walk: Walk, access: "read" | "edit", path: string | null): undefined {
  const folders = path === null || isFixed(path) ? [""] : walk.folders;
  for (const folder of folders) walk.files.push({ access, path: path === null ? null : below(folder, path) });
}

/** `cd`: the folder is read, and what follows may happen there. */
export function changeFolder(walk: Walk, folder: string | null): undefined {
  addFile(walk, "read", folder);
  const next =
    folder === null ? [] : [...new Set([...walk.folders, ...walk.folders.map((from) => below(from, folder))])];
  if (folder === null || walk.repeats > 0 || next.length > MOST_FOLDERS) walk.lost = true;
  else walk.folders = next;
}

/** The end of the walk: where folders are lost, a relative path says nothing. */
export function factsOf(walk: Walk): ShellFacts {
  const files = walk.lost
    ? walk.files.map(({ access, path }) => ({ access, path: path !== null && isFixed(path) ? path : null }))
    : walk.files;
  const { why, commands } = walk;
  return why === undefined ? { ok: true, commands, files } : { ok: false, why, commands, files };
}

function isFixed(path: string): boolean {
  return path.startsWith("/") || path.startsWith("~");
}

export function below(folder: string, path: string): string {
  return folder === "" || isFixed(path) ? path : `${folder}/${path}`;
}
