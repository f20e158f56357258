/**
 * Which paths of a tree its maker cannot touch, and what that means for the tree that is judged. Law: what lies at a protected path,
 * or would be reached through it, is as in the tree that the run started from.
 */
import { alternatives, compileParts, pathParts } from "../base/match/glob.ts";

/** A link or a submodule stands for a whole folder. */
export type EntryKind = "file" | "link" | "submodule";

export type IsProtected = (path: string, kind: EntryKind) => boolean;

/** A path at which the tree of the maker differs from the base; null: it is not there. */
export interface Difference {
  readonly path: string;
  readonly candidate: EntryKind | null;
  readonly base: EntryKind | null;
}

const MOST_ALTERNATIVES = 256;

/**
 * `project`: where in the tree the project lies; a glob may count from there as well as from the top. Names that some file system
 * takes for one are one.
 */
export function compileProtection(globs: readonly string[], project: string): IsProtected {
  const exact = covering(globs, project);
  const folded = covering(globs.map(fold), fold(project));
  return (path, kind) => {
    const name = fold(path);
    // Only a name that grew can be covered as it was written and not as it is then: `?` stands for one character.
    return folded(name, kind) || (name.length !== path.length && exact(path, kind));
  };
}

function fold(text: string): string {
  return text.normalize("NFD").toUpperCase().toLowerCase();
}

function covering(globs: readonly string[], project: string): IsProtected {
  const plain = globs.map(compileParts);
  const folders = globs.flatMap(foldersInto).map(compileParts);
  const top = `${project}/`;
  // A name in a tree may hold anything but a slash: it is not normalised.
  const isCovered = (path: string, kind: EntryKind): boolean => {
    const parts = { from: "root", names: path.split("/") } as const;
    return plain.some((test) => test(parts)) || (kind !== "file" && folders.some((test) => test(parts)));
  };
  return (path, kind) => isCovered(path, kind) || (path.startsWith(top) && isCovered(path.slice(top.length), kind));
}

/**
 * Globs of the folders that a glob reaches into. One that is `**` up to there reaches into every folder, so also into the one
 * that a link leads to: those files are protected where they are.
 */
function foldersInto(glob: string): string[] {
  return (alternatives(glob, MOST_ALTERNATIVES) as string[]).flatMap((one) => {
    const { from, names } = pathParts(one);
    const folders = names.slice(1).map((_, index) => names.slice(0, index + 1));
    return from === "root" ? folders.filter((folder) => folder.some((name) => name !== "**")).map(joined) : [];
  });
}

/** The paths at which the tree that is judged is not as that of the maker but as the base: something else, or nothing. */
export function restoredPaths(differences: readonly Difference[], isProtected: IsProtected): ReadonlySet<string> {
  const restored = new Set<string>();
  for (const { path, candidate, base } of differences)
    if ([candidate, base].some((kind) => kind !== null && isProtected(path, kind))) restored.add(path);
  const gone = pathsOf(differences, ({ path, base }) => base === null && restored.has(path));
  // What the maker put in the place of a folder goes, so the whole folder comes back.
  for (const { path, base } of differences)
    if (base !== null && foldersOf(path).some((folder) => gone.has(folder))) restored.add(path);
  const back = pathsOf(differences, ({ path, base }) => base !== null && restored.has(path));
  const folders = new Set([...back].flatMap(foldersOf));
  // What is in the way of something that comes back gives way.
  for (const { path, base } of differences)
    if (base === null && (folders.has(path) || foldersOf(path).some((folder) => back.has(folder)))) restored.add(path);
  return restored;
}

function pathsOf(differences: readonly Difference[], isMeant: (one: Difference) => boolean): ReadonlySet<string> {
  return new Set(differences.filter(isMeant).map(({ path }) => path));
}

function foldersOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, index) => joined(names.slice(0, index + 1)));
}

function joined(names: readonly string[]): string {
  return names.join("/");
}
