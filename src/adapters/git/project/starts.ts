/** Where new runs start: from the user's commit or files, with the folder of the project in them. */
import type { Workspaces } from "../../../ports/workspaces.ts";
import type { HostGit } from "../host-git.ts";
import { interruptible, NEVER } from "../interrupt.ts";
import { openVault } from "../vault/vault.ts";
import { takeBase } from "./base.ts";
import { pathFromProject, requireFolder } from "./below.ts";
import { listUncommitted } from "./uncommitted.ts";

export interface StartsOptions {
  readonly git: HostGit;
  readonly root: string;
  /** Where in the repository the project lies; empty: the whole of it is the project. */
  readonly project: string;
  readonly home: string;
  readonly vaultDir: string;
}

export function createStarts(options: StartsOptions): Pick<Workspaces, "base" | "uncommitted"> {
  const { git, root, project, home, vaultDir } = options;
  return {
    base: (spec, at, signal = NEVER) =>
      interruptible(signal, { doing: "Taking what a run starts from" }, async () => {
        const bound = git.under(signal);
        const tree = await takeBase({ ...options, git: bound }, spec, at);
        const vault = project === "" ? null : await openVault(bound, vaultDir);
        if (vault !== null) await requireFolder(vault, tree, root, project);
        return tree;
      }),
    async uncommitted() {
      return (await listUncommitted(git, root, project, home)).map((path) => pathFromProject(path, project));
    },
  };
}
