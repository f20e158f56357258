/** What a project does about loops that meet: who may start, what is merged in which order, what people are told. */
import { isPawlError, pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import { createCoordinator, type LocksView } from "../../loops/coordinate/coordinator.ts";
import type { Digest } from "../../loops/coordinate/digest.ts";
import type { ChangeRecord } from "../../loops/coordinate/merges/change.ts";
import { createChanges } from "../../loops/coordinate/merges/changes.ts";
import { inTurn } from "../../loops/coordinate/merges/queue.ts";
import { PUT_OFF_MS, type Step, workQueue } from "../../loops/coordinate/merges/work.ts";
import { type Notice, noticesSince, raise } from "../../loops/coordinate/notices.ts";
import type { ActionContext, ActionReport } from "../../ports/actions.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Engine } from "../../ports/engine.ts";
import type { Board } from "../../ports/loops/board.ts";
import type { Mainline } from "../../ports/loops/mainline.ts";
import type { KillSwitch } from "../../ports/stop/kill-switch.ts";
import type { Store } from "../../ports/store/store.ts";
import type { Workspaces } from "../../ports/workspaces.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { createJobAdmission, type JobAdmission, type Wanted } from "./admission.ts";
import { createCheck } from "./check-merge.ts";
import { type Day, digestOfDay } from "./day.ts";
import { type Again, againOf, forgetOver, type HeldAgain, holdAgain } from "./hold-again.ts";
import { type HoldWatch, holdByHand } from "./hold-by-hand.ts";
import { priorityOf } from "./priority-of.ts";
import { type ProposalParts, propose, troubleOf } from "./proposals.ts";
import { queueChange } from "./queue-change.ts";

export interface CoordinationParts {
  readonly root: string;
  readonly board: Board;
  readonly mainline: Mainline;
  readonly clock: Clock;
  readonly killSwitch: Pick<KillSwitch, "pulled">;
  readonly workspaces: Pick<Workspaces, "drop">;
  readonly open: () => Promise<{ readonly store: Store; readonly engine: Engine }>;
  readonly hasState: () => boolean;
}

export interface Coordination {
  /** The stage of a run that is under way hands its change in. */
  queue(input: JsonObject, context: ActionContext): Promise<ActionReport>;
  /** For whoever runs jobs. */
  readonly admission: JobAdmission;
  /** For a run that a person starts: waits for its paths, and gives what gives them back; null: the wait was ended. */
  hold(run: RunId, loop: Loop, watch: HoldWatch): Promise<(() => Promise<void>) | null>;
  /**
   * For a run that goes on: as `hold`, as the loop that it is of, with the paths that pawl.yaml says now. What is of no loop, or changes nothing, waits
   * for nobody. `of`: the run that it was forked from.
   */
  holdAgain(run: RunId, watch: HoldWatch, of?: RunId): Promise<HeldAgain | null>;
  /** What a run needs that goes on; null: it is of no loop that changes paths. */
  again(run: RunId): Promise<Again | null>;
  /** Changes that are not over, in the order of their turn. */
  standing(): Promise<readonly ChangeRecord[]>;
  /** Who merges into this branch now, and until when if nothing more is heard of it; null: nobody. */
  merging(into: string): Promise<{ readonly name: string; readonly until: number } | null>;
  /** A person takes the change of a run. Rejects with MERGE_RUN_UNFIT, MERGE_CHANGE_OVER, GIT_*. */
  accept(run: RunId, options: { readonly into: string | null; readonly by: string }): Promise<ChangeRecord>;
  /** A person does not. */
  reject(run: RunId, options: { readonly by: string; readonly why: string }): Promise<ChangeRecord>;
  /** Merges what can be merged now; `worker` names this process. `isAsked`: by a person, for whom what was put off is tried again. */
  work(options: {
    readonly worker: string;
    readonly isAsked?: boolean;
    readonly onStep: (step: Step) => void;
  }): Promise<number>;
  digest(day: Day): Promise<Digest>;
  notices(from: number): Promise<readonly Notice[]>;
  locks(at: number): Promise<LocksView>;
}

export function createCoordination(parts: CoordinationParts): Coordination {
  const { board, mainline, clock, open } = parts;
  const changes = createChanges(board);
  const coordinator = createCoordinator(board);
  const proposals = async (): Promise<ProposalParts> => ({
    ...{ store: (await open()).store, changes, coordinator, mainline, now: clock.now },
    priorityOf: (loop) => priorityOf(parts.root, loop),
  });
  const handedIn = async (run: RunId, into: string | null): Promise<ChangeRecord> =>
    propose(await proposals(), run, { state: "open", loop: null, into });
  const decide = async (id: string, run: RunId, to: "queued" | "rejected", by: string, why: string | null) => {
    const decided = await changes.decide(id, to, { by, why, at: clock.now() });
    if (decided === null) throw pawlError(RUNTIME_ERRORS, "MERGE_CHANGE_OVER", { run, to });
    return decided;
  };
  const standing = async (): Promise<readonly ChangeRecord[]> => {
    const found: ChangeRecord[] = [];
    for (const id of Object.keys(await changes.standing())) {
      const record = await changes.get(id);
      if (record !== null) found.push(record);
    }
    return found.sort(inTurn);
  };
  const holdAs = (loop: string, run: RunId, wanted: Wanted, watch: HoldWatch) =>
    holdByHand({ admission, clock }, { job: { loop, run } }, { loop: wanted }, watch);
  const admission = createJobAdmission(coordinator, clock, async ({ run, loop }) => {
    await settle(parts, await proposals(), run, loop);
  });

  return {
    queue: async (input, context) => queueChange(await proposals(), input, context, admission.loopOf(context.run)),
    admission,
    hold: (run, { name, ...loop }, watch) => holdAs(name, run, loop, watch),
    again: (run) => againOf({ root: parts.root, coordinator, open }, run),
    holdAgain: (...given) => holdAgain({ root: parts.root, coordinator, open, holdAs }, ...given),
    standing,
    merging: (into) => changes.holder(into, clock.now()),
    async accept(run, { into, by }) {
      const change = await handedIn(run, into);
      return change.state === "queued" ? change : decide(change.id, run, "queued", by, null);
    },
    async reject(run, { by, why }) {
      const { id } = await handedIn(run, null);
      return decide(id, run, "rejected", by, why);
    },
    async work({ worker, isAsked = false, onStep }) {
      const { store, engine } = await open();
      await reconcile({ board, mainline, now: clock.now }, await standing());
      const check = createCheck({ store, engine, workspaces: parts.workspaces, clock, by: worker });
      const stopped = (): string | null => parts.killSwitch.pulled("all")?.why ?? null;
      const due = isAsked ? { dueBefore: clock.now() + PUT_OFF_MS } : {};
      let steps = 0;
      for (const into of new Set((await standing()).filter(({ state }) => state === "queued").map((one) => one.into)))
        steps += await workQueue(
          { ...due, changes, mainline, check, now: clock.now, stopped, onStep: async (step) => tell(step) },
          into,
          worker,
        );
      return steps;

      async function tell(step: Step): Promise<void> {
        for (const { id, to, why, record } of step.ended)
          if (to === "returned")
            await raise(board, { loop: record.loop, kind: "returned", what: why ?? "", about: id, at: clock.now() });
        onStep(step);
      }
    },
    digest: async (day) => digestOfDay(parts.hasState() ? (await open()).store : null, changes, day),
    notices: (from) => noticesSince(board, from),
    locks: (at) => coordinator.view(at),
  };
}

/** A run of a loop is over, or rests. Asking twice is asking once. */
async function settle({ board }: CoordinationParts, parts: ProposalParts, run: RunId, loop: string): Promise<void> {
  const trouble = await troubleOf(parts.store, run, loop, parts.now());
  if (trouble !== null) await raise(board, trouble);
  await forgetOver(parts.store, parts.coordinator);
  const row = await parts.store.runs.get(run);
  if (row?.status !== "succeeded") return;
  try {
    const change = await propose(parts, run, { state: "open", loop, into: null });
    await reconcile({ board, mainline: parts.mainline, now: parts.now }, [change]);
    const [first] = change.collisions;
    if (first !== undefined) await raise(board, { loop, kind: "collision", what: first, about: run, at: parts.now() });
  } catch (error) {
    // It has committed nothing that could be merged.
    if (!isPawlError(error)) throw error;
  }
}

/** What people did with git: a proposal that is on its branch was merged, one whose own branch is gone was answered. */
async function reconcile(
  { board, mainline, now }: Pick<ProposalParts, "mainline" | "now"> & { readonly board: Board },
  records: readonly ChangeRecord[],
): Promise<void> {
  const changes = createChanges(board);
  for (const { id, state, into, branch, source } of records) {
    if (state !== "open") continue;
    const isMerged = await mainline.holds(into, source);
    const isGone = !isMerged && (await mainline.tip(branch)) === null;
    if (!isMerged && !isGone) continue;
    const why = isMerged ? "it is on the branch" : "its branch is gone";
    await changes.decide(id, isMerged ? "merged" : "rejected", { by: null, why, at: now() });
  }
}
