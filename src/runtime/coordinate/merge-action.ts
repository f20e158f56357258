/** `merge.queue`: hands the change of the run in. It is merged when its gates have passed it together with what was merged meanwhile. */
import { isPawlError } from "../../base/errors.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { Action } from "../../ports/actions.ts";
import type { Coordination } from "./coordination.ts";

/** `open`: asked when a run comes to such a stage, and not before. */
export function createMergeAction(open: () => Promise<Pick<Coordination, "queue">>): Action {
  return {
    name: "merge.queue",
    summary:
      "Hands the commits of the run in: they are merged as one when the gates pass them with what was merged meanwhile.",
    effect: "keyed",
    cost: NO_USAGE,
    level: "L3",
    usesTree: true,
    writes: true,
    input: {
      into: { required: true, summary: "The branch of yours, such as main." },
      branch: { required: false, summary: "The branch to merge; without it, pawl/<run>." },
      priority: { required: false, summary: "Higher ones are merged first; that of the loop in pawl.yaml, else 0." },
    },
    async perform(input, context) {
      try {
        return await (await open()).queue(input, context);
      } catch (error) {
        if (isPawlError(error)) return { ok: false, error: error.message };
        throw error;
      }
    },
  };
}
