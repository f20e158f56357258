/** What was under way when the last host was lost. Its processes are ended, and what they left is saved, before anything is decided. */
import { isPawlError } from "../base/errors.ts";
import { effectKey } from "../base/ids.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { Place, SaveLabel } from "../ports/workspaces.ts";
import type { Lane } from "../run/state.ts";
import type { Landing } from "./aftermath.ts";
import type { Halt } from "./control/halt.ts";
import { openTimeBox } from "./control/time-box.ts";
import type { Restored } from "./hosting.ts";
import { attemptKey, mayCallModels } from "./models.ts";
import { settleLoss } from "./pay/fund.ts";
import { canWrite, placeOf } from "./place.ts";

const UNSAVED: ReadonlySet<string> = new Set(["WORKSPACE_INTERRUPTED", "WORKSPACE_TOO_LARGE"]);

type RecoverPorts = Pick<KernelPorts, "executor" | "workspaces" | "clock" | "models">;

/** `halt`: the run is to end, and saving ends with it; or its host leaves. Rejects then, and nothing is recorded. */
export async function recover(restored: Restored, ports: RecoverPorts, halt: Halt): Promise<readonly Landing[]> {
  const { state } = restored;
  if (state.status !== "running") return [];
  const facts: Landing[] = [{ fact: { type: "run.resumed", after: "interruption" } }];
  const isMember = state.progress.group !== null;
  for (const lane of state.progress.lanes.values())
    if (lane.status === "running") facts.push(await recordLoss(restored, lane, isMember, { ...ports, halt }));
  return facts;
}

async function recordLoss(
  { run, plan, purse }: Restored,
  { path: stage, leaf, visit, attempts: attempt, tree }: Lane,
  isMember: boolean,
  ports: RecoverPorts & { readonly halt: Halt },
): Promise<Landing> {
  const lost = { type: "stage.interrupted", stage, attempt } as const;
  // A child run is recovered by its own host, under its own keys.
  if (leaf.kind === "run") return { fact: lost };
  const key = attemptKey({ run, stage, visit, attempt });
  const charged = purse === undefined ? null : await settleLoss(purse, leaf, key, ports.clock.now());
  await ports.executor.reap(effectKey(run, stage, visit));
  const log = await ports.executor.salvage({ run, stage, attempt });
  const place = placeOf(plan, { run, member: isMember ? stage : null, tree, leaf });
  const label = { stage, attempt, at: ports.clock.now() };
  const left = place === null || !canWrite(leaf) ? null : await salvage(place, leaf.timeoutMs, label, ports);
  // Its calls may have been billed: what is known of them is charged, and the most of what is not.
  const isKnown = mayCallModels(leaf) && ports.models !== undefined;
  const use = isKnown ? await ports.models.reconcile(key) : null;
  return {
    fact: {
      ...lost,
      ...(left === null ? {} : { tree: left }),
      ...(log === null ? {} : { log }),
      ...(charged === null ? {} : { usage: charged }),
      ...(use === null ? {} : { usage: use.usage, turns: use.calls }),
    },
    clear: () => ports.executor.forget({ run, stage, attempt }),
  };
}

/** null: there is no workspace, or it could not be saved in the time of its stage, or in that which an end of the run leaves. */
async function salvage(
  place: Place,
  timeoutMs: number,
  label: SaveLabel,
  { workspaces, clock, halt }: RecoverPorts & { readonly halt: Halt },
): Promise<string | null> {
  const box = openTimeBox(timeoutMs, clock, halt);
  try {
    return await workspaces.salvage(place, label, box.signal);
  } catch (error) {
    // What is too large, or takes too long, is left to the attempt that finds it, or to `pawl gc` if the run ends.
    if (!isPawlError(error) || !UNSAVED.has(error.code) || halt.reason() === "drain") throw error;
    return null;
  } finally {
    box.close();
  }
}
