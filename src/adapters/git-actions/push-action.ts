/** `git.push`: one branch of the run to one remote that the user has configured, by name, never by force. */
import { pawlError } from "../../base/errors.ts";
import { visibleLine } from "../../base/visible.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";
import { ownBranch, remoteName } from "./input.ts";
import { baseOf, branchRef, branchTip, commitFacts, isOfRun } from "./repository/commits.ts";
import { detailOf, type GitResult, isSo } from "./repository/run-git.ts";
import type { Scope, Snapshot, Spec } from "./scope.ts";

export function pushSpec(scope: Scope): Spec {
  return {
    name: "git.push",
    summary: "Pushes the branch of the run to a remote of your repository, with your credentials.",
    effect: "keyed",
    level: "L2",
    remote: true,
    input: {
      remote: { required: false, summary: "Name of a remote of your repository (origin)." },
      branch: { required: false, summary: "The branch to push; without it, pawl/<run>." },
    },
    async perform(input, { run, key, signal }, snapshot) {
      const remote = remoteName(input);
      const branch = ownBranch(input, "branch", run);
      await checkRemote(scope, remote);
      const commit = await handedOn(scope, branch, run, snapshot);
      const refspec = `${commit}:${branchRef(branch)}`;
      const args = [
        "-c",
        `remote.${remote}.mirror=false`,
        "push",
        "--porcelain",
        "--no-verify",
        "--no-force",
        remote,
        refspec,
      ];
      const pushed = await scope.git.push(args, { signal, env: { PAWL_KEY: key } });
      const change = changeOf(pushed);
      if (change === undefined) {
        const detail = reasonOf(pushed);
        throw pawlError(GIT_ERRORS, "GIT_PUSH_REJECTED", { remote, branch, detail });
      }
      return { ok: true, output: { remote, branch, commit, pushed: change !== "=" } };
    },
  };
}

/** The last commit of a branch that only this run has built; it holds exactly what the workspace holds now. */
export async function handedOn(
  { git, root }: Pick<Scope, "git" | "root">,
  branch: string,
  run: string,
  snapshot: Snapshot,
): Promise<string> {
  const base = await baseOf(git, snapshot.id, root);
  const tip = await branchTip(git.project, branch);
  if (tip === undefined || tip === base) throw pawlError(GIT_ERRORS, "GIT_BRANCH_MISSING", { branch });
  if (!(await isOfRun(git.project, base, tip, run))) throw pawlError(GIT_ERRORS, "GIT_BRANCH_MOVED", { branch });
  if ((await commitFacts(git.project, tip))?.tree !== snapshot.tree)
    throw pawlError(GIT_ERRORS, "GIT_TREE_NOT_COMMITTED", { branch });
  return tip;
}

/** The remote must be one of the repository itself. */
export async function checkRemote({ git }: Scope, remote: string): Promise<void> {
  const found = git.project(["config", "--local", "--get-all", `remote.${remote}.url`]);
  if (!(await isSo("looking for the remote", found)))
    throw pawlError(GIT_ERRORS, "GIT_REMOTE_UNKNOWN", { remote, problem: "your repository has none of this name" });
}

/** The flag of the one line about our branch; undefined: it was not taken. */
function changeOf({ code, stdout }: GitResult): string | undefined {
  const flag = /^([ +\-*=!])\t/m.exec(stdout.toString())?.[1];
  return code === 0 && flag !== undefined && " *=".includes(flag) ? flag : undefined;
}

function reasonOf({ stdout, stderr }: GitResult): string {
  const line = /^!\t[^\t]*\t(.*)$/m.exec(stdout.toString())?.[1];
  return line === undefined ? detailOf(stderr) : visibleLine(line, 300);
}
