/** Why a workspace could not be given, saved or removed. A stage that meets one of these has failed; its run goes on. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const WORKSPACE_ERRORS = {
  WORKSPACE_NOT_A_REPOSITORY: {
    what: (d: { root: string }) => `${d.root} is not a git repository with a working tree.`,
    why: "A workspace is a private clone of the project; without git there is nothing to clone and no way to save what a stage did.",
    hint: "Run `git init` and commit, or write `workspace: directory` and `sandbox: read_only` to work on the folder itself.",
    retry: "after_change",
    exit: 3,
  },
  WORKSPACE_PROJECT_BELOW: {
    what: (d: { folder: string; top: string }) =>
      `The project is the folder ${d.folder} of the repository ${d.top}, and a run would start without it.`,
    why: "A workspace holds the repository as it was committed; a folder that git does not keep is not in it.",
    hint: "Commit the folder, or make it a repository of its own with `git init`.",
    retry: "after_change",
    exit: 3,
  },
  WORKSPACE_NO_COMMIT: {
    what: (d: { root: string }) => `The repository ${d.root} has no commit yet.`,
    why: "A run starts from a commit: what it changed is told by comparing with it.",
    hint: "Commit something first; an empty commit (`git commit --allow-empty -m start`) is enough.",
    retry: "after_change",
    exit: 3,
  },
  WORKSPACE_PARTIAL_CLONE: {
    what: (d: { root: string }) => `${d.root} is a partial clone: some of its objects are only on a server.`,
    why: "A workspace has no network, so what is missing could not be fetched when a stage needs it.",
    hint: "Get everything with `git fetch --refetch --no-filter` and remove the filter from the remote's configuration, or make a full clone.",
    retry: "after_change",
    exit: 3,
  },
  WORKSPACE_OWNER_FOREIGN: {
    what: (d: { root: string }) => `The repository ${d.root} belongs to another user.`,
    why: "Its configuration could make git run programs of that user as you, so git refuses to read it.",
    hint: "Change the owner of the folder, or say that you trust it: `git config --global --add safe.directory <folder>`.",
    retry: "after_change",
    exit: 3,
  },
  WORKSPACE_GIT_MISSING: {
    what: (d: { program: string }) => `The program ${d.program} cannot be started.`,
    why: "Workspaces are made and saved with git.",
    hint: "Install git 2.31 or newer.",
    retry: "after_change",
    exit: 1,
  },
  WORKSPACE_SHARE_UNFIT: {
    what: (d: { path: string; problem: string }) => `The shared folder ${d.path} cannot be copied: ${d.problem}.`,
    why: "Only a folder of the project itself may be copied into a workspace: anything else could carry a secret to a stage.",
    hint: "Name a folder inside the project that is no link.",
    retry: "after_change",
    exit: 3,
  },
  WORKSPACE_TREE_MISSING: {
    what: (d: { tree: string }) => `The tree ${d.tree} is not in the vault.`,
    why: "The run recorded it as what its workspace held; without it the workspace cannot be restored.",
    hint: "Restore .pawl/vault.git from a backup. `pawl gc` drops the trees of runs that have ended.",
    retry: "after_change",
    exit: 1,
  },
  WORKSPACE_VAULT_MISSING: {
    what: (d: { path: string; run: string }) =>
      `The vault ${d.path} is missing, although run ${d.run} has saved trees in it.`,
    why: "It holds the only copy of work that is not on a branch yet. Nothing was removed.",
    hint: "Put it back from a backup. `pawl verify --all` names what is lost without it.",
    retry: "after_change",
    exit: 1,
  },
  WORKSPACE_TREE_UNFIT: {
    what: (d: { problem: string }) => `The workspace holds what cannot be saved as a tree: ${d.problem}.`,
    why: "Git does not keep it, or another program could be misled by it. Nothing is lost: the folder stays, and is archived whole before it is used again.",
    hint: "Let the stage remove it or write it to a folder that .gitignore names or to /tmp.",
    retry: "after_change",
    exit: 1,
  },
  WORKSPACE_TREE_TOO_LARGE: {
    what: (d: { doing: string; most: number }) => `There is too much at ${d.doing}: more than ${d.most} files.`,
    why: "Nobody can judge so large a change, and only a part of it would be judged.",
    hint: "Let the stage change less, or narrow what the gate looks at.",
    retry: "after_change",
    exit: 1,
  },
  WORKSPACE_FILE_TOO_LARGE: {
    what: (d: { path: string; bytes: number; most: number }) =>
      `${d.path} has ${d.bytes} bytes; at most ${d.most} are read.`,
    why: "Half a file may mean something else than the whole of it.",
    hint: "Make the file smaller.",
    retry: "after_change",
    exit: 1,
  },
  WORKSPACE_TOO_LARGE: {
    what: (d: { found: string; most: string; setting: string; largest: string; folder: string }) =>
      `There is too much to save: ${d.found}, and \`${d.setting}\` is ${d.most}. The largest: ${d.largest}. The files stay in ${d.folder}.`,
    why: "A tree that was made too large by mistake would fill the disk and take hours to save. It was refused before a byte of it was read.",
    hint: "Let the stage delete what nobody needs, write it to a folder that .gitignore names or to /tmp, or raise the limit in the blueprint, such as `workspace: { max_size: 20g }`.",
    retry: "after_change",
    exit: 1,
  },
  WORKSPACE_INTERRUPTED: {
    what: (d: { doing: string; why: string; kept: string }) => `${d.doing} was cut off: ${d.why}. ${d.kept}`,
    why: "It must end with its stage: the time of a stage covers everything that is done for it, and whoever stops a run wants it to stop.",
    hint: "Raise the `timeout` of the stage. `pawl show RUN` names a folder with files that are not saved; resuming the run, or `pawl gc` once it has ended, saves them.",
    retry: "after_change",
    exit: 1,
  },
  WORKSPACE_DISK_FULL: {
    what: (d: { path: string }) => `There is no space left for ${d.path}.`,
    why: "What the workspace holds could not be saved, so the stage is not done. Everything saved before is kept.",
    hint: "Free some space (`pawl gc` may help), then resume the run.",
    retry: "after_change",
    exit: 1,
  },
  WORKSPACE_BUSY: {
    what: (d: { path: string }) => `Another process keeps ${d.path} locked.`,
    why: "While unused objects are removed nothing may be saved, and the other way round.",
    hint: "Wait for the other pawl to end, then try again.",
    retry: "safe",
    exit: 1,
  },
  WORKSPACE_GIT_FAILED: {
    what: (d: { doing: string; detail: string }) => `Git failed at ${d.doing}: ${d.detail}.`,
    why: "The workspace was not changed, or will be made anew. Everything saved before is kept.",
    hint: "Check the disk and the permissions of the state directory; `git fsck` on .pawl/vault.git tells whether it is damaged.",
    retry: "after_change",
    exit: 1,
  },
  WORKSPACE_STORE_FAILED: {
    what: (d: { path: string; detail: string }) => `${d.path} could not be read or written: ${d.detail}.`,
    why: "The workspace could not be made, saved or removed. Everything saved before is kept.",
    hint: "Check that the state directory exists, belongs to you and can be written.",
    retry: "after_change",
    exit: 1,
  },
} as const satisfies Catalogue;
