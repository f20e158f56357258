/**
 * Moves a branch together with the working tree that has it checked out: both, or neither. The lock of the index is ours from before the first file
 * until after the branch, so that nothing half done can be committed. Whoever comes after one that was cut off anywhere puts the tree and the index
 * to where the branch is, and takes away the locks that it left.
 *
 *   record kept ─▶ index locked ─▶ files ─▶ index ─▶ branch ─▶ index unlocked ─▶ record cleared
 */
import { pawlError } from "../../../base/errors.ts";
import { GIT_ERRORS } from "../../../ports/errors/git-errors.ts";
import {
  advanceFiles,
  type Checkout,
  copyIndex,
  giveIndex,
  hasLocked,
  inspectFiles,
  lockIndex,
  openCheckout,
  unlockIndex,
} from "./checkout.ts";
import { branchRef, branchTip, checkoutOf, moveBranch } from "./commits.ts";
import { type HeldRecord, holdRecord, type Kept } from "./landing-record.ts";
import { isRebased } from "./rebases.ts";
import { dropRefLocks } from "./ref-locks.ts";
import { restoreTree } from "./restore-tree.ts";
import type { Git, RunGit } from "./run-git.ts";

export interface Place {
  readonly git: Git;
  readonly vault: string;
}

export interface Move {
  readonly into: string;
  readonly from: string;
  readonly to: string;
  readonly key: string;
}

/** Rejects with GIT_TARGET_MOVED, GIT_TARGET_DIRTY, GIT_TARGET_BUSY: nothing has changed then. */
export function land({ git, vault }: Place, move: Move): Promise<void> {
  const { into, from, to } = move;
  return holdRecord(vault, into, async (held) => {
    const project = held.through(git.project);
    await mendLeft(project, into, held);
    if (await isRebased(project, branchRef(into))) throw busy(into, "it is being rebased");
    const folder = (await checkoutOf(project, into)) ?? null;
    const kept = await held.keep({ folder, from, to });
    try {
      await takeSteps(project, move, kept, held);
    } catch (error) {
      await mendLeft(project, into, held);
      throw error;
    }
    await held.clear();
  });
}

/** What somebody who was cut off has left of moving this branch is put right. Rejects with GIT_TARGET_BUSY, GIT_COMMAND_FAILED. */
export function mendLanding({ git, vault }: Place, into: string): Promise<void> {
  return holdRecord(vault, into, (held) => mendLeft(held.through(git.project), into, held));
}

async function takeSteps(project: RunGit, move: Move, kept: Kept, held: HeldRecord): Promise<void> {
  const { into, from, to, key } = move;
  const { folder } = kept;
  const checkout = folder === null ? null : await openCheckout(project, folder);
  if (checkout !== null) await moveFiles(checkout, move, kept, held);
  if (!(await moveBranch(project, into, to, from, key))) throw pawlError(GIT_ERRORS, "GIT_TARGET_MOVED", { into });
  if (checkout !== null) await unlockIndex(checkout);
}

async function moveFiles(checkout: Checkout, { into, from, to }: Move, kept: Kept, held: HeldRecord): Promise<void> {
  const { folder } = checkout;
  if (!(await lockIndex(checkout, kept))) throw busy(into, "git is at work where it is checked out");
  await copyIndex(checkout);
  const where = await inspectFiles(checkout, from, to);
  if (where === null) throw pawlError(GIT_ERRORS, "GIT_TARGET_DIRTY", { into, folder });
  await held.begin();
  if (where === "from" && !(await advanceFiles(checkout, from, to)))
    throw pawlError(GIT_ERRORS, "GIT_TARGET_DIRTY", { into, folder });
  await giveIndex(checkout);
}

async function mendLeft(project: RunGit, into: string, held: HeldRecord): Promise<void> {
  const kept = await held.left();
  if (kept === null) return;
  await dropRefLocks(project, into, kept);
  const checkout = await ownCheckout(project, kept);
  if (checkout !== null) {
    const isMoved = (await branchTip(project, into)) === kept.to;
    if (kept.hasBegun) await putRight(checkout, kept, isMoved ? "to" : "from");
    await unlockIndex(checkout);
  }
  await held.clear();
}

async function putRight(checkout: Checkout, kept: Kept, aim: "from" | "to"): Promise<void> {
  await copyIndex(checkout);
  await restoreTree(checkout, kept, aim);
  await giveIndex(checkout);
}

/** null: there is none, or its index is not ours: what is there is the user's. */
async function ownCheckout(project: RunGit, kept: Kept): Promise<Checkout | null> {
  const { folder } = kept;
  if (folder === null || (await project(["-C", folder, "rev-parse", "--git-dir"])).code !== 0) return null;
  const checkout = await openCheckout(project, folder);
  return (await hasLocked(checkout, kept)) ? checkout : null;
}

function busy(into: string, problem: string): Error {
  return pawlError(GIT_ERRORS, "GIT_TARGET_BUSY", { into, problem });
}
