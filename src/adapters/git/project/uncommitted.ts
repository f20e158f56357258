/** What of the user's files is in no commit yet: a workspace that starts from the commit does not hold it. */
import type { HostGit } from "../host-git.ts";
import { callIn, inspectProject } from "./project.ts";

/** Of people who look at a list. */
const MOST_BYTES = 16 << 20;

/**
 * The same files that a snapshot of the working tree would add: what git does not keep yet only in the project. Nothing is
 * written, the user's index neither.
 */
export async function listUncommitted(
  git: HostGit,
  root: string,
  project: string,
  home: string,
  /** Names beyond this are left out. */
  maxBytes = MOST_BYTES,
): Promise<readonly string[]> {
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
  const { stdout } = await git.run({ ...callIn(root, flags, args), maxBytes });
  // Each entry is two letters, a space, the path and a zero; what was cut off has no zero.
  return entriesIn(stdout)
    .filter((entry) => !entry.startsWith("?? ") || project === "" || entry.startsWith(`?? ${project}/`))
    .map((entry) => entry.slice(3));
}

/** One by one: together they may be longer than a string can be. */
function entriesIn(bytes: Buffer): readonly string[] {
  const entries: string[] = [];
  for (let from = 0, to = bytes.indexOf(0); to >= 0; from = to + 1, to = bytes.indexOf(0, from))
    entries.push(bytes.toString("utf8", from, to));
  return entries;
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
