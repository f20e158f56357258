/** Checkouts: what is judged lies in a folder of its own, which nobody has had before and nobody has after. */
import { BEHIND, type Mount } from "../../ports/sandbox.ts";
import type { Workspaces } from "../../ports/workspaces.ts";
import type { HostGit } from "./host-git.ts";
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
  yardFor: (tree: string) => Promise<Yard>,
  turns: Turns,
): Pick<Workspaces, "compose" | "plant" | "checkout"> {
  return {
    async compose(run, composition) {
      const { vault } = await yardFor(composition.candidate);
      return composeTree(git, vault, run, { ...composition, project });
    },
    async plant(run, planting) {
      const { vault } = await yardFor(planting.base);
      return plantTree(git, vault, run, planting);
    },
    async checkout(place, tree) {
      const yard = await yardFor(tree);
      const wanted = await wantedFor(yard, place, tree, project);
      const slot = await checkOut(yard, place.run, wanted);
      return {
        folder: slot.tree,
        project,
        mounts: [objectsMount(wanted.footing)],
        remove: () => turns.take(slot.folder, () => discardSlot(yard, slot)),
      };
    },
  };
}

/** All that a private repository sees of the vault. */
export function objectsMount({ objects }: Footing): Mount {
  return { from: objects, to: BEHIND.objects, access: "read" };
}
