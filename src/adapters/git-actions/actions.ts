/** The git actions. They work on the user's repository and the vault; no folder that a stage can write is ever looked at. */
import type { Action } from "../../ports/actions.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import { applySpec } from "./apply-action.ts";
import { branchSpec, commitSpec } from "./commit-actions.ts";
import { diffSpec } from "./diff-action.ts";
import { createGitHub, type GitHubOptions } from "./github.ts";
import { mergeSpec } from "./merge-action.ts";
import { patchSpec } from "./patch-action.ts";
import { pullRequestSpec } from "./pull-request-action.ts";
import { pushSpec } from "./push-action.ts";
import { createGit } from "./repository/run-git.ts";
import { actionOf, type Scope } from "./scope.ts";

export interface GitActionsOptions {
  /** The user's project, the top of a repository. */
  readonly root: string;
  /** The repository that holds every saved tree. */
  readonly vault: string;
  readonly artifacts: Artifacts;
  /** Runs work during which nothing is removed from the vault. */
  readonly holdVault: Scope["holdVault"];
  /** Environment of the host: PATH, and what the credentials for a push need (HOME, SSH_AUTH_SOCK, …). */
  readonly env: Readonly<Record<string, string>>;
  readonly github: GitHubOptions;
  readonly gitProgram?: string;
  readonly hooksFolders?: Scope["hooksFolders"];
}

export function createGitActions(options: GitActionsOptions): readonly Action[] {
  const { root, vault, artifacts, holdVault, env, gitProgram: program = "git" } = options;
  const hooksFolders = options.hooksFolders ?? (async () => []);
  const git = createGit({ program, root, vault, env });
  const scope: Scope = { git, root, vault, artifacts, holdVault, hooksFolders, github: createGitHub(options.github) };
  return [commitSpec, branchSpec, mergeSpec, pushSpec, pullRequestSpec, patchSpec, diffSpec, applySpec].map((spec) =>
    actionOf(scope, spec(scope)),
  );
}
