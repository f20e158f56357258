/** Checkouts: what is judged lies in a folder of its own, which nobody has had before and nobody has after. */
import { BEHIND, type Mount } from "../../ports/sandbox.ts";
import type { Workspaces } from "../../ports/workspaces.ts";
import type { HostGit } from "./host-git.ts";
import { interruptible, NEVER } from "./interrupt.ts";
import { wantedFor } from "./slot/build-slot.ts";
import { checkOut } from "./slot/checkout-slot.ts";
import { discardSlot } from "./slot/remove-slot.ts";
import { composeTree } from "./trees/compose.ts";
import { plantTree } from "./trees/plant.ts";
import type { Turns } from "./turns.ts";
import type { Footing } from "./vault/footing.ts";
import type { Yard } from "./yard.ts";

/** `yardFor` rejects when nothing was ever saved. */
export function createCheckouts(
  git: HostGit,
  project: string,
  yardFor: (tree: string, signal?: AbortSignal) => Promise<Yard>,
  turns: Turns,
): Pick<Workspaces, "compose" | "plant" | "checkout"> {
  return {
    compose: (run, composition, signal = NEVER) =>
      interruptible(signal, { doing: "Putting the judged tree together" }, async () => {
        const { vault, git: bound } = await yardFor(composition.candidate, signal);
        return composeTree(bound, vault, run, { ...composition, project });
      }),
    async plant(run, planting) {
      const { vault } = await yardFor(planting.base);
      return plantTree(git, vault, run, planting);
    },
    checkout: (place, tree, signal = NEVER) =>
      interruptible(signal, { doing: "Making a checkout" }, async () => {
        const yard = await yardFor(tree, signal);
        const wanted = await wantedFor(yard, place, tree, project);
        const slot = await checkOut(yard, place.run, wanted);
        return {
          folder: slot.tree,
          project,
          mounts: [objectsMount(wanted.footing)],
          // What is cut off is left to the next checkout or sweep: it is in nobody's way.
          remove: (_label, until) => turns.take(slot.folder, async () => discardSlot(await yardFor(tree, until), slot)),
        };
      }),
  };
}

/** All that a private repository sees of the vault. */
export function objectsMount({ objects }: Footing): Mount {
  return { from: objects, to: BEHIND.objects, access: "read" };
}
