/** Saves what a workspace holds: as a tree when a tree can hold it, else as an archive of all its bytes. */
import { lstat } from "node:fs/promises";
import { isPawlError } from "../../../base/errors.ts";
import { SEALED_FILES, SEALED_FOLDERS } from "../../../plan/paths/sealed-names.ts";
import type { SaveLabel } from "../../../ports/workspaces.ts";
import type { Cell } from "../cell/cell.ts";
import { ARCHIVE, ARCHIVE_PRIVATE, RELINK, SALVAGE } from "../cell/scripts.ts";
import { gitFailure, isUnfit, unfit } from "../failures.ts";
import { interrupted, interruptible, isInterrupted, throwIfAborted } from "../interrupt.ts";
import { formatOf, isObjectId } from "../vault/commit.ts";
import type { Import, ReceivedPack } from "../vault/import-pack.ts";
import { messageOf, readySave, refFolder, runSlotCell, type Yard } from "../yard.ts";
import { tooLarge } from "./save-limits.ts";
import { bootId, readState, renewShadow, type Slot, type SlotState, writeState } from "./slot.ts";
import { clearUnsaved, markingUnsaved } from "./unsaved.ts";

const SAVING = "Saving the workspace";
const SEALED_NAMES = [...SEALED_FOLDERS, ...SEALED_FILES];

export interface Saved {
  readonly state: SlotState;
  /** Resolves when the workspace is at rest; until then nobody may have it. */
  readonly settled: Promise<void>;
}

/**
 * Resolves when what the workspace holds is in the vault. Rejects with WORKSPACE_TREE_UNFIT when a tree cannot hold it; the
 * folder is then as it was.
 */
export async function saveSlot(
  yard: Yard,
  slot: Slot,
  state: SlotState,
  label: SaveLabel,
  kind: "saved" | "left",
): Promise<Saved> {
  const { vault } = yard;
  const endUse = await vault.uses.begin();
  const imports: Import[] = [];
  const open = (): Import => {
    imports[0] ??= vault.startImport(false);
    return imports[0];
  };
  const tidy = async (): Promise<void> => {
    await Promise.all([...imports.map((incoming) => incoming.abandon()), endUse()]);
  };
  try {
    const ready = await readySave(yard, slot);
    if (yard.signal.aborted) await ready.discard();
    throwIfAborted(yard.signal, SAVING, keptIn(slot));
    const cell = ready.begin(state.tree, () => open().input, yard.signal);
    const commit = { parents: [state.commit], at: label.at, message: messageOf(slot, label) };
    const store = async (tree: string, pack: ReceivedPack | null): Promise<SlotState> => ({
      ...state,
      tree,
      commit: await vault.keep({ ...commit, tree }, pack, refFolder(slot, kind)),
    });
    const saved = await takeAnswer({ cell, slot, state }, store, () => open().finish()).catch(
      async (error: unknown) => {
        // When the cell itself has failed, that is the reason; what came of it here only follows.
        cell.tell(null);
        await cell.done;
        throw error;
      },
    );
    cell.tell("kept");
    const rest = { ...saved, rest: { boot: await bootId(), kept: false } };
    return { state: rest, settled: Promise.all([cell.done, tidy()]).then(() => settle(slot, rest)) };
  } catch (error) {
    await tidy();
    throwIfAborted(yard.signal, SAVING, keptIn(slot));
    if (isInterrupted(error)) throw interrupted(SAVING, "its processes were killed", keptIn(slot));
    throw error;
  }
}

function keptIn({ tree }: Slot): string {
  return `The files stay in ${tree}; what was saved before is kept.`;
}

async function settle(slot: Slot, state: SlotState): Promise<void> {
  await writeState(slot, state);
  await clearUnsaved(slot);
}

interface Saving {
  readonly cell: Cell;
  readonly slot: Slot;
  readonly state: SlotState;
}

async function takeAnswer(
  { cell, slot, state }: Saving,
  store: (tree: string, pack: ReceivedPack | null) => Promise<SlotState>,
  finish: () => Promise<ReceivedPack>,
): Promise<SlotState> {
  const answer = await cell.answer;
  if (answer === null) await cell.done;
  const { word, fields } = answer ?? { word: "", fields: [] };
  if (word === "unfit") throw unfit(fields.join(" "));
  if (word === "large") throw readTooLarge(fields, slot.tree);
  if (word === "same") return state;
  const [tree = ""] = fields;
  if (!isObjectId(tree)) throw gitFailure("saving a workspace", "the workspace", "fatal: the cell named no tree");
  return store(tree, word === "pack" ? await finish() : null);
}

