/** Starts a process in a group and session of its own, with nothing inherited but what is given. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Readable } from "node:stream";
import type { Verdict } from "./classify.ts";

export type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface StartRequest {
  readonly argv: readonly string[];
  /** Absolute, and already checked. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
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

export async function startProcess(request: StartRequest): Promise<Started> {
  const unfit = checkStart(request);
  if (unfit !== undefined) return refuse(unfit);
  let child: Child;
  try {
    child = spawn(request.argv[0] as string, request.argv.slice(1), {
      cwd: request.cwd,
      env: request.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
  } catch (error) {
    return refusalOf(error as NodeJS.ErrnoException);
  }
  if (child.pid === undefined) {
    const [error] = (await once(child, "error")) as [NodeJS.ErrnoException];
    return refusalOf(error);
  }
  return { child, pid: child.pid };
}

/** The real path of a folder that is below the root; a link may not lead out. */
export async function folderBelow(
  root: string,
  folder: string,
): Promise<{ readonly path: string } | { readonly refused: Verdict }> {
  try {
    const top = await realpath(root);
    const path = await realpath(resolve(top, folder));
    const way = relative(top, path);
    if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way))
      return refuse(`the folder ${folder} is outside the project`);
    return (await stat(path)).isDirectory() ? { path } : refuse(`${folder} is not a folder`);
  } catch {
    return refuse(`the folder ${folder} does not exist or cannot be entered`);
  }
}

function checkStart({ argv, env }: StartRequest): string | undefined {
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
  return refuse(`${REASONS[code] ?? error.message}${code === "" ? "" : ` (${code})`}`);
}

export function refuse(why: string): { readonly refused: Verdict } {
  return { refused: { cause: "spawn_error", what: `could not be started: ${why}` } };
}
