/** From a request to what is started on this machine: the program itself, or the wall that is built around it. */

import { constants, lstatSync } from "node:fs";
import { access, mkdir, realpath } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { isPawlError, type PawlError } from "../../base/errors.ts";
import type { ProcessRequest } from "../../ports/executor.ts";
import { BEHIND, type Enclosure, type Mount, type Sandbox } from "../../ports/sandbox.ts";
import type { Verdict } from "./classify.ts";
import { type Inputs, inputVariables } from "./inputs.ts";
import { nestedSeals, nestedStates } from "./nested-seals.ts";
import { sealedPaths } from "./sealed-paths.ts";
import { checkStart, folderBelow, reasonOf, refuse, type StartRequest } from "./spawn.ts";
import { mostTasks } from "./watch/group.ts";
import { listProcesses } from "./watch/proc.ts";

const FIRST_PORT = 20_000;
const PORT_BLOCKS = 120;

export interface Surroundings {
  readonly root: string;
  readonly stateDir: string;
  readonly tempDir: string;
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  /** Folders of a workspace from which the user's git runs hooks. */
  readonly hooksFolders: () => Promise<readonly string[]>;
}

export interface Start extends StartRequest {
  /** Its working folder on this machine. */
  readonly folder: string;
  /** null: there is no wall. */
  readonly enclosure: Enclosure | null;
}

/** Variables that say how to write text and time; they tell nothing about this machine. */
const LOCALE = /^(LANG|LC_[A-Z]+|TZ)$/;
const BLOCK = 512;
const OTHERS = 1024;

/** What the kernel shall limit from the first instruction on. */
export interface Hardness {
  readonly hasGroup: boolean;
  /** Processes at the same time; null: not limited so. */
  readonly processes: number | null;
}

export async function prepareStart(
  around: Surroundings,
  request: ProcessRequest,
  inputs: Inputs,
  hardness: Hardness,
): Promise<Start | { readonly refused: Verdict }> {
  const folder = folderBelow(request.folder ?? around.root, join(request.project, request.cwd));
  if ("refused" in folder) return folder;
  const own = {
    PAWL_RUN: request.run,
    PAWL_STAGE: request.stage,
    PAWL_ATTEMPT: String(request.attempt),
    PAWL_KEY: request.key,
    PAWL_PORT_BASE: String(portBase(request.run)),
  };
  if (request.wall.sandbox === "danger_full_access") {
    // Nothing is inherited; our own names come last, so that nothing can take their place.
    const inputPaths = inputs.folder === null ? {} : inputVariables(inputs, inputs.folder);
    const env = { ...around.baseEnv, ...request.env, ...own, ...inputPaths };
    return prepareOpen({ argv: request.argv, env, cwd: folder.path }, request.wall.resources.fileBytes, hardness);
  }
  const env = {
    ...Object.fromEntries(Object.entries(around.baseEnv).filter(([name]) => LOCALE.test(name))),
    ...request.env,
    ...own,
    ...inputVariables(inputs, BEHIND.inputs),
  };
  const unfit = checkStart({ argv: request.argv, env });
  if (unfit !== undefined) return refuse(unfit);
  return enclose(around, { request, inputs, env, top: folder.top, folder: folder.path, hardness });
}

/** A program without a wall is started as it is, unless the kernel shall keep a limit from its first instruction on. */
async function prepareOpen(
  program: Pick<StartRequest, "argv" | "env" | "cwd">,
  fileBytes: number | null,
  hardness: Hardness,
): Promise<Start | { readonly refused: Verdict }> {
  const plain = { ...program, folder: program.cwd, enclosure: null };
  const limits = [
    ...(fileBytes === null ? [] : [`ulimit -f ${Math.max(1, Math.ceil(fileBytes / BLOCK))}`]),
    // Here the system counts everything of this user, also what it starts elsewhere meanwhile.
    ...taskLimit(hardness, () => countTasks() + OTHERS),
  ];
  if (limits.length === 0 && !hardness.hasGroup) return { ...plain, hasGate: false };
  const problem = checkStart(program) ?? (await findProgram(program));
  if (problem !== undefined) return refuse(problem);
  const script = ["printf . >&3", "read -r go <&3 || exit 125", ...limits, 'exec "$@" 3>&-'].join("\n");
  return { ...plain, argv: ["/bin/sh", "-c", script, "sh", ...program.argv], hasGate: true };
}

/** Where no group keeps the number of processes, this does; but not for the superuser. Shells differ in the letter. */
function taskLimit({ hasGroup, processes }: Hardness, besides: () => number): readonly string[] {
  if (hasGroup || processes === null || process.getuid?.() === 0) return [];
  const set = ["-u", "-p"].map((letter) => `ulimit ${letter} ${mostTasks(processes) + besides()}`);
  return [`if (${set[0]}) 2>/dev/null; then ${set[0]}; elif (${set[1]}) 2>/dev/null; then ${set[1]}; fi`];
}

