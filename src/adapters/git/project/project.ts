/** The user's repository: found, looked at, never changed. */
import { pawlError } from "../../../base/errors.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import { gitFailure } from "../failures.ts";
import type { GitCall, GitResult, HostGit } from "../host-git.ts";

export interface Project {
  readonly root: string;
  /** The git folder that all working trees of the repository share. */
  readonly commonDir: string;
  readonly objects: string;
  readonly index: string;
  readonly format: "sha1" | "sha256";
  /** The file that names the commits whose parents are not there; null: the history is whole. */
  readonly shallow: string | null;
  readonly head: string;
  /** What every git command in this repository needs before its name. */
  readonly flags: readonly string[];
}

const FACTS = [
  "--show-prefix",
  "--show-toplevel",
  "--git-common-dir",
  "--show-object-format",
  "--is-shallow-repository",
];
const PLACES = ["objects", "index", "shallow"].flatMap((name) => ["--git-path", name]);
const PROMISES = "^(extensions\\.partialclone|remote\\..*\\.promisor)$";

/** Rejects with the reason when the project cannot give a workspace. */
export async function inspectProject(git: HostGit, root: string, home: string): Promise<Project> {
  const flags = await trustFlags(git, root, home);
  const inside = (...args: string[]): Promise<GitResult> => git.run(callIn(root, flags, args));
  const [facts, head, promises, places] = await Promise.all([
    inside("rev-parse", "--path-format=absolute", ...FACTS),
    inside("rev-parse", "--verify", "--quiet", "HEAD^{commit}"),
    inside("config", "--local", "--get-regexp", PROMISES),
    inside("rev-parse", "--path-format=absolute", ...PLACES),
  ]);
  const lines = linesOf(facts);
  const [prefix, top, commonDir, format, shallow] = lines;
  if (facts.code !== 0 || lines.length !== FACTS.length || prefix === undefined || top === undefined)
    throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_NOT_A_REPOSITORY", { root });
  if (prefix !== "") throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_PROJECT_BELOW", { folder: prefix, top });
  if (head.code !== 0) throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_NO_COMMIT", { root });
  if (promises.code === 0) throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_PARTIAL_CLONE", { root });
  const [objects, index, ends] = linesOf(places);
  if (objects === undefined || index === undefined || ends === undefined)
    throw gitFailure("finding the repository", root, places.stderr);
  return {
    root,
    commonDir: commonDir as string,
    objects,
    index,
    format: format === "sha256" ? "sha256" : "sha1",
    shallow: shallow === "true" ? ends : null,
    head: head.stdout.toString().trim(),
    flags,
  };
}

/** A command in the user's repository. */
export function callIn(root: string, flags: readonly string[], args: readonly string[]): GitCall {
  return { args: [...flags, ...args], cwd: root };
}

function linesOf({ stdout }: GitResult): string[] {
  return stdout.toString().replace(/\n$/, "").split("\n");
}

/** A repository of another owner is read only when the user has told git to trust it. */
async function trustFlags(git: HostGit, root: string, home: string): Promise<readonly string[]> {
  const call = callIn(root, [], ["rev-parse", "--git-dir"]);
  const found = await git.run(call);
  if (found.code === 0 || !found.stderr.includes("dubious ownership")) return [];
  const trusted = await git.run({ ...call, env: { GIT_CONFIG_GLOBAL: `${home}/.gitconfig` } });
  if (trusted.code !== 0) throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_OWNER_FOREIGN", { root });
  return ["-c", "safe.directory=*"];
}
