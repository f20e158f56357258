/** A request made ready to be compared with many rules: what several of them need is worked out once. */
import { type PathParts, pathParts } from "../base/match/glob.ts";
import type { PolicyRequest } from "./request.ts";

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
}

/** A home folder is a place outside, wherever it is. */
export function placeOf(path: string): PathParts {
  return pathParts(rooted(path));
}

export function rooted(path: string): string {
  return path.startsWith("~") ? `/${path}` : path;
}

export function placesOf(asked: Asked): readonly PathParts[] {
  asked.places ??= argumentsOf(asked.request).flatMap(pathsIn).map(placeOf);
  return asked.places;
}

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

/** An argument as a path, and each part of it that programs take for one: `--x=PATH`, `-xPATH`, `@PATH`, `host:PATH`. */
function pathsIn(argument: string): readonly string[] {
  const found = [argument];
  const value = /[=@:](.*)$/s.exec(argument)?.[1];
  if (value !== undefined) found.push(value);
  const attached = argument.startsWith("-") ? /^-[^/~.]*([/~.].*)$/s.exec(argument)?.[1] : undefined;
  if (attached !== undefined) found.push(attached);
  return found;
}