/** Processes and threads of this user. */
function countTasks(): number {
  const own = process.getuid?.();
  const isOwn = (pid: number): boolean => lstatSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === own;
  return listProcesses().reduce((sum, fact) => sum + (isOwn(fact.pid) ? fact.threads : 0), 0);
}

/** Why the program cannot be started, when that can be told beforehand. */
async function findProgram({
  argv,
  env,
  cwd,
}: Pick<StartRequest, "argv" | "env" | "cwd">): Promise<string | undefined> {
  const name = argv[0] as string;
  const folders = name.includes("/") ? [cwd] : (env["PATH"] ?? "").split(":");
  let problem = reasonOf("ENOENT");
  for (const folder of folders) {
    try {
      await access(resolve(cwd, folder, name), constants.X_OK);
      return undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EACCES") problem = reasonOf("EACCES");
    }
  }
  return problem;
}

interface Walled {
  readonly request: ProcessRequest;
  readonly inputs: Inputs;
  readonly env: Readonly<Record<string, string>>;
  /** Real paths: of the workspace, and of the working folder in it. */
  readonly top: string;
  readonly folder: string;
  readonly hardness: Hardness;
}

async function enclose(around: Surroundings, walled: Walled): Promise<Start | { readonly refused: Verdict }> {
  const { request, inputs, env, top, folder, hardness } = walled;
  const { sandbox, network, resources } = request.wall;
  const { modelSocket } = request;
  const sealed = await sealsOf(around, request, top);
  const mounts: Mount[] = [
    {
      from: top,
      to: BEHIND.workspace,
      access: sandbox === "read_only" ? "read" : "write",
      ...(request.folder === null ? {} : { keepsPlaces: true }),
    },
    ...(await hideStates(around, top, request.folder === null ? nestedStates(top) : [])),
    ...request.mounts,
    ...(inputs.folder === null ? [] : [{ from: inputs.folder, to: BEHIND.inputs, access: "read" as const }]),
  ];
  try {
    const enclosure = await around.sandbox.enclose({
      key: request.key,
      argv: withTaskLimit(request.argv, hardness),
      env,
      cwd: posix.join(BEHIND.workspace, relative(top, folder).split(sep).join("/")),
      mounts,
      sealed: sealed.map((path) => posix.join(BEHIND.workspace, path)),
      network,
      ...(modelSocket === undefined ? {} : { modelSocket }),
      fileBytes: resources.fileBytes,
    });
    return { argv: enclosure.argv, env: enclosure.env, cwd: "/", hasGate: true, folder, enclosure };
  } catch (error) {
    if (!isPawlError(error) || !error.code.startsWith("SANDBOX_")) throw error;
    return refusalOf(error);
  }
}

/** What is scarce may be there soon; what cannot be protected is for its owner to change. */
function refusalOf(error: PawlError): { readonly refused: Verdict } {
  const told = error.message.replace(/\.$/, "");
  if (error.code === "SANDBOX_STARVED")
    return { refused: { cause: "resource", what: `could not be started: ${told}` } };
  const hint = error.code === "SANDBOX_PATH_UNFIT" ? error.problems[0]?.hint : undefined;
  return refuse(hint === undefined ? told : `${told}. ${hint.replace(/\.$/, "")}`);
}

/** Relative to the workspace. */
async function sealsOf(around: Surroundings, request: ProcessRequest, top: string): Promise<readonly string[]> {
  const usual = sealedPaths(request.wall.sandbox, hasFolder(top, ".git"), request.project);
  if (usual.length === 0) return [];
  return [...new Set([...usual, ...nestedSeals(top), ...(await around.hooksFolders())])];
}

function hasFolder(top: string, name: string): boolean {
  return lstatSync(join(top, name), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Where the workspace is the project itself, an empty folder lies over our state, and over that of projects below it. */
async function hideStates(
  { stateDir, tempDir }: Surroundings,
  top: string,
  others: readonly string[],
): Promise<readonly Mount[]> {
  const state = await realpath(stateDir).catch(() => null);
  const way = state === null ? "" : relative(top, state);
  const isElsewhere = way === "" || way === ".." || way.startsWith(`..${sep}`);
  const own = isElsewhere ? [] : [way.split(sep).join("/")];
  const hidden = [...new Set([...own, ...others])];
  if (hidden.length === 0) return [];
  const empty = join(tempDir, "empty");
  await mkdir(empty, { recursive: true, mode: 0o700 });
  return hidden.map((path) => ({ from: empty, to: posix.join(BEHIND.workspace, path), access: "read" as const }));
}

/** In a user namespace the system counts its processes for themselves. */
function withTaskLimit(argv: readonly string[], hardness: Hardness): readonly string[] {
  const limits = taskLimit(hardness, () => 0);
  return limits.length === 0 ? argv : ["/bin/sh", "-c", [...limits, 'exec "$@"'].join("\n"), "sh", ...argv];
}

/** The first of a hundred ports that a run may take for its servers, so that runs without a wall keep apart. */
function portBase(run: string): number {
  return FIRST_PORT + (Number.parseInt(sha256(run).slice(0, 8), 16) % PORT_BLOCKS) * 100;
}
