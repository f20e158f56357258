/** `git.commit` and `git.branch`: the only branches they touch are `pawl/…`, and only commits of the same run are built upon. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";
import { ownBranch, text } from "./input.ts";
import {
  baseOf,
  branchTip,
  checkoutOf,
  commitFacts,
  commitsSince,
  isAncestor,
  isOfRun,
  moveBranch,
} from "./repository/commits.ts";
import { commitInVault, giveToProject, type NewCommit, takeIntoVault, vaultRef } from "./repository/make-commit.ts";
import { markedMessage } from "./repository/message.ts";
import { ask } from "./repository/run-git.ts";
import { certificateOf, type Scope, type Spec } from "./scope.ts";

const MOST_MESSAGE = 64 << 10;

export function commitSpec(scope: Scope): Spec {
  const { git, root } = scope;
  return {
    name: "git.commit",
    summary: "Commits what the workspace holds to a branch pawl/… of your repository.",
    effect: "keyed",
    level: "L2",
    input: {
      message: { required: true, summary: "The message; the first line is its subject." },
      branch: { required: false, summary: "A branch that begins with pawl/; without it, pawl/<run>." },
    },
    async perform(input, context, snapshot) {
      const { run, key } = context;
      const branch = ownBranch(input, "branch", run);
      const written = text(input, "message", MOST_MESSAGE);
      const certified = await certificateOf(context);
      const message = markedMessage(written, context, "message", certified?.trailer);
      const base = await baseOf(git, snapshot.id, root);
      const tip = await branchTip(git.project, branch);
      const done = tip === undefined ? undefined : await findByKey(scope, base, tip, key);
      if (done !== undefined) return { ok: true, output: { commit: done, branch, created: false } };
      const parent = await parentOf(scope, { branch, base, tip, run });
      const commit = await handOver(scope, run, key, branch, { tree: snapshot.tree, parent, message, at: snapshot.at });
      if (await isElsewhere(scope, commit)) return { ok: true, output: { commit, branch, created: false } };
      if (!(await moveBranch(git.project, branch, commit, tip, key)))
        throw pawlError(GIT_ERRORS, "GIT_BRANCH_MOVED", { branch });
      return { ok: true, output: { commit, branch, created: true } };
    },
  };
}

async function findByKey({ git }: Scope, base: string, tip: string, key: string): Promise<string | undefined> {
  return (await commitsSince(git.project, base, tip))?.find(({ mark }) => mark?.key === key)?.id;
}

interface Place {
  readonly branch: string;
  readonly base: string;
  readonly tip: string | undefined;
  readonly run: RunId;
}

async function parentOf({ git }: Scope, { branch, base, tip, run }: Place): Promise<string> {
  if (tip === undefined || (await isAncestor(git.project, tip, base))) return base;
  if (await isOfRun(git.project, base, tip, run)) return tip;
  throw pawlError(GIT_ERRORS, "GIT_BRANCH_MOVED", { branch });
}

/** Makes the commit and brings it to the user's repository, where no branch holds it yet. */
async function handOver(
  { git, root, vault }: Scope,
  run: RunId,
  key: string,
  branch: string,
  commit: NewCommit,
): Promise<string> {
  const { parent, tree } = commit;
  if ((await commitFacts(git.project, parent))?.tree === tree)
    throw pawlError(GIT_ERRORS, "GIT_NOTHING_TO_COMMIT", { parent: parent.slice(0, 12) });
  const folder = await checkoutOf(git.project, branch);
  if (folder !== undefined) throw pawlError(GIT_ERRORS, "GIT_BRANCH_CHECKED_OUT", { branch, folder });
  await takeIntoVault(git, root, branch, parent);
  const ref = vaultRef(run, "commits", refPart(key));
  const id = await commitInVault(git, ref, commit);
  await giveToProject(git, vault, ref);
  return id;
}

/** Its branch may have been merged and deleted after a crash: then the work is done. */
async function isElsewhere({ git }: Scope, commit: string): Promise<boolean> {
  const found = git.project(["for-each-ref", "--count=1", `--contains=${commit}`, "refs/heads"]);
  return (await ask("looking for the commit", found)) !== "";
}

export function branchSpec({ git, root }: Scope): Spec {
  return {
    name: "git.branch",
    summary: "Makes a branch pawl/… where the run stands: at its last commit, or where it started.",
    effect: "keyed",
    level: "L2",
    input: { name: { required: true, summary: "A name that begins with pawl/." } },
    async perform(input, { run, key }, snapshot) {
      text(input, "name", MOST_MESSAGE);
      const branch = ownBranch(input, "name", run);
      const base = await baseOf(git, snapshot.id, root);
      const own = await branchTip(git.project, `pawl/${run}`);
      const commit = own !== undefined && (await isOfRun(git.project, base, own, run)) ? own : base;
      const found = await branchTip(git.project, branch);
      if (found === undefined && (await moveBranch(git.project, branch, commit, undefined, key)))
        return { ok: true, output: { branch, commit, created: true } };
      const now = found ?? (await branchTip(git.project, branch));
      if (now === undefined || !(await isOfRun(git.project, base, now, run)))
        throw pawlError(GIT_ERRORS, "GIT_BRANCH_MOVED", { branch });
      return { ok: true, output: { branch, commit: now, created: false } };
    },
  };
}

/** A key as part of the name of a reference. */
export function refPart(key: string): string {
  return key.replace(/[^A-Za-z0-9-]/g, (char) => `_${char.charCodeAt(0).toString(16)}_`);
}
