/** What of the user's files is in no commit yet: a workspace that starts from the commit does not hold it. */
import type { HostGit } from "../host-git.ts";
import { callIn, inspectProject } from "./project.ts";

/** Longer lists are cut off. */
const MOST_BYTES = 16 << 20;

/** Names of uncommitted files. */
export interface Uncommitted {
  readonly paths: readonly string[];
  /** There are more than these. */
  readonly isCut: boolean;
}

/**
 * The same files that a snapshot of the working tree would add: what git does not keep yet only in the project. Nothing is
 * written, the user's index neither.
 */
export async function listUncommitted(
  git: HostGit,
  root: string,
  project: string,
  home: string,
  maxBytes = MOST_BYTES,
): Promise<Uncommitted> {
  const [{ flags }, ignoreFile] = await Promise.all([inspectProject(git, root, home), userIgnoreFile(git, home)]);
  const status = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"];
  const args = [
    "-c",
    `core.excludesFile=${ignoreFile}`,
    ...status,
    "--ignore-submodules=dirty",
    "--",
    ".",
    ":(exclude,glob)**/.pawl/**",
  ];
  const { stdout, truncated } = await git.run({ ...callIn(root, flags, args), maxBytes });
  // Each entry is two letters, a space, the path and a zero; what was cut off has no zero.
  const paths = stdout
    .toString()
    .split("\0")
    .slice(0, -1)
    .filter((entry) => !entry.startsWith("?? ") || project === "" || entry.startsWith(`?? ${project}/`))
    .map((entry) => entry.slice(3));
  return { paths, isCut: truncated };
}

/** The file in which the user has told git what to ignore everywhere; nothing else of that configuration is used. */
export async function userIgnoreFile(git: HostGit, home: string): Promise<string> {
  const found = await git.run({
    args: ["config", "--global", "--type=path", "--get", "core.excludesFile"],
    env: { GIT_CONFIG_GLOBAL: `${home}/.gitconfig` },
  });
  const path = found.stdout.toString().replace(/\n$/, "");
  return found.code === 0 && path !== "" ? path : `${home}/.config/git/ignore`;
}
