/** Hands in the change of a run that is under way, for the stage that asks for it. */
import { pawlError } from "../../base/errors.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { ActionContext, ActionReport } from "../../ports/actions.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import { newChange } from "./hand-in.ts";
import type { ProposalParts } from "./proposals.ts";

const BRANCH = /^[A-Za-z0-9][A-Za-z0-9_-]*(?:[./][A-Za-z0-9_-]+)*$/;
const MOST_PRIORITY = 100;

/** `named`: the loop whose run it is; null: that of the blueprint. Rejects with GIT_*: nothing was handed in then. Handing in again what was handed in changes nothing. */
export async function queueChange(
  { store, changes, mainline, priorityOf, now }: ProposalParts,
  input: JsonObject,
  { run, level, tree, verified }: ActionContext,
  named: string | null,
): Promise<ActionReport> {
  const { into, branch, priority: wanted } = readInput(input);
  if (level < "L3") throw pawlError(GIT_ERRORS, "GIT_LEVEL_TOO_LOW", { action: "merge.queue", level, needed: "L3" });
  if (tree === null) throw pawlError(GIT_ERRORS, "GIT_TREE_MISSING", { action: "merge.queue" });
  if (!verified) throw pawlError(GIT_ERRORS, "GIT_TREE_UNVERIFIED", { into });
  if ((await mainline.tip(into)) === null) throw pawlError(GIT_ERRORS, "GIT_BRANCH_MISSING", { branch: into });
  const made = await mainline.proposal(run, tree, branch);
  const row = await store.runs.get(run);
  if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run });
  const loop = named ?? row.blueprint;
  const priority = wanted ?? (await priorityOf(loop));
  const facts = { ...made, run, into, priority, loop, plan: row.plan, at: now() };
  const { id, state } = await changes.handIn(newChange(facts, "queued", []));
  return { ok: true, output: { change: id, into, state, commit: made.source } };
}

function readInput({ into, branch, priority }: JsonObject) {
  if (typeof into !== "string" || !BRANCH.test(into)) throw unfit("into", "is not the name of a branch");
  if (branch !== undefined && typeof branch !== "string") throw unfit("branch", "is not a text");
  if (priority !== undefined && !isPriority(priority))
    throw unfit("priority", `is not a whole number up to ${MOST_PRIORITY}`);
  return { into, branch, priority };
}

function isPriority(value: JsonValue): value is number {
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= MOST_PRIORITY;
}

function unfit(member: string, problem: string): Error {
  return pawlError(GIT_ERRORS, "GIT_INPUT_UNFIT", { member, problem });
}
