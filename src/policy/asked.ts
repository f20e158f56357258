/** A request made ready to be compared with many rules: what several of them need is worked out once. */
import { normalisePath, type PathParts, pathParts } from "../base/match/glob.ts";
import type { PolicyRequest, RequestOf } from "./request.ts";

/**
 * How a rule reads what is not known. A rule that allows must cover it whatever it turns out to be; a rule that asks or denies
 * matches when it may.
 */
export type Mode = "must" | "may";

export interface Asked {
  readonly request: PolicyRequest;
  /** It is part of a text that a rule names as a whole: what is not known in it was written by the author of that rule. */
  readonly isVouched: boolean;
  /** The paths that arguments may name, worked out when a rule first asks. */
  places?: readonly PathParts[];
  /** No argument has another spelling as a path. */
  isPlain?: boolean;
  /** Its arguments as they are written, and these together with the paths that they are. */
  written?: readonly string[];
  resolved?: readonly string[];
}

/** A home folder is a place outside, wherever it is. */
export function placeOf(path: string): PathParts {
  return pathParts(rooted(path));
}

export function rooted(path: string): string {
  return path.startsWith("~") ? `/${path}` : path;
}

export function placesOf(asked: Asked): readonly PathParts[] {
  asked.places ??= pathsOf(asked.request).map(placeOf);
  return asked.places;
}

function pathsOf(request: PolicyRequest): readonly string[] {
  const named = argumentsOf(request).flatMap(pathsIn);
  if (request.kind !== "run" || isPlainlyPlaced(request, named)) return named;
  return [...named, ...named.flatMap((path) => otherPaths(path, request.folders)), ...(request.beginnings ?? NONE)];
}

/** Most commands: nothing else can be said of where their arguments lead. Every decision comes here. */
function isPlainlyPlaced({ folders, beginnings }: RequestOf<"run">, named: readonly string[]): boolean {
  return folders === undefined && beginnings === undefined && !named.some(mayLeadElsewhere);
}

function mayLeadElsewhere(path: string): boolean {
  return path.includes("..") || path.includes("proc/");
}

const NONE: readonly string[] = [];
/** Every process shows its root and its folder there. */
const PROCESS_LINK = /^\/+proc\/+[^/]+\/+(root|cwd)\/+(.*)$/s;

/**
 * The same path as it reads elsewhere: from each folder in which the command may be started, and, as nobody knows how deep the workspace
 * lies, from the top of the system for one that leads above the workspace.
 */
export function otherPaths(path: string, folders: readonly string[] = NONE): readonly string[] {
  if (folders.length === 0 && !mayLeadElsewhere(path)) return NONE;
  const [, link, behind = ""] = PROCESS_LINK.exec(path) ?? [];
  if (link !== undefined) return [`${link === "root" ? "/" : ""}${behind}`];
  const isFixed = path.startsWith("/") || path.startsWith("~");
  const below = isFixed ? NONE : folders.filter((folder) => folder !== "").map((folder) => `${folder}/${path}`);
  const all = [path, ...below];
  const fromTop = all.flatMap((one) => {
    const { from, names } = placeOf(one);
    return from === "above" ? [`/${names.filter((name) => name !== "..").join("/")}`] : [];
  });
  return [...below, ...fromTop];
}

/** Other spellings of an argument that may be a path, for rules that ask or deny. */
export function otherSpellings(argument: string, folders?: readonly string[]): readonly string[] {
  if (folders === undefined && !mayBeSpelledOtherwise(argument)) return NONE;
  if (argument === "" || argument.startsWith("-")) return NONE;
  return [argument, ...otherPaths(argument, folders)].map(normalisePath).filter((path) => path !== argument);
}

/** Most commands: every rule may ask, so it is found out once. */
export function hasOneSpelling(asked: Asked): boolean {
  const { request } = asked;
  asked.isPlain ??=
    request.kind !== "run" ||
    (request.folders === undefined && request.beginnings === undefined && !request.argv.some(mayBeSpelledOtherwise));
  return asked.isPlain;
}

/** Arguments as the paths that they are, after every `cd` and `..` on the way. */
export function resolvedArguments(request: PolicyRequest): readonly string[] {
  if (request.kind !== "run") return NONE;
  const { folders, beginnings = NONE } = request;
  return [...argumentsOf(request).flatMap((argument) => otherSpellings(argument, folders)), ...beginnings];
}

/** `./a`, `a//b`, `a/../b`, `a/.`, `a/` and paths of a process. */
function mayBeSpelledOtherwise(argument: string | null): boolean {
  return argument !== null && SPELLED_OTHERWISE.test(argument);
}

const SPELLED_OTHERWISE = /\.\.|\/\.|\.\/|\/\/|\/$|proc\//;

/** Arguments after the program; values of a tool call. What is not known is left out: see `hasUnknown`. */
export function argumentsOf(request: PolicyRequest): readonly string[] {
  if (request.kind === "run") return request.argv.slice(1).filter((argument) => argument !== null);
  return request.kind === "tool" ? textsIn(request.args) : [];
}

export function hasUnknown(request: PolicyRequest): boolean {
  return request.kind === "run" && request.argv.includes(null);
}

/** The request with nothing but what is known of it. */
export function knownPart(asked: Asked): Asked {
  const { request, isVouched } = asked;
  if (request.kind !== "run") return asked;
  return { request: { ...request, argv: request.argv.filter((argument) => argument !== null) }, isVouched };
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const PARTS = /[=@:]/;
const MOST_PARTS = 8;

/** An argument as a path, and each part of it that programs take for one: `--x=PATH`, `-xPATH`, `@PATH`, `host:PATH`, `PATH:/x`. */
function pathsIn(argument: string): readonly string[] {
  const found = [argument];
  for (let at = argument.search(PARTS); at >= 0 && found.length < MOST_PARTS; ) {
    found.push(argument.slice(at + 1));
    const next = argument.slice(at + 1).search(PARTS);
    at = next < 0 ? -1 : at + 1 + next;
  }
  const mounted = argument.includes(":") ? /^(?:[^=:]*=)?([^:]+):[/~.]/.exec(argument)?.[1] : undefined;
  if (mounted !== undefined) found.push(mounted);
  const attached = argument.startsWith("-") ? /^-[^/~.]*([/~.].*)$/s.exec(argument)?.[1] : undefined;
  if (attached !== undefined) found.push(attached);
  return found;
}
