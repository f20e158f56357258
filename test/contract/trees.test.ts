/** Runs the contract of trees against every adapter. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createMemoryWorkspaces } from "../../src/adapters/memory/workspaces.ts";
import { commitFiles, putFile, workspacesAt } from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type TreesFixture, treeReaderContract, treesContract } from "./trees.contract.ts";

treeReaderContract("memory", (project) => {
  const memory = createMemoryWorkspaces(project);
  return {
    workspaces: memory,
    reader: memory,
    write(folder, path, text) {
      if (text === null) memory.files(folder)?.delete(path);
      else memory.files(folder)?.set(path, text);
    },
  };
});

function openGit(project: Readonly<Record<string, string>>): TreesFixture {
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
}

treesContract("git", openGit);
treeReaderContract("git", (project) => {
  const { workspaces, trees, write } = openGit(project);
  return { workspaces, reader: trees, write };
});