/** What was found, what is allowed, each as bytes and files; then the largest. */
function readTooLarge([bytes, files, mostBytes, mostFiles, ...largest]: readonly string[], folder: string): Error {
  const found = { bytes: Number(bytes), files: Number(files) };
  return tooLarge(found, { bytes: Number(mostBytes), files: Number(mostFiles) }, largest, folder);
}

/** Makes sure that every byte of a workspace is in the vault. Resolves to what the host then knows; null: nothing but an archive. */
export function secureSlot(
  yard: Yard,
  slot: Slot,
  label: SaveLabel,
  kind: "saved" | "left",
): Promise<SlotState | null> {
  const what = { doing: SAVING, kept: keptIn(slot) };
  return markingUnsaved(slot, label, () => interruptible(yard.signal, what, () => secure(yard, slot, label, kind)));
}

async function secure(yard: Yard, slot: Slot, label: SaveLabel, kind: "saved" | "left"): Promise<SlotState | null> {
  const [tree, shadow] = await Promise.all([slot.tree, slot.shadow].map((path) => lstat(path).catch(() => null)));
  if (tree === null) return null;
  const state = await readState(slot);
  if (state === null || shadow === null) return archiveSlot(yard, slot, null, label);
  if (state.rest?.boot === (await bootId())) return state;
  try {
    await putLinksBack(yard, slot);
    const { state: saved, settled } = await saveSlot(yard, slot, state, label, kind);
    await settled;
    return saved;
  } catch (error) {
    if (!isUnfit(error) && !isGitTrouble(error)) throw error;
    return archiveSlot(yard, slot, state, label);
  }
}

async function putLinksBack(yard: Yard, slot: Slot): Promise<void> {
  const env = { NAMES: SEALED_NAMES.map((name) => name.replaceAll(".", "\\.")).join("|") };
  await runSlotCell(yard, slot, { doing: "putting links back", script: RELINK, env });
}

function isGitTrouble(error: unknown): boolean {
  return isPawlError(error) && error.code === "WORKSPACE_GIT_FAILED";
}

/** Archives what a tree cannot hold. Resolves to what the host then knows. */
export async function archiveSlot(
  yard: Yard,
  slot: Slot,
  state: SlotState | null,
  label: SaveLabel,
): Promise<SlotState | null> {
  try {
    if (state === null) throw gitFailure("reading the state of a workspace", slot.folder, "");
    await take(yard, slot, label, { script: ARCHIVE, kind: "kept", env: { LAST: state.tree, WHOLE: "" } });
  } catch (error) {
    if (!isGitTrouble(error)) throw error;
    await renewShadow(slot, await formatIn(yard, slot));
    await take(yard, slot, label, { script: ARCHIVE, kind: "kept", env: { LAST: "", WHOLE: "yes" } });
  }
  if (state === null) return null;
  const kept = { ...state, rest: { boot: await bootId(), kept: true } };
  await settle(slot, kept);
  return kept;
}

async function formatIn(yard: Yard, slot: Slot): Promise<"sha1" | "sha256"> {
  const base = await yard.vault.refs.read(`refs/pawl/${slot.run}/base`);
  return base === null ? "sha1" : formatOf(base);
}

/** Saves what the stages have put into the private repository: its commits, stashes and loose ends. */
export async function salvagePrivate(yard: Yard, slot: Slot, label: SaveLabel): Promise<void> {
  try {
    await take(yard, slot, label, { script: SALVAGE, kind: "salvage", env: {} });
  } catch (error) {
    if (!isUnfit(error) && !isGitTrouble(error)) throw error;
    await take(yard, slot, label, { script: ARCHIVE_PRIVATE, kind: "kept", env: {} });
  }
}

interface Keeping {
  readonly script: string;
  readonly kind: "kept" | "salvage";
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a script that sends a tree of its own, and keeps it. */
async function take(yard: Yard, slot: Slot, label: SaveLabel, { script, kind, env }: Keeping): Promise<void> {
  const { vault } = yard;
  await vault.uses.during(async () => {
    const incoming = vault.startImport(false);
    try {
      const doing = "keeping what a workspace holds";
      const { word, fields } = await runSlotCell(yard, slot, { doing, script, env, pack: () => incoming });
      if (word === "none") return;
      const [tree = "", ...tips] = fields;
      const pack = await incoming.finish();
      const isWhole =
        isObjectId(tree) && (await Promise.all(tips.map((tip) => isObjectId(tip) && pack.has(tip)))).every(Boolean);
      if (!isWhole) throw gitFailure(doing, slot.folder, "fatal: the cell sent another tree than it named");
      await vault.keep(
        { tree, parents: tips, at: label.at, message: messageOf(slot, label) },
        pack,
        refFolder(slot, kind),
      );
    } finally {
      await incoming.abandon();
    }
  });
}
