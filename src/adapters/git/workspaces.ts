/**
 * Workspaces as private clones in folders of their own. Laws: no git on the host reads what a stage could write; whatever
 * touches a workspace runs behind the wall; a workspace is removed when every byte of it is in the vault.
 */
import { rmdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { WorkspaceSpec } from "../../blueprint/blueprint.ts";
import { WORKSPACE_ERRORS } from "../../ports/errors/workspace-errors.ts";
import type { Mount, Sandbox } from "../../ports/sandbox.ts";
import type { Trees } from "../../ports/trees.ts";
import type { Place, SaveLabel, UnsavedWorkspace, Workspace, Workspaces } from "../../ports/workspaces.ts";
import { createWaitingCells } from "./cell/waiting-cells.ts";
import { createCheckouts, objectsMount } from "./checkouts.ts";
import { gitFailure } from "./failures.ts";
import { createHostGit, STANDARD_PATH } from "./host-git.ts";
import { interruptible, NEVER } from "./interrupt.ts";
import { inspectProject } from "./project/project.ts";
import { createStarts } from "./project/starts.ts";
import { labelOfEnd, listArchives } from "./saved/archives.ts";
import { wantedFor } from "./slot/build-slot.ts";
import { enterSlot } from "./slot/enter-slot.ts";
import { recordOrigin } from "./slot/origin.ts";
import { removeSlot } from "./slot/remove-slot.ts";
import { writeLimits } from "./slot/save-limits.ts";
import { saveSlot, secureSlot } from "./slot/save-slot.ts";
import { readState, type Slot, slotOf, slotsOf } from "./slot/slot.ts";
import { markingUnsaved, readUnsaved } from "./slot/unsaved.ts";
import { dropRun, type Left, sweepVault } from "./sweep.ts";
import { createTreeReader } from "./trees/tree-reader.ts";
import { createTurns, type Turns } from "./turns.ts";
import { createTreeCheck } from "./vault/check-trees.ts";
import { type Footing, findFooting, recordFooting } from "./vault/footing.ts";
import { openVault, type Vault } from "./vault/vault.ts";
import { prepareSave, type Yard } from "./yard.ts";

export interface GitWorkspacesOptions {
  /** The top of the user's repository. Absolute. */
  readonly root: string;
  /** Where in the repository the project lies; without it, the whole of it is the project. */
  readonly project?: string;
  /** Where workspaces lie; on the same disk as the vault. Absolute. */
  readonly dir: string;
  readonly vault: string;
  readonly sandbox: Sandbox;
  readonly gitProgram?: string;
  /** Where programs of the host are searched. */
  readonly path?: string;
}

export interface GitWorkspaces extends Workspaces, Trees {
  /** Runs work during which nothing is removed from the vault. */
  hold<T>(work: () => Promise<T>): Promise<T>;
}

export function createGitWorkspaces(options: GitWorkspacesOptions): GitWorkspaces {
  const { root, dir, sandbox, project = "" } = options;
  const program = options.gitProgram ?? "git";
  const home = homedir();
  const git = createHostGit({ program, path: options.path ?? STANDARD_PATH, home });
  const turns = createTurns();
  const waiting = createWaitingCells();
  const starts = createStarts({ git, root, project, home, vaultDir: options.vault });

  const findYard = async (signal = NEVER): Promise<Yard | null> => {
    const bound = signal === NEVER ? git : git.under(signal);
    const vault = await openVault(bound, options.vault);
    return vault === null ? null : { root, dir, home, git: bound, sandbox, vault, waiting, signal };
  };
  const yardFor = async (tree: string, signal?: AbortSignal): Promise<Yard> => {
    const yard = await findYard(signal);
    if (yard === null) throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_MISSING", { tree: tree.slice(0, 80) });
    return yard;
  };
  const vaultFor = async (tree: string): Promise<Vault> => (await yardFor(tree)).vault;

  const leaveRun = (yard: Yard, run: RunId, at: number, isLast: boolean): Promise<Left> =>
    turns.take(run, () => removeAll(yard, turns, run, { at, isLast }));

  return {
    base: (spec, at, signal) => turns.take("base", () => starts.base(spec, at, signal)),
    uncommitted: starts.uncommitted,
    keep: async (run, tree, parent) => keepStart(await vaultFor(tree), run, tree, parent),
    enter: (place, tree, label, signal = NEVER) =>
      interruptible(signal, { doing: "Making the workspace ready" }, async () => {
        const slot = slotOf(dir, place.run, place.member);
        const yard = await yardFor(tree, signal);
        const wanted = await wantedFor(yard, place, tree, project);
        await turns.take(slot.folder, async () => {
          await enterSlot(yard, slot, wanted, label);
          prepareSave(yard, slot);
        });
        const mounts = await mountsOf(yard, place, wanted.footing);
        return { ...workspaceOf((next) => yardFor(tree, next), slot, mounts, turns), project };
      }),
    async salvage(place, label, signal) {
      const slot = slotOf(dir, place.run, place.member);
      const yard = await findYard(signal);
      return yard === null ? null : turns.take(slot.folder, () => salvageSlot(yard, slot, place.spec, label));
    },
    async drop(run) {
      const yard = await findYard();
      if (yard !== null) await dropRun(yard.vault, run);
    },
    async leave(run, at, signal) {
      const yard = await findYard(signal);
      if (yard !== null) await leaveRun(yard, run, at, false);
    },
    unsaved: (run) => unsavedOf(dir, run),
    archives: async (run) => listArchives((await findYard())?.vault, run),
    ...createCheckouts(git, project, yardFor, turns),
    ...createTreeReader(git, project, vaultFor),
    ...createTreeCheck(git, () => openVault(git, options.vault)),
    async hold(work) {
      const yard = await findYard();
      return yard === null ? work() : yard.vault.uses.during(work);
    },
    vault: async () => ({ path: options.vault, isThere: (await openVault(git, options.vault)) !== null }),
    async sweep(request) {
      const yard = await findYard();
      return sweepVault({ git, dir, vaultDir: options.vault, yard }, request, (run) =>
        yard === null ? Promise.resolve({ removed: 0, unsaved: 0 }) : leaveRun(yard, run, request.at, true),
      );
    },
  };
}

/** `isLast`: also what could not be saved in time is saved now, however long that takes. */
async function removeAll(
  yard: Yard,
  turns: Turns,
  run: RunId,
  { at, isLast }: { readonly at: number; readonly isLast: boolean },
): Promise<Left> {
  const left = { removed: 0, unsaved: 0 };
  const label = labelOfEnd(at);
  for (const slot of await slotsOf(yard.dir, run)) {
    const mark = await readUnsaved(slot);
    const isLeft = mark !== null && (mark.why === "too_large" || !isLast);
    if (!isLeft) await turns.take(slot.folder, () => removeSlot(yard, slot, label));
    left[isLeft ? "unsaved" : "removed"] += 1;
  }
  await rmdir(join(yard.dir, run)).catch(() => undefined);
  return left;
}

async function unsavedOf(dir: string, run: RunId): Promise<readonly UnsavedWorkspace[]> {
  const slots = await slotsOf(dir, run);
  const marks = await Promise.all(slots.map(readUnsaved));
  return slots.flatMap(({ tree: folder }, at) => {
    const mark = marks[at] ?? null;
    return mark === null ? [] : [{ folder, ...mark }];
  });
}

async function salvageSlot(yard: Yard, slot: Slot, spec: WorkspaceSpec, label: SaveLabel): Promise<string | null> {
  if ((await readState(slot)) === null) return null;
  await writeLimits(slot, spec);
  const state = await secureSlot(yard, slot, label, "saved");
  return state === null || state.rest?.kept === true ? null : state.commit;
}

async function keepStart(vault: Vault, run: RunId, tree: string, parent: RunId | undefined): Promise<void> {
  await vault.uses.during(async () => {
    await vault.treeOf(tree);
    await recordFooting(vault, run, await findFooting(vault, run, tree));
    if (parent !== undefined) await recordOrigin(vault, run, tree, parent);
    await (await vault.refs.prepare(tree)).put(`refs/pawl/${run}/start`);
  });
}

function workspaceOf(
  yardUnder: (signal: AbortSignal | undefined) => Promise<Yard>,
  slot: Slot,
  mounts: readonly Mount[],
  turns: Turns,
): Omit<Workspace, "project"> {
  let content = "";
  return {
    folder: slot.tree,
    mounts,
    save: (label, signal) =>
      turns.takeEarly(slot.folder, async () => {
        const state = await readState(slot);
        if (state === null) throw gitFailure("saving a workspace", slot.folder, "fatal: its state is damaged");
        const yard = await yardUnder(signal);
        const { state: saved, settled } = await markingUnsaved(slot, label, () =>
          saveSlot(yard, slot, state, label, "saved"),
        );
        content = saved.tree;
        return { value: saved.commit, settled };
      }),
    content: () => content,
    remove: (label, signal) => turns.take(slot.folder, async () => removeSlot(await yardUnder(signal), slot, label)),
  };
}

async function mountsOf(yard: Yard, place: Place, footing: Footing): Promise<readonly Mount[]> {
  if (place.spec.kind !== "worktree") return [objectsMount(footing)];
  const { commonDir } = await inspectProject(yard.git, yard.root, yard.home);
  return [{ from: commonDir, to: commonDir, access: "read" }];
}
