/** What is judged, in memory: trees with the protected paths of their base, and checkouts of them that are thrown away. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { compileProtection, type IsProtected, restoredPaths } from "../../gates/protected-paths.ts";
import { WORKSPACE_ERRORS } from "../../ports/errors/workspace-errors.ts";
import type { Workspaces } from "../../ports/workspaces.ts";

/** By path. */
export type Files = Map<string, string>;
type Tree = ReadonlyMap<string, string>;

export interface MemoryCheckouts extends Pick<Workspaces, "compose" | "plant" | "checkout" | "drop"> {
  files(folder: string): Files | undefined;
  leave(run: RunId): void;
}

interface Trees {
  /** Throws when it is not there. */
  find(tree: string): Tree;
  keep(files: Tree, parent: string, about: string): string;
}

export function createMemoryCheckouts({ find, keep }: Trees): MemoryCheckouts {
  const checkouts = new Map<string, { readonly run: RunId; readonly files: Files }>();
  // The globs of a plan are frozen with it, so they are read once.
  const known = new WeakMap<readonly string[], IsProtected>();
  const protectionOf = (globs: readonly string[]): IsProtected => {
    const protection = known.get(globs) ?? compileProtection(globs, "");
    if (Object.isFrozen(globs)) known.set(globs, protection);
    return protection;
  };
  let made = 0;
  return {
    files: (folder) => checkouts.get(folder)?.files,
    leave(run) {
      for (const [folder, checkout] of [...checkouts]) if (checkout.run === run) checkouts.delete(folder);
    },
    async compose(run, { candidate, base, protect, at }) {
      const files = composed(find(candidate), find(base), protectionOf(protect));
      return files === null ? candidate : keep(files, candidate, `judged in ${run} at ${at}`);
    },
    async plant(run, { base, files, at }) {
      const planted = new Map(find(base));
      for (const { path, text } of files) {
        if (/^$|\0|(^|\/)(\.{0,2}|\.git)(\/|$)/i.test(path))
          throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_UNFIT", {
            problem: `no tree can hold ${JSON.stringify(path)}`,
          });
        if (text === null) planted.delete(path);
        else planted.set(path, text);
      }
      return keep(planted, base, `planted in ${run} at ${at}`);
    },
    // Trees are all that memory has; they go with it.
    drop: async () => undefined,
    async checkout({ run }, tree) {
      const files = new Map(find(tree));
      made += 1;
      const folder = `memory:${run}/checkout ${made}`;
      checkouts.set(folder, { run, files });
      return { folder, project: "", mounts: [], remove: async () => void checkouts.delete(folder) };
    },
  };
}

/** null: nothing protected differs. */
function composed(candidate: Tree, base: Tree, isProtected: IsProtected): Tree | null {
  const paths = [...new Set([...candidate.keys(), ...base.keys()])];
  const kindIn = (tree: Tree, path: string) => (tree.has(path) ? ("file" as const) : null);
  const differences = paths
    .filter((path) => candidate.get(path) !== base.get(path))
    .map((path) => ({ path, candidate: kindIn(candidate, path), base: kindIn(base, path) }));
  const restored = restoredPaths(differences, isProtected);
  if (restored.size === 0) return null;
  const kept = [...candidate].filter(([path]) => !restored.has(path));
  return new Map([...kept, ...[...base].filter(([path]) => restored.has(path))]);
}
