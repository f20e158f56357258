/** Where the runs of a project can work, as far as its files tell. Nothing is executed. */
import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";

export interface FoundWorkspace {
  /** Whether the project has a git repository to clone. */
  readonly isRepository: boolean;
  /** Folders with dependencies that git does not keep. */
  readonly share: readonly string[];
}

const DEPENDENCIES = ["node_modules", ".venv", "venv", "vendor/bundle"];

export async function findWorkspace(root: string): Promise<FoundWorkspace> {
  const isRepository = await hasRepository(root);
  const share: string[] = [];
  for (const name of DEPENDENCIES) if (await isFolder(join(root, name))) share.push(name);
  return { isRepository, share: isRepository ? share : [] };
}

async function hasRepository(root: string): Promise<boolean> {
  for (let dir = root; ; dir = dirname(dir)) {
    if (await exists(join(dir, ".git"))) return true;
    if (dirname(dir) === dir) return false;
  }
}

/** A link is not a folder: it would lead out of the project. */
async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
