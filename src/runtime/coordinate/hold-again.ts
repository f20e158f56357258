/** Paths for a run that goes on: asked for again, as the loop that it is of. */
import type { RunId } from "../../base/ids.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import type { Coordinator, LetIn } from "../../loops/coordinate/coordinator.ts";
import type { Store } from "../../ports/store/store.ts";
import { isTerminal } from "../../run/reasons.ts";
import { loadProject } from "../loops/load-project.ts";
import type { Wanted } from "./admission.ts";
import type { HoldWatch } from "./hold-by-hand.ts";

export interface HeldAgain {
  /** null: the run is of none that changes paths. */
  readonly loop: string | null;
  leave(): Promise<void>;
}

export const HELD_NOTHING: HeldAgain = { loop: null, leave: async () => undefined };

interface AgainParts {
  readonly root: string;
  readonly coordinator: Pick<Coordinator, "letIn">;
  readonly open: () => Promise<{ readonly store: Store }>;
  holdAs(loop: string, run: RunId, wanted: Wanted, watch: HoldWatch): Promise<(() => Promise<void>) | null>;
}

/** What a run that goes on needs, as the loop that it is of. */
export interface Again {
  readonly loop: string;
  readonly wanted: Wanted;
}

/** null: the run is of no loop that changes paths. `of`: the run that it was forked from. */
export async function againOf(
  { root, coordinator, open }: Pick<AgainParts, "root" | "coordinator" | "open">,
  run: RunId,
  of = run,
): Promise<Again | null> {
  const known = await coordinator.letIn(of);
  const letIn = known ?? (of === run ? null : await namesake(root, (await open()).store, of));
  if (letIn === null) return null;
  const { priority, paths } = (await loopNamed(root, letIn.loop)) ?? letIn;
  // That it may propose something was said when it began.
  return { loop: letIn.loop, wanted: { level: letIn.level, priority, paths, maxOpen: null } };
}

export async function holdAgain(parts: AgainParts, run: RunId, watch: HoldWatch, of = run): Promise<HeldAgain | null> {
  const again = await againOf(parts, run, of);
  if (again === null) return HELD_NOTHING;
  const leave = await parts.holdAs(again.loop, run, again.wanted, watch);
  return leave && { loop: again.loop, leave };
}

async function loopNamed(root: string, name: string): Promise<Loop | undefined> {
  const { file } = await loadProject(root);
  return file?.ok === true ? file.value.loops.find((loop) => loop.name === name) : undefined;
}

/** The loop that has the name of the blueprint of a run which is over: what that was let in with is forgotten. */
async function namesake(root: string, { runs, journal }: Store, run: RunId): Promise<LetIn | null> {
  const row = await runs.get(run);
  const plan = row === undefined ? undefined : await journal.plan(row.plan);
  const loop = plan === undefined ? undefined : await loopNamed(root, plan.name);
  return plan === undefined || loop === undefined ? null : { ...loop, loop: loop.name, level: plan.level };
}

const MOST_FORGOTTEN = 200;

/** Nobody goes on with a run that is over, whoever ended it. */
export async function forgetOver(
  { runs }: Pick<Store, "runs">,
  coordinator: Pick<Coordinator, "letInRuns" | "forget">,
): Promise<void> {
  for (const run of await coordinator.letInRuns(MOST_FORGOTTEN)) {
    const row = await runs.get(run);
    if (row !== undefined && isTerminal(row.status)) await coordinator.forget(run);
  }
}
