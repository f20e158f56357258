/** Removes what is kept of a run that no journal mentions. Nothing else in Pawl does, because it may be the only copy of its work. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Store } from "../../ports/store/store.ts";
import type { Workspaces } from "../../ports/workspaces.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import type { SweepParts } from "../sweep.ts";

export interface DiscardParts extends Pick<SweepParts, "executor" | "agentHomes" | "clock"> {
  readonly workspaces: Pick<Workspaces, "leave" | "drop">;
}

export async function discard(
  { workspaces, executor, agentHomes, clock }: DiscardParts,
  { runs }: Pick<Store, "runs">,
  run: RunId,
): Promise<void> {
  if ((await runs.get(run)) !== undefined) throw pawlError(RUN_ERRORS, "RUN_MENTIONED", { run });
  await workspaces.leave(run, clock.now());
  await workspaces.drop(run);
  for (const part of [executor, agentHomes]) await part.leave(run);
}
