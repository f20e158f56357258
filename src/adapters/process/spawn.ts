/** Starts a process in a group and session of its own, with nothing inherited but what is given. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Duplex, Readable, Writable } from "node:stream";
import type { Verdict } from "./classify.ts";

export interface Child extends ChildProcess {
  /** null: it is closed. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The fourth is the gate of a process that waits until it is told to begin. */
  readonly stdio: [Writable | null, Readable, Readable, Duplex | undefined, undefined];
}

export interface StartRequest {
  readonly argv: readonly string[];
  /** Absolute, and already checked. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** It gets a socket as descriptor 3. */
  readonly hasGate: boolean;
}

export type Started = { readonly child: Child; readonly pid: number } | { readonly refused: Verdict };

const RESOURCE: Readonly<Record<string, string>> = {
  EMFILE: "too many files are open",
  ENFILE: "too many files are open in the system",
  EAGAIN: "there are too many processes",
  ENOMEM: "there is not enough memory",
};
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such program on PATH, or the interpreter it names is missing",
  EACCES: "it is not an executable file, or you may not run it",
  EPERM: "you may not run it",
  E2BIG: "its arguments and environment are too large",
  ENOEXEC: "it is no program that this system can run",
  ELOOP: "its path is a loop of links",
  ENAMETOOLONG: "its name is too long",
  ENOTDIR: "a part of its path is not a folder",
  ETXTBSY: "its file is being written",
};

/** `hasInput`: somebody will write to its standard input. */
export async function startProcess(request: StartRequest, hasInput: boolean): Promise<Started> {
  const unfit = checkStart(request);
  if (unfit !== undefined) return refuse(unfit);
  const input = hasInput ? "pipe" : "ignore";
  let child: Child;
  try {
    child = spawn(request.argv[0] as string, request.argv.slice(1), {
      cwd: request.cwd,
      env: request.env,
      detached: true,
      stdio: request.hasGate ? [input, "pipe", "pipe", "pipe"] : [input, "pipe", "pipe"],
      windowsHide: true,
    }) as Child;
  } catch (error) {
    return refusalOf(error as NodeJS.ErrnoException);
  }
  if (child.pid === undefined) {
    const [error] = (await once(child, "error")) as [NodeJS.ErrnoException];
    return refusalOf(error);
  }
  return { child, pid: child.pid };
}

/**
 * The real path of a folder that is below the root, and that of the root; a link may not lead out. Synchronous: a few
 * microseconds, where a turn through the thread pool of a busy machine takes as long as the start of a process.
 */
export function folderBelow(
  root: string,
  folder: string,
): { readonly path: string; readonly top: string } | { readonly refused: Verdict } {
  try {
    const top = realpathSync.native(root);
    const path = realpathSync.native(resolve(top, folder));
    const way = relative(top, path);
    if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way))
      return refuse(`the folder ${folder} is outside the project`);
    return statSync(path).isDirectory() ? { path, top } : refuse(`${folder} is not a folder`);
  } catch {
    return refuse(`the folder ${folder} does not exist or cannot be entered`);
  }
}

export function checkStart({ argv, env }: Pick<StartRequest, "argv" | "env">): string | undefined {
  if (argv.length === 0 || argv[0] === "") return "there is no program to start";
  if (argv.some((part) => part.includes("\0"))) return "an argument contains a NUL character";
  for (const [name, value] of Object.entries(env)) {
    if (name === "" || name.includes("=") || name.includes("\0"))
      return "the environment has a name that is empty or contains = or NUL";
    if (value.includes("\0")) return `the variable ${name} contains a NUL character`;
  }
  return undefined;
}

function refusalOf(error: NodeJS.ErrnoException): { readonly refused: Verdict } {
  const code = error.code ?? "";
  const scarce = RESOURCE[code];
  if (scarce !== undefined)
    return { refused: { cause: "resource", what: `could not be started: ${scarce} (${code})` } };
  return refuse(REASONS[code] === undefined ? error.message : reasonOf(code));
}

export function reasonOf(code: string): string {
  return `${REASONS[code] ?? "the system refuses it"} (${code})`;
}

export function refuse(why: string): { readonly refused: Verdict } {
  return { refused: { cause: "spawn_error", what: `could not be started: ${why}` } };
}
