/** `generate_diff_report`: everything the run has changed since it started, as a patch and in figures. */
import { isUtf8 } from "node:buffer";
import { visible } from "../../base/visible.ts";
import { type ChangedEntry, changedEntries, type LineCounts, lineCounts, patchBetween } from "./repository/changes.ts";
import { baseOf, commitFacts } from "./repository/commits.ts";
import type { Scope, Spec } from "./scope.ts";

/** So many files are named in the output; the patch has all. */
const MOST_NAMED = 1000;

export function diffSpec({ git, root, artifacts }: Scope): Spec {
  return {
    name: "generate_diff_report",
    summary: "Stores what the run has changed since it started as the artifact `diff`, and returns its figures.",
    effect: "idempotent",
    level: "L0",
    writes: false,
    input: {},
    async perform(_input, _context, snapshot) {
      const base = await baseOf(git, snapshot.id, root);
      const from = (await commitFacts(git.project, base))?.tree ?? base;
      const entries = await changedEntries(git.vault, from, snapshot.tree);
      const counts = await lineCounts(git.vault, from, snapshot.tree);
      const diff = await artifacts.put(await patchBetween(git.vault, from, snapshot.tree));
      const output = {
        base,
        files: entries.length,
        added: sum(counts.map(({ added }) => added)),
        removed: sum(counts.map(({ removed }) => removed)),
        changes: entries.slice(0, MOST_NAMED).map((entry, index) => changeOf(entry, counts[index])),
      };
      return { ok: true, output, artifacts: { diff } };
    },
  };
}

function changeOf({ status, path, oldPath, oldMode, newMode }: ChangedEntry, counts: LineCounts | undefined) {
  const modes = oldMode === newMode ? {} : { oldMode, newMode };
  const from = oldPath === null ? {} : { from: nameOf(oldPath) };
  return {
    status,
    path: nameOf(path),
    ...from,
    ...modes,
    added: counts?.added ?? null,
    removed: counts?.removed ?? null,
  };
}

/** A path as people read it; bytes that are no text are shown as such. */
function nameOf(path: string): string {
  const bytes = Buffer.from(path, "latin1");
  if (isUtf8(bytes)) return visible(bytes.toString());
  return path.replace(/[^\x20-\x7e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function sum(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((total, count) => total + (count ?? 0), 0);
}
