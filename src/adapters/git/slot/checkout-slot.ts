/** Makes a checkout: the files of a tree and nothing that a stage left. No state is written, so nobody takes it for a workspace. */
import { mkdir } from "node:fs/promises";
import type { RunId } from "../../../base/ids.ts";
import { storeFailure } from "../failures.ts";
import { formatOf } from "../vault/commit.ts";
import { recordFooting } from "../vault/footing.ts";
import type { Yard } from "../yard.ts";
import { fillSlot, type Wanted } from "./build-slot.ts";
import { discardSlot } from "./remove-slot.ts";
import { leftBehind, newCheckout, type Slot, writeShadow } from "./slot.ts";

export async function checkOut(yard: Yard, run: RunId, wanted: Wanted): Promise<Slot> {
  await clearLeft(yard, run);
  const slot = newCheckout(yard.dir, run);
  try {
    await yard.vault.uses.during(async () => {
      await yard.vault.treeOf(wanted.commit);
      await mkdir(slot.tree, { recursive: true, mode: 0o700 });
      await writeShadow(slot, formatOf(wanted.commit));
      await recordFooting(yard.vault, run, wanted.footing);
      // Never a working tree of the user's repository: that would be seen there.
      await fillSlot(yard, slot, { ...wanted, spec: { ...wanted.spec, kind: "clone" } }, []);
    });
    return slot;
  } catch (error) {
    await discardSlot(yard, slot).catch(() => undefined);
    throw storeFailure(error, slot.folder);
  }
}

/** What cannot be removed now is left to the next sweep: it is in nobody's way. */
export async function clearLeft(yard: Yard, run: RunId): Promise<void> {
  for (const slot of await leftBehind(yard.dir, run)) await discardSlot(yard, slot).catch(() => undefined);
}
