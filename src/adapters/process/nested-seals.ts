/**
 * Sealed names below the top of a workspace: what is there when a process starts stays as it is. What is missing there
 * can be made; to hold every folder against that would take a mount for each. The look is bounded, nearest first.
 */
import { type Dirent, lstatSync, opendirSync } from "node:fs";
import { SEALED_FILES, SEALED_FOLDERS } from "../../plan/paths/sealed-names.ts";

const NAMES: ReadonlySet<string> = new Set([...SEALED_FOLDERS, ...SEALED_FILES]);
/** The state of another project is nobody's business here. */
const STATE: ReadonlySet<string> = new Set([".pawl"]);
/** Not what people open, and larger than everything else. */
const PASSED_BY: ReadonlySet<string> = new Set([".git", "node_modules"]);

export const NESTED_LIMITS = { depth: 6, folders: 2000, entries: 50_000, found: 40, pathLength: 200 } as const;

interface Look {
  readonly top: string;
  readonly names: ReadonlySet<string>;
  readonly found: string[];
  folders: number;
  entries: number;
}

/** Relative to the top. */
export function nestedSeals(top: string): readonly string[] {
  return findBelow(top, NAMES);
}

/** Folders of other projects below the top in which Pawl keeps their runs; relative to the top. */
export function nestedStates(top: string): readonly string[] {
  return findBelow(top, STATE).filter(
    (path) => lstatSync(`${top}/${path}`, { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

function findBelow(top: string, names: ReadonlySet<string>): readonly string[] {
  const look: Look = { top, names, found: [], folders: NESTED_LIMITS.folders, entries: NESTED_LIMITS.entries };
  let level: readonly string[] = lookInto(look, "").folders;
  for (let depth = 1; depth < NESTED_LIMITS.depth; depth += 1)
    level = level.flatMap((folder) => {
      const { seals, folders } = lookInto(look, folder);
      look.found.push(...seals);
      return folders;
    });
  return look.found.slice(0, NESTED_LIMITS.found);
}

interface Below {
  readonly seals: readonly string[];
  /** To look into next; each ends with a slash. */
  readonly folders: readonly string[];
}

function lookInto(look: Look, folder: string): Below {
  if (look.folders === 0 || look.found.length >= NESTED_LIMITS.found) return { seals: [], folders: [] };
  look.folders -= 1;
  const entries = entriesOf(look, folder).filter(
    ({ name }) => !PASSED_BY.has(name) && folder.length + name.length <= NESTED_LIMITS.pathLength,
  );
  return {
    seals: entries.filter(({ name }) => look.names.has(name)).map(({ name }) => `${folder}${name}`),
    folders: entries
      .filter((entry) => entry.isDirectory() && !look.names.has(entry.name))
      .map(({ name }) => `${folder}${name}/`),
  };
}

/** A folder that cannot be read is passed by: nothing in it can be read by others either. */
function entriesOf(look: Look, folder: string): readonly Dirent[] {
  const entries: Dirent[] = [];
  try {
    const open = opendirSync(`${look.top}/${folder}`, { bufferSize: 256 });
    try {
      for (let entry = open.readSync(); entry !== null && look.entries > 0; entry = open.readSync()) {
        look.entries -= 1;
        entries.push(entry);
      }
    } finally {
      open.closeSync();
    }
  } catch {
    return entries;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
