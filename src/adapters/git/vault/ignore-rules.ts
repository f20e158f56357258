/** The ignore files of one commit as one list of rules, so that a stage cannot hide what it made by changing them. */

export interface IgnoreFile {
  /** Folder of the ignore file, "" for the top; bytes as latin1. */
  readonly folder: string;
  readonly text: string;
}

/** Order and anchors give the same answer as the files do where they lie: a deeper file comes later and so wins. */
export function joinIgnoreRules(files: readonly IgnoreFile[]): string {
  const sorted = [...files].sort((a, b) => depth(a.folder) - depth(b.folder));
  const lines = sorted.flatMap(({ folder, text }) => linesOf(text).flatMap((line) => anchored(folder, line)));
  return [...lines, ""].join("\n");
}

function depth(folder: string): number {
  return folder === "" ? 0 : folder.split("/").length;
}

function linesOf(text: string): string[] {
  return text.replace(/^\xef\xbb\xbf/, "").split(/\r?\n/);
}

function anchored(folder: string, line: string): string[] {
  if (line === "" || line.startsWith("#") || /^ +$/.test(line)) return [];
  if (folder === "") return [line];
  const isNegated = line.startsWith("!");
  const pattern = isNegated ? line.slice(1) : line;
  const isAnchored = pattern.replace(/\/? *$/, "").includes("/");
  const below = isAnchored ? pattern.replace(/^\//, "") : `**/${pattern}`;
  return [`${isNegated ? "!" : ""}/${literal(folder)}/${below}`];
}

/** A path in which no character has a meaning of its own. */
export function literal(path: string): string {
  return path.replace(/[\\*?[\]]/g, "\\$&");
}
