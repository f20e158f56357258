/** Runs the contract of trees against every adapter. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { commitFiles, putFile, workspacesAt } from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";
import { treesContract } from "./trees.contract.ts";

treesContract("git", (project) => {
  const root = join(tempDir(), "project");
  commitFiles(root, project);
  const git = workspacesAt(root);
  return {
    workspaces: git,
    trees: git,
    write(folder, path, text) {
      if (text === null) rmSync(join(folder, path));
      else putFile(folder, path, { mode: "100644", text });
    },
    exists: existsSync,
  };
});
