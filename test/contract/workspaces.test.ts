/** Runs the contract of workspaces against every adapter. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createMemoryWorkspaces } from "../../src/adapters/memory/workspaces.ts";
import { commitFiles, filesOf, putFile, type TreeFile, workspacesAt } from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";
import { workspacesContract } from "./workspaces.contract.ts";

const fileOf = (file: TreeFile | string): TreeFile =>
  typeof file === "string" ? { mode: "100644", text: file } : file;

/** A file in memory is one text: here it carries its mode too. */
function put(files: Map<string, string>, path: string, file: TreeFile | string | null): void {
  if (file === null) files.delete(path);
  else files.set(path, JSON.stringify(fileOf(file)));
}

workspacesContract("memory", (project) => {
  const texts = Object.entries(project).map(([path, file]) => [path, JSON.stringify(file)] as const);
  const workspaces = createMemoryWorkspaces(Object.fromEntries(texts));
  return {
    workspaces,
    another: () => workspaces,
    change: (path, file) => put(workspaces.project, path, file),
    write: (folder, path, file) => put(workspaces.files(folder) ?? new Map(), path, file),
    read(folder) {
      const files = workspaces.files(folder);
      if (files === undefined) return undefined;
      return Object.fromEntries([...files].map(([path, text]) => [path, JSON.parse(text) as TreeFile]));
    },
  };
});

function lay(folder: string, path: string, file: TreeFile | string | null): void {
  if (file === null) rmSync(join(folder, path));
  else putFile(folder, path, fileOf(file));
}

workspacesContract("git", (project) => {
  const root = join(tempDir(), "project");
  commitFiles(root, project);
  return {
    workspaces: workspacesAt(root),
    another: () => workspacesAt(root),
    change: (path, file) => lay(root, path, file),
    write: lay,
    read: (folder) => (existsSync(folder) ? filesOf(folder) : undefined),
  };
});
