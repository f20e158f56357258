/** The commit that a branch of the user's repository names now. */
import { createHostGit } from "../host-git.ts";

export interface BranchPlace {
  /** The top of the repository. */
  readonly root: string;
  readonly path: string;
  /** Where git looks for nothing of the user's. */
  readonly home: string;
}

/** null: there is no such branch. */
export async function readBranch({ root, path, home }: BranchPlace, branch: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${branch}^{commit}`];
  const { code, stdout } = await createHostGit({ program: "git", path, home }).run({ args, cwd: root });
  return code === 0 ? stdout.toString("utf8").trim() : null;
}
