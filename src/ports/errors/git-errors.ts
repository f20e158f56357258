/** Why an action on the user's repository was not done. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const GIT_ERRORS = {
  GIT_LEVEL_TOO_LOW: {
    what: (d: { action: string; level: string; needed: string }) =>
      `${d.action} needs level ${d.needed}; this run has ${d.level}.`,
    why: "The level is the ceiling of a run, and nothing inside the run raises it.",
    hint: (d: { needed: string }) => `Start the run with \`--level ${d.needed}\`, or leave the stage out.`,
    retry: "after_change",
    exit: 1,
  },
  GIT_INPUT_UNFIT: {
    what: (d: { member: string; problem: string }) => `\`${d.member}\` ${d.problem}.`,
    why: "What is not understood is not done.",
    hint: "Correct the value in `with` of the stage.",
    retry: "after_change",
    exit: 1,
  },
  GIT_TREE_MISSING: {
    what: (d: { action: string }) => `${d.action} has no tree to work with.`,
    why: "The run has no workspace of its own, or what it held is no longer in the vault.",
    hint: "Use `workspace: clone`; `pawl gc` drops the trees of runs that have ended.",
    retry: "after_change",
    exit: 1,
  },
  GIT_BASE_MISSING: {
    what: (d: { root: string }) => `The commit this run started from is no longer in ${d.root}.`,
    why: "A new commit needs it as its parent.",
    hint: "Bring the commit back (`git reflog`, `git fetch`), or start a new run.",
    retry: "after_change",
    exit: 1,
  },
  GIT_BRANCH_MISSING: {
    what: (d: { branch: string }) => `There is no branch ${d.branch} with commits of this run.`,
    why: "There is nothing to hand on.",
    hint: "Let a stage with `git.commit` come first, or correct `branch`.",
    retry: "after_change",
    exit: 1,
  },
  GIT_TREE_NOT_COMMITTED: {
    what: (d: { branch: string }) => `The last commit of ${d.branch} is not what the workspace holds now.`,
    why: "What is handed on must be what the run has reached and checked, not an earlier state of it.",
    hint: "Put a `git.commit` stage between the last stage that changes files and this one.",
    retry: "after_change",
    exit: 1,
  },
  GIT_TREE_UNVERIFIED: {
    what: (d: { into: string }) => `Nothing may be merged into ${d.into}: no gate has passed on exactly this tree.`,
    why: "Only work that an untouched checker has passed reaches a branch of yours.",
    hint: "Put a gate between the last stage that changes files and `git.merge`.",
    retry: "after_change",
    exit: 1,
  },
  GIT_BRANCH_MOVED: {
    what: (d: { branch: string }) =>
      `The branch ${d.branch} holds commits that this run did not make, or was just moved.`,
    why: "What the run verified does not contain them: going on would undo them.",
    hint: "Choose another `branch`, or move these commits to one of their own.",
    retry: "after_change",
    exit: 1,
  },
  GIT_BRANCH_CHECKED_OUT: {
    what: (d: { branch: string; folder: string }) => `The branch ${d.branch} is checked out in ${d.folder}.`,
    why: "Moving it would make that working tree look as if everything new had been undone.",
    hint: "Switch that working tree to another branch, then try again.",
    retry: "after_change",
    exit: 1,
  },
  GIT_NOTHING_TO_COMMIT: {
    what: (d: { parent: string }) =>
      `There is nothing to commit: the workspace holds exactly what commit ${d.parent} holds.`,
    why: "A commit without a change would claim work that was not done.",
    hint: "Route the outcome `failure` of this stage, or commit only after a stage that changes something.",
    retry: "after_change",
    exit: 1,
  },
  GIT_TARGET_MOVED: {
    what: (d: { into: string }) => `${d.into} has commits that this run did not start from.`,
    why: "Merging would make a tree that nobody verified.",
    hint: "Start a new run from the new state of the branch.",
    retry: "after_change",
    exit: 1,
  },
  GIT_TARGET_DIRTY: {
    what: (d: { into: string; folder: string }) =>
      `${d.into} is checked out in ${d.folder} with changes that are not committed, or with files in the way.`,
    why: "Merging there could destroy them.",
    hint: "Commit or stash them, or switch to another branch, then try again.",
    retry: "after_change",
    exit: 1,
  },
  GIT_TARGET_BUSY: {
    what: (d: { into: string; problem: string }) => `${d.into} cannot be moved now: ${d.problem}.`,
    why: "What is under way there could not be brought to its end, or would be lost.",
    hint: "Let it end, then try again. A file index.lock that no git is at work with is yours to remove.",
    retry: "safe",
    exit: 1,
  },
  GIT_REMOTE_UNKNOWN: {
    what: (d: { remote: string; problem: string }) => `The remote ${d.remote} cannot be used: ${d.problem}.`,
    why: "Commits go only where the configuration of your repository says.",
    hint: "See `git remote -v`; add the remote, or correct `remote`.",
    retry: "after_change",
    exit: 1,
  },
  GIT_PUSH_REJECTED: {
    what: (d: { remote: string; branch: string; detail: string }) =>
      `${d.remote} did not take ${d.branch}: ${d.detail}.`,
    why: "A branch is never pushed by force: what is there is somebody's work.",
    hint: "Look at the branch on the remote, and at your access to it; then try again or choose another `branch`.",
    retry: "after_change",
    exit: 1,
  },
  GIT_APPLY_REFUSED: {
    what: (d: { problem: string }) => `The project was left as it is: ${d.problem}.`,
    why: "Only what the gates have passed is put into a project, all of it or nothing, and never over somebody's change.",
    hint: "See the work with `pawl diff RUN` and take it over yourself, or run again from the project as it is now.",
    retry: "after_change",
    exit: 1,
  },
  GIT_PATCH_UNFIT: {
    what: (d: { problem: string }) => `The patch was not applied: ${d.problem}.`,
    why: "A patch is applied whole or not at all, and only to ordinary files of the project.",
    hint: "Make the patch from the tree that this stage starts with.",
    retry: "after_change",
    exit: 1,
  },
  GIT_PATCH_SEALED: {
    what: (d: { path: string; sealed: string }) =>
      `The patch was not applied: it changes ${d.path}, and ${d.sealed} is sealed: it belongs to git, to Pawl or to a tool.`,
    why: "Programs run what is written there with the rights of whoever opens the project.",
    hint: "Leave this file out of the patch, or make the change yourself.",
    retry: "after_change",
    exit: 1,
  },
  GIT_COMMAND_FAILED: {
    what: (d: { doing: string; detail: string }) => `Git failed at ${d.doing}: ${d.detail}.`,
    why: "The effect of the stage did not happen, or will be found when the stage is repeated.",
    hint: "Check the repository with `git status` and `git fsck`.",
    retry: "after_change",
    exit: 1,
  },
  GITHUB_TOKEN_MISSING: {
    what: (d: { api: string }) => `There is no token for ${d.api}.`,
    why: "A pull request is opened in somebody's name.",
    hint: "Set GITHUB_TOKEN (or GH_TOKEN) where pawl runs; no stage can see it.",
    retry: "after_change",
    exit: 1,
  },
  GITHUB_REQUEST_FAILED: {
    what: (d: { doing: string; detail: string }) => `GitHub did not do it (${d.doing}): ${d.detail}.`,
    why: "Whether there is a pull request is looked up before one is opened, so trying again does not open a second one.",
    hint: "Check the token, its access to the repository and that the branch was pushed; then resume the run.",
    retry: "safe",
    exit: 1,
  },
} as const satisfies Catalogue;
