/**
 * `git.merge`: the target gets exactly the tree that the branch of the run holds, or nothing happens. A target that has
 * moved on is refused: the tree of a true merge was verified by nobody.
 */
import { pawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ActionContext } from "../../ports/actions.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";
import { refPart } from "./commit-actions.ts";
import { optionalText, ownBranch, unfit, userBranch } from "./input.ts";
import { handedOn } from "./push-action.ts";
import { baseOf, branchTip, commitFacts, commitsSince, isAncestor } from "./repository/commits.ts";
import { land, mendLanding } from "./repository/landing.ts";
import { commitInVault, giveToProject, takeIntoVault, vaultRef } from "./repository/make-commit.ts";
import { markedMessage, withoutMark } from "./repository/message.ts";
import { certificateOf, type Scope, type Spec } from "./scope.ts";

const MOST_MESSAGE = 64 << 10;

interface Merge {
  readonly into: string;
  readonly branch: string;
  readonly source: string;
  readonly target: string;
}

export function mergeSpec(scope: Scope): Spec {
  const { git, root } = scope;
  return {
    name: "git.merge",
    summary: "Puts the commits of the run on a branch of yours: as they are, or as one.",
    effect: "keyed",
    level: "L3",
    input: {
      into: { required: true, summary: "The branch of yours, such as main." },
      mode: {
        required: false,
        summary: "`ff`: the commits as they are (default); `squash`: one commit with all of it.",
      },
      branch: { required: false, summary: "The branch to merge; without it, pawl/<run>." },
      message: { required: false, summary: "With squash: its message; without it, that of the last commit." },
    },
    async perform(input, context, snapshot) {
      const { run, key } = context;
      const into = userBranch(input, "into");
      const isSquash = readMode(input);
      const branch = ownBranch(input, "branch", run);
      await mendLanding(scope, into);
      const base = await baseOf(git, snapshot.id, root);
      const [source, target] = [await branchTip(git.project, branch), await branchTip(git.project, into)];
      if (target === undefined) throw pawlError(GIT_ERRORS, "GIT_BRANCH_MISSING", { branch: into });
      const done = await findMerged(base, target, key, isSquash ? undefined : source);
      if (done !== undefined) return { ok: true, output: { into, commit: done, merged: false } };
      if (!context.verified) throw pawlError(GIT_ERRORS, "GIT_TREE_UNVERIFIED", { into });
      const merge: Merge = { into, branch, source: await handedOn(scope, branch, run, snapshot), target };
      if (!(await isAncestor(git.project, target, merge.source)))
        throw pawlError(GIT_ERRORS, "GIT_TARGET_MOVED", { into });
      const commit = isSquash ? await squash(scope, merge, input, context, snapshot.at) : merge.source;
      await land(scope, { into, from: target, to: commit, key });
      return { ok: true, output: { into, commit, merged: true } };
    },
  };

  /** What an earlier attempt of this stage put there. */
  async function findMerged(
    base: string,
    target: string,
    key: string,
    source: string | undefined,
  ): Promise<string | undefined> {
    if (source !== undefined && source !== base && (await isAncestor(git.project, source, target))) return source;
    if (!(await isAncestor(git.project, base, target))) return undefined;
    return (await commitsSince(git.project, base, target))?.find(({ mark }) => mark?.key === key)?.id;
  }
}

function readMode(input: JsonObject): boolean {
  const mode = optionalText(input, "mode", 20) ?? "ff";
  if (mode !== "ff" && mode !== "squash") throw unfit("mode", "is neither `ff` nor `squash`");
  return mode === "squash";
}

async function squash(
  { git, root, vault }: Scope,
  { branch, source, target }: Merge,
  input: JsonObject,
  context: ActionContext,
  at: number,
): Promise<string> {
  const { run, key } = context;
  const facts = await commitFacts(git.project, source);
  const written = optionalText(input, "message", MOST_MESSAGE) ?? withoutMark(facts?.message ?? "");
  const certified = await certificateOf(context);
  const message = markedMessage(written, context, "message", certified?.trailer);
  await takeIntoVault(git, root, branch, source);
  const ref = vaultRef(run, "commits", refPart(key));
  const commit = await commitInVault(git, ref, { tree: facts?.tree ?? "", parent: target, message, at });
  await giveToProject(git, vault, ref);
  return commit;
}
