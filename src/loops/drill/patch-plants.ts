/** Patches that people gave: changes that they know to be bad. Each applies exactly, or not at all. */
import { type PatchHunk, type PatchSection, readPatch } from "../../gates/shown/read-patch.ts";
import type { Draft, Drafts, PlantedFile, Untried } from "./plant.ts";
import type { Texts } from "./project-files.ts";

export interface GivenPatch {
  readonly name: string;
  readonly text: string;
}

export function patchPlants(texts: Texts, patches: readonly GivenPatch[], hasMetric: boolean): Drafts {
  const kind = hasMetric ? "regressed_metric" : "given_patch";
  const drafts: Draft[] = [];
  const untried: Untried[] = [];
  for (const { name, text } of patches) {
    const files = applied(texts, text);
    if (typeof files === "string") untried.push({ what: name, why: files });
    else drafts.push({ kind, files, why: name });
  }
  if (hasMetric && drafts.length === 0)
    untried.push({ what: kind, why: "nobody gave a patch: put one into drills/*.patch, or name it with --patch" });
  return { drafts, untried };
}

/** Paths that a patch changes. It counts them from the top of the tree, as git does. */
export function patchedPaths(text: string): readonly string[] {
  const sections = readPatch(new TextEncoder().encode(text)) ?? [];
  return sections.flatMap(({ head }) => [nameIn(head, "--- a/"), nameIn(head, "+++ b/")].flatMap((name) => name ?? []));
}

/** Or why it does not apply. */
function applied(texts: Texts, text: string): readonly PlantedFile[] | string {
  const sections = readPatch(new TextEncoder().encode(text)) ?? [];
  const files: PlantedFile[] = [];
  for (const section of sections) {
    const changed = appliedTo(texts, section);
    if (typeof changed === "string") return changed;
    files.push(...changed);
  }
  return files.length === 0 ? "it is no patch as git writes it" : files;
}

function appliedTo(texts: Texts, { head, hunks }: PatchSection): readonly PlantedFile[] | string {
  const [from, to] = [nameIn(head, "--- a/"), nameIn(head, "+++ b/")];
  const name = to ?? from;
  if (hunks.length === 0 || name === null) return "it changes something else than the text of files";
  const old = from === null ? "" : texts.get(from);
  const text = old === undefined ? null : patched(old, hunks);
  if (text === null) return `it does not apply to ${name}`;
  const gone = from === null || from === to ? [] : [{ path: from, text: null }];
  return to === null ? gone : [...gone, { path: to, text }];
}

function nameIn(head: readonly string[], mark: string): string | null {
  return head.find((line) => line.startsWith(mark))?.slice(mark.length) ?? null;
}

/** null: a line is not as the patch says. */
function patched(text: string, hunks: readonly PatchHunk[]): string | null {
  const old = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const lines: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const from = beginOf(hunk);
    const { before, after } = sidesOf(hunk);
    if (before.some((line, index) => old[from + index] !== line)) return null;
    lines.push(...old.slice(at, from), ...after);
    at = from + before.length;
  }
  return [...lines, ...old.slice(at)].map((line) => `${line}\n`).join("");
}

const decoder = new TextDecoder();

/** How many lines lie before it. */
function beginOf({ head }: PatchHunk): number {
  // A hunk is one only with its numbers.
  const [, begin, count] = /^@@ -(\d+)(?:,(\d+))?/.exec(decoder.decode(head)) as RegExpExecArray;
  return count === "0" ? Number(begin) : Number(begin) - 1;
}

function sidesOf({ lines }: PatchHunk): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const side = (marks: string): readonly string[] =>
    lines.filter(({ mark }) => marks.includes(mark)).map(({ bytes }) => decoder.decode(bytes));
  return { before: side(" -"), after: side(" +") };
}
