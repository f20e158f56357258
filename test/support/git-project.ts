/** A user's repository for tests of workspaces, the walls around its cells, and what a folder holds. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createGitWorkspaces, type GitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import { createBubblewrapSandbox } from "../../src/adapters/sandbox/sandbox.ts";
import { formatRunId, type RunId } from "../../src/base/ids.ts";
import type { WorkspaceSpec } from "../../src/blueprint/blueprint.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import type { Place, SaveLabel } from "../../src/ports/workspaces.ts";

export interface TreeFile {
  /** As git has it: `100644`, `100755` or `120000` for a link, whose text is where it leads. */
  readonly mode: "100644" | "100755" | "120000";
  readonly text: string;
}

export const CLONE: WorkspaceSpec = { kind: "clone", from: "head", share: [] };
export const LABEL: SaveLabel = { stage: "build", attempt: 1, at: 1_700_000_000_000 };

let walls: Sandbox | null = null;

export function realSandbox(): Sandbox {
  walls ??= createBubblewrapSandbox({ readable: [], path: process.env["PATH"] ?? "", nodeProgram: process.execPath });
  return walls;
}

const GIT_ENV = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd,
    env: GIT_ENV,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();
}

/** Commits these files in a repository at `root`, which is made when there is none. */
export function commitFiles(
  root: string,
  files: Readonly<Record<string, string | TreeFile>>,
  ...init: string[]
): string {
  mkdirSync(root, { recursive: true });
  git(root, "init", "-q", ...init);
  for (const [path, file] of Object.entries(files))
    putFile(root, path, typeof file === "string" ? { mode: "100644", text: file } : file);
  git(root, "add", "-A", "-f", "--", ".", ":!.pawl");
  git(root, "commit", "-q", "--allow-empty", "-m", "base");
  return git(root, "rev-parse", "HEAD");
}

export function putFile(folder: string, path: string, { mode, text }: TreeFile): void {
  const at = join(folder, path);
  mkdirSync(dirname(at), { recursive: true });
  rmSync(at, { recursive: true, force: true });
  if (mode === "120000") symlinkSync(text, at);
  else {
    writeFileSync(at, text);
    chmodSync(at, mode === "100755" ? 0o755 : 0o644);
  }
}

/** Every file below a folder but those of its own repository; names as bytes, read as latin1. */
export function filesOf(folder: string): Record<string, TreeFile> {
  const found: Record<string, TreeFile> = {};
  const at = (path: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);
  const walk = (below: string): void => {
    for (const name of readdirSync(at(below), { encoding: "latin1" }) as string[]) {
      const path = below === "" ? name : `${below}/${name}`;
      if (path === ".git") continue;
      const stats = lstatSync(at(path));
      const mode = (stats.mode & 0o100) === 0 ? "100644" : "100755";
      if (stats.isDirectory()) walk(path);
      else if (stats.isSymbolicLink()) found[path] = { mode: "120000", text: readlinkSync(at(path), "latin1") };
      else if (stats.isFile()) found[path] = { mode, text: readFileSync(at(path), "latin1") };
    }
  };
  walk("");
  return found;
}

export function workspacesAt(root: string, sandbox: Sandbox = realSandbox()): GitWorkspaces {
  return createGitWorkspaces({ root, dir: `${root}/.pawl/workspaces`, vault: vaultOf(root), sandbox });
}

export function vaultOf(root: string): string {
  return `${root}/.pawl/vault.git`;
}

let runs = 0;

export function nextRun(): RunId {
  runs += 1;
  return formatRunId(Uint8Array.from([...Buffer.from(String(runs).padStart(12, "0"))].map((byte) => byte & 15)));
}

export function placeOf(spec: WorkspaceSpec = CLONE, member: string | null = null, run: RunId = nextRun()): Place {
  return { run, member, spec };
}
