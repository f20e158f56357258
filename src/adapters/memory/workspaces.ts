/** Workspaces in memory, under the same contract: for tests, simulations and runs that leave nothing behind. */
import { sha256 } from "../../base/digest.ts";
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { WORKSPACE_ERRORS } from "../../ports/errors/workspace-errors.ts";
import type { TreeReader } from "../../ports/trees.ts";
import type { Place, SaveLabel, Workspaces } from "../../ports/workspaces.ts";
import { createMemoryCheckouts, type Files } from "./checkouts.ts";
import { createMemoryTreeReader } from "./tree-reader.ts";

export type { Files };

export interface MemoryWorkspaces extends Workspaces, TreeReader {
  /** The files of the project as they lie there; those it was made with are its commit. */
  readonly project: Files;
  /** What a workspace holds; whoever plays a stage changes it. undefined: there is none at this folder. */
  files(folder: string): Files | undefined;
  /** What was saved under this id. */
  tree(id: string): ReadonlyMap<string, string> | undefined;
}

interface Held {
  readonly run: RunId;
  readonly files: Files;
  /** The tree it held when it was last looked at. */
  tree: string;
}

/** Nothing here takes time, so nothing is left unsaved for long, and a tree can hold all of it. */
const NOTHING_LEFT: Pick<Workspaces, "unsaved" | "archives"> = { unsaved: async () => [], archives: async () => [] };

/** `committed`: the files that a new run starts from. Hosts that share the object see the same workspaces. */
export function createMemoryWorkspaces(committed: Readonly<Record<string, string>> = {}): MemoryWorkspaces {
  const head: ReadonlyMap<string, string> = new Map(Object.entries(committed));
  const project: Files = new Map(head);
  const saved = new Map<string, ReadonlyMap<string, string>>();
  const workspaces = new Map<string, Held>();

  const keep = (files: ReadonlyMap<string, string>, parent: string | null, about: string): string => {
    const id = sha256(JSON.stringify([parent, about, contentOf(files)])).slice(0, 40);
    saved.set(id, new Map(files));
    return id;
  };
  const find = (tree: string): ReadonlyMap<string, string> => {
    const files = saved.get(tree);
    if (files === undefined) throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_MISSING", { tree: tree.slice(0, 80) });
    return files;
  };
  const { files: inCheckout, leave: leaveCheckouts, ...checkouts } = createMemoryCheckouts({ find, keep });
  const save = (held: Held, { stage, attempt, at }: SaveLabel): string => {
    if (!isSame(held.files, find(held.tree))) held.tree = keep(held.files, held.tree, `${stage} ${attempt} ${at}`);
    return held.tree;
  };
  const remove = (folder: string, label: SaveLabel): void => {
    const held = workspaces.get(folder);
    if (held !== undefined) save(held, label);
    workspaces.delete(folder);
  };

  return {
    ...createMemoryTreeReader(find),
    files: (folder) => workspaces.get(folder)?.files ?? inCheckout(folder),
    tree: (id) => saved.get(id),
    project,
    base: async ({ from }) => keep(from === "head" ? head : project, null, "base"),
    uncommitted: async () => differing(head, project),
    keep: async (_run, tree) => void find(tree),
    async enter(place, tree, label, signal) {
      endIfAborted(signal);
      const files = find(tree);
      const folder = folderOf(place);
      const held = workspaces.get(folder) ?? { run: place.run, files: new Map(files), tree };
      workspaces.set(folder, held);
      save(held, label);
      held.files.clear();
      for (const [path, text] of files) held.files.set(path, text);
      held.tree = tree;
      return {
        folder,
        project: "",
        mounts: [],
        save: async (next, until) => {
          endIfAborted(until);
          return save(held, next);
        },
        content: () => contentOf(find(held.tree)),
        remove: async (next) => remove(folder, next),
      };
    },
    async salvage(place, label, signal) {
      endIfAborted(signal);
      const held = workspaces.get(folderOf(place));
      return held === undefined ? null : save(held, label);
    },
    ...checkouts,
    ...NOTHING_LEFT,
    async leave(run, at) {
      leaveCheckouts(run);
      for (const [folder, held] of [...workspaces])
        if (held.run === run) remove(folder, { stage: "end of the run", attempt: 0, at });
    },
  };
}

function endIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  const data = { doing: "Work on a workspace", why: String(signal.reason), kept: "Everything saved before is kept." };
  throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_INTERRUPTED", data);
}

function differing(head: ReadonlyMap<string, string>, project: Files): readonly string[] {
  const paths = new Set([...head.keys(), ...project.keys()]);
  return [...paths].filter((path) => head.get(path) !== project.get(path)).sort();
}

function contentOf(files: ReadonlyMap<string, string>): string {
  return sha256(JSON.stringify([...files].sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 40);
}

function folderOf({ run, member }: Place): string {
  return `memory:${run}/${member ?? ""}`;
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);
}
