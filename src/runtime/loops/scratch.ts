/** A copy of a project in which a tick is rehearsed: everything happens there, and nothing in the project. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, lstat, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { pawlError } from "../../base/errors.ts";
import { RUN_LOG } from "../../blueprint/dialects/loop-engineering/run-log.ts";
import { WORKSPACE_ERRORS } from "../../ports/errors/workspace-errors.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { findRepository } from "../find-repository.ts";
import { REGISTRIES } from "../money/loop-texts.ts";
import { mockScripts } from "./mock-scripts.ts";

export interface Scratch {
  readonly root: string;
  remove(): Promise<void>;
}

const run = promisify(execFile);
const LOOP_FILES = [...[...REGISTRIES, "gate.yaml", "loop-budget.md", "loop-constraints.md", "LOOP.md", RUN_LOG]];

/** What the mock backend works on, and what it does: one repair of one file, with a test that sees it. */
const MOCK_FILES: Readonly<Record<string, string>> = {
  "src/example.ts": 'export const greeting = "helo";\n',
  "test/example.test.mjs": `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
test("the greeting is spelt well", () => assert.match(readFileSync("src/example.ts", "utf8"), /hello/));
`,
  "agents/implement.yaml": `version: 1
attempts:
  - - edit: { path: src/example.ts, find: helo, put: hello }
    - say: done
`,
  ...mockScripts({}),
};
export const MOCK_TEST: readonly string[] = ["node", "--test", "test/example.test.mjs"];

export interface ScratchOptions {
  readonly isMock: boolean;
  /** Where git is looked for. */
  readonly path: string;
  /** Put over what was copied; null: it is not there. */
  readonly files: Readonly<Record<string, string | null>>;
  /** The state file of the pattern, whatever it is called; null: none is known. */
  readonly state: string | null;
}

/**
 * Without `isMock` it is a clone of the project, with its loop files as they lie there. Rejects when git cannot make it:
 * WORKSPACE_NOT_A_REPOSITORY, TICK_COPY_FAILED.
 */
export async function makeScratch(root: string, options: ScratchOptions): Promise<Scratch> {
  const repository = options.isMock ? { top: root, folder: "" } : findRepository(root);
  if (!options.isMock && !existsSync(join(repository.top, ".git")))
    throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_NOT_A_REPOSITORY", { root });
  const folder = await realpath(await mkdtemp(join(tmpdir(), "pawl-rehearsal-")));
  const top = join(folder, "project");
  const scratch = { root: join(top, repository.folder), remove: () => rm(folder, { recursive: true, force: true }) };
  try {
    await clone(repository.top, top, options);
    await fill(root, scratch.root, options);
    return scratch;
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

async function clone(from: string, to: string, { isMock, path }: ScratchOptions): Promise<void> {
  const args = isMock ? ["init", "--quiet", "--initial-branch=main", to] : ["clone", "--quiet", "--shared", from, to];
  await run("git", args, { env: gitEnv(path) }).catch((error: Error & { stderr?: string }) => {
    const detail = (error.stderr?.trim() || error.message).replace(/^fatal: /, "");
    throw pawlError(RUNTIME_ERRORS, "TICK_COPY_FAILED", { root: from, detail }, { cause: error });
  });
}

async function fill(root: string, to: string, { isMock, path, files, state }: ScratchOptions): Promise<void> {
  const git = (...args: readonly string[]) => run("git", [...args], { env: gitEnv(path) });
  if (isMock) await put(to, MOCK_FILES);
  const own = state === null ? [] : [state];
  for (const file of new Set([...LOOP_FILES, ...own, ...(await stateFiles(root))])) await copied(root, to, file);
  await put(to, files);
  if (!isMock) return;
  await git("-C", to, "add", "--all");
  const who = ["-c", "user.name=pawl", "-c", "user.email=pawl@localhost", "-c", "commit.gpgsign=false"];
  await git("-C", to, ...who, "commit", "--quiet", "--message=begin");
}

/** Of no user and no machine: what they configure is not part of a rehearsal. */
function gitEnv(path: string): NodeJS.ProcessEnv {
  return { PATH: path, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", HOME: "/nonexistent" };
}

async function put(to: string, files: ScratchOptions["files"]): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = join(to, name);
    await mkdir(dirname(file), { recursive: true });
    await (text === null ? rm(file, { force: true }) : writeFile(file, text));
  }
}

async function stateFiles(root: string): Promise<readonly string[]> {
  return (await readdir(root)).filter((name) => /^(?:STATE|[A-Za-z0-9-]+-state)\.md$/.test(name));
}

/** What a tick would refuse to read is refused here too. */
async function copied(root: string, to: string, file: string): Promise<void> {
  const from = join(root, file);
  const found = await lstat(from).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error && /^ENO(?:ENT|TDIR)$/.test(found.code ?? "")) return;
  if (found instanceof Error || !found.isFile()) {
    const problem = found instanceof Error ? found.message : "it is not a regular file";
    throw pawlError(RUNTIME_ERRORS, "LOOP_FILE_UNFIT", { file, problem });
  }
  await mkdir(dirname(join(to, file)), { recursive: true });
  await copyFile(from, join(to, file));
}
