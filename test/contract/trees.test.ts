/** Runs the contract of trees against every adapter. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createMemoryWorkspaces } from "../../src/adapters/memory/workspaces.ts";
import { CLONE, commitFiles, nextRun, putFile, vaultOf, workspacesAt } from "../support/git-project.ts";
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

it("git: a planted file keeps the mode it had, and drop leaves no name of the run", async () => {
  const root = join(tempDir(), "project");
  commitFiles(root, { "run.sh": { mode: "100755", text: "#!/bin/sh\n" } });
  const git = workspacesAt(root);
  const run = nextRun();
  const base = await git.base(CLONE, 1);
  const planted = await git.plant(run, { base, files: [{ path: "run.sh", text: "#!/bin/sh\nexit 0\n" }], at: 1 });
  expect(await git.changes(base, planted)).toMatchObject([{ path: "run.sh", oldMode: "100755", newMode: "100755" }]);
  expect(readdirSync(join(vaultOf(root), "refs/pawl"))).toContain(run);
  await git.drop(run);
  expect(readdirSync(join(vaultOf(root), "refs/pawl"))).not.toContain(run);
});
