/**
 * Git on the host, for the user's repository and the vault; never for a folder that a stage could write. Nothing outside
 * the repository configures it, it runs no hook, asks nobody and signs nothing. Only `push` sees the user's own
 * configuration, because that is where credentials are.
 */

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { pawlError } from "../../../base/errors.ts";
import { sharedAttempt } from "../../../base/shared-attempt.ts";
import { visibleLine } from "../../../base/visible.ts";
import { GIT_ERRORS } from "../../../ports/errors/git-errors.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import { pastLeftLocks } from "./vault-locks.ts";

export interface GitCall {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** More output than this is a failure. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** A descriptor that git has open for as long as it runs. */
  readonly holding?: number;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs git; resolves whatever the exit code is. */
export type RunGit = (args: readonly string[], call?: GitCall) => Promise<GitResult>;

export interface Git {
  readonly project: RunGit;
  readonly vault: RunGit;
  /** In the project, with the credentials of the user. */
  readonly push: RunGit;
}

export interface GitOptions {
  readonly program: string;
  readonly root: string;
  readonly vault: string;
  /** Environment of the host: PATH, and for `push` whatever credentials need. */
  readonly env: Readonly<Record<string, string>>;
}

/** What points git at another repository or configures it from outside is not passed on. */
const PASSED_TO_PUSH = /^(?!GIT_)|^GIT_(?:SSH|SSH_COMMAND|ASKPASS|SSL_|HTTP_|CONFIG_GLOBAL$)/;

const CLOSED = {
  LC_ALL: "C",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
} as const;
const ALWAYS = {
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_EDITOR: "false",
  GIT_PAGER: "cat",
  SSH_ASKPASS_REQUIRE: "never",
} as const;

const OVERRIDES = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "commit.gpgSign=false",
  "push.gpgSign=false",
  "push.followTags=false",
  "push.recurseSubmodules=no",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "fetch.fsckObjects=true",
  "i18n.commitEncoding=UTF-8",
  "i18n.logOutputEncoding=UTF-8",
  "gc.auto=0",
  "maintenance.auto=false",
];
/** Version 2: a commit can be asked for by its id, and needs no name that would have to be taken away again. */
const NO_NETWORK = ["protocol.allow=never", "protocol.file.allow=always", "protocol.version=2"];
const ANY_NETWORK = ["protocol.ext.allow=never"];
const MOST_STDERR = 32 << 10;
const MOST_STDOUT = 64 << 20;

export function createGit({ program, root, vault, env }: GitOptions): Git {
  const path = { PATH: env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" };
  const closed = { ...path, ...CLOSED, ...ALWAYS };
  const open = {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_TO_PUSH.test(name))),
    ...path,
    ...ALWAYS,
  };
  const trust = sharedAttempt(() => trustedFolders(program, open)).get;
  const inProject: RunGit = async (args, call) =>
    start(program, [...flags([...NO_NETWORK, ...(await trust())]), "-C", root, ...args], closed, call);
  return {
    project: inProject,
    vault: (args, call) =>
      pastLeftLocks(vault, () => start(program, [...flags(NO_NETWORK), `--git-dir=${vault}`, ...args], closed, call)),
    push: (args, call) => start(program, [...flags(ANY_NETWORK), "-C", root, ...args], { ...open, LC_ALL: "C" }, call),
  };
}

/** Standard output without its last line end; rejects when git fails. */
export async function ask(doing: string, result: Promise<GitResult>): Promise<string> {
  return (await askBytes(doing, result)).toString().replace(/\n$/, "");
}

export async function askBytes(doing: string, result: Promise<GitResult>): Promise<Buffer> {
  const { code, stdout, stderr } = await result;
  if (code !== 0) throw pawlError(GIT_ERRORS, "GIT_COMMAND_FAILED", { doing, detail: detailOf(stderr) });
  return stdout;
}

/** For commands that answer by their exit code: 0 is yes, 1 is no, anything else is no answer. */
export async function isSo(doing: string, result: Promise<GitResult>): Promise<boolean> {
  const { code } = await result;
  if (code === 1) return false;
  await askBytes(doing, result);
  return true;
}

/** The gist of what git said, without the user and password of an address. */
export function detailOf(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const telling = lines.filter((line) => /^(?:fatal|error|remote|ssh):/i.test(line));
  const text = (telling.length > 0 ? telling : lines).join("; ").replace(/\/\/[^/@\s]*@/g, "//…@");
  return text === "" ? "it gave no reason" : visibleLine(text, 400);
}

function flags(more: readonly string[]): string[] {
  return [...OVERRIDES, ...more].flatMap((setting) => ["-c", setting]);
}

/** Folders of other owners that the user has told git to trust: the one thing taken from their configuration. */
async function trustedFolders(program: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { code, stdout } = await start(program, ["config", "--global", "-z", "--get-all", "safe.directory"], env, {});
  const folders =
    code === 0
      ? stdout
          .toString()
          .split("\0")
          .filter((folder) => folder !== "")
      : [];
  return folders.map((folder) => `safe.directory=${folder}`);
}

function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { input = "", env: more = {}, maxBytes = MOST_STDOUT, signal, holding }: GitCall = {},
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const refuse = (detail: string, cause?: Error): void =>
      reject(pawlError(GIT_ERRORS, "GIT_COMMAND_FAILED", { doing: "starting", detail }, { cause }));
    if (signal?.aborted === true) {
      refuse("it was ended");
      return;
    }
    // In its own group: a key pressed in the terminal of the host must not cut off an update.
    const held = holding === undefined ? [] : [holding];
    const stdio = ["pipe", "pipe", "pipe", ...held] as const;
    const options = { cwd: "/", env: { ...env, ...more }, detached: true, stdio: [...stdio] };
    // The first three are pipes.
    const child = spawn(program, [...args], options) as ChildProcessWithoutNullStreams;
    const callOff = endWith(child, signal);
    const out: Buffer[] = [];
    let [size, stderr] = [0, ""];
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) out.push(chunk);
      else child.kill("SIGKILL");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < MOST_STDERR) stderr += chunk.toString("latin1");
    });
    // Git may end before it has read everything.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    child.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" || error.code === "EACCES"
        ? reject(pawlError(WORKSPACE_ERRORS, "WORKSPACE_GIT_MISSING", { program }, { cause: error }))
        : refuse(visibleLine(error.message, 200), error),
    );
    child.once("close", (code) => {
      callOff();
      if (signal?.aborted === true) refuse("it was ended");
      const isTooMuch = size > maxBytes;
      resolve({
        code: isTooMuch ? 1 : (code ?? 1),
        stdout: Buffer.concat(out),
        stderr: isTooMuch ? `error: more than ${maxBytes} bytes of output` : stderr,
      });
    });
  });
}

/** Ends git with whatever it has started: what serves a remote on this machine, and its hooks, are in its group. */
function endWith(child: ChildProcess, signal: AbortSignal | undefined): () => void {
  const end = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal?.reason === "kill" ? "SIGKILL" : "SIGTERM");
    } catch {
      // They are gone already.
    }
  };
  signal?.addEventListener("abort", end, { once: true });
  return () => signal?.removeEventListener("abort", end);
}
