/** Runs that are over become changes that can be accepted, and troubles that people are told of once. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { collisionsOf, type Touched } from "../../loops/coordinate/collisions.ts";
import type { Coordinator } from "../../loops/coordinate/coordinator.ts";
import { type ChangeRecord, changeId } from "../../loops/coordinate/merges/change.ts";
import type { Changes } from "../../loops/coordinate/merges/changes.ts";
import type { Trouble } from "../../loops/coordinate/notices.ts";
import type { Mainline } from "../../ports/loops/mainline.ts";
import type { Store } from "../../ports/store/store.ts";
import type { RunEvent } from "../../run/events.ts";
import { isTerminal } from "../../run/reasons.ts";
import { treesOf } from "../../run/trees.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { readPast } from "../past.ts";
import { newChange } from "./hand-in.ts";

export interface ProposalParts {
  readonly store: Store;
  readonly changes: Changes;
  readonly coordinator: Coordinator;
  readonly mainline: Mainline;
  /** Of a loop, as pawl.yaml says now; 0: it says nothing. */
  priorityOf(loop: string): Promise<number>;
  now(): number;
}

interface Wish {
  readonly state: "open" | "queued";
  /** null: that of the blueprint. */
  readonly loop: string | null;
  /** null: the branch that is checked out. */
  readonly into: string | null;
}

/**
 * Hands in what a run has committed. Rejects with MERGE_RUN_UNFIT when it did not succeed, or nothing has judged the tree that it ended with, and with
 * GIT_* when there is no commit of it.
 */
export async function propose(parts: ProposalParts, run: RunId, wish: Wish): Promise<ChangeRecord> {
  const { changes, mainline } = parts;
  const { plan, events } = await readPast(parts.store, run);
  const end = events.at(-1);
  if (end?.type !== "run.finished" || end.status !== "succeeded")
    throw pawlError(RUNTIME_ERRORS, "MERGE_RUN_UNFIT", { run, problem: "it did not end with a success" });
  const trees = treesOf(plan, events);
  if (end.certificate === undefined || trees === null)
    throw pawlError(RUNTIME_ERRORS, "MERGE_RUN_UNFIT", { run, problem: "no gate has passed what it ended with" });
  const made = await mainline.proposal(run, trees.last);
  const known = await changes.get(changeId(run, made.source));
  if (known !== null) return known;
  const into = wish.into ?? (await mainline.current()) ?? "main";
  const loop = wish.loop ?? plan.name;
  const touched: Touched = { loop, id: run, paths: await mainline.changed(made.base, made.source) };
  const facts = {
    ...made,
    run,
    loop,
    into,
    plan: plan.fingerprint,
    priority: await parts.priorityOf(loop),
    at: parts.now(),
  };
  return changes.handIn(newChange(facts, wish.state, await collisions(parts, touched, events)));
}

async function collisions(
  { changes, coordinator, mainline, now }: ProposalParts,
  touched: Touched,
  [created]: readonly RunEvent[],
): Promise<readonly string[]> {
  const at = now();
  const merged: Touched[] = [];
  for (const { id, loop, state, base, source } of await changes.endedWithin(created?.at ?? at, at + 1))
    if (state === "merged") merged.push({ id, loop, paths: await mainline.changed(base, source) });
  return collisionsOf(touched, (await coordinator.view(at)).held, merged);
}

/** What of a run that ended or rests people should know; null: nothing. */
export async function troubleOf(store: Store, run: RunId, loop: string, at: number): Promise<Trouble | null> {
  const row = await store.runs.get(run);
  if (row === undefined) return null;
  const { events } = await readPast(store, run);
  if (row.status === "waiting" && row.reason === "awaiting_approval") {
    const asked = events.findLast((event) => event.type === "approval.requested");
    return asked === undefined ? null : { loop, kind: "question", what: asked.why, about: asked.id, at };
  }
  const end = events.at(-1);
  const isQuiet = row.status === "succeeded" || row.status === "cancelled" || row.status === "killed";
  if (!isTerminal(row.status) || isQuiet || end?.type !== "run.finished") return null;
  const what = end.detail === undefined ? end.reason : `${end.reason}: ${end.detail}`;
  return { loop, kind: "ended", what, about: run, at };
}
