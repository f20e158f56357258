/** Reads what a stage gave to an action. Names that git could take for something else are refused. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";

const PREFIX = "pawl/";
const BRANCH = /^[A-Za-z0-9][A-Za-z0-9_-]*(?:[./][A-Za-z0-9_-]+)*$/;
const REMOTE = /^[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;
const MOST_NAME = 200;

export function unfit(member: string, problem: string): Error {
  return pawlError(GIT_ERRORS, "GIT_INPUT_UNFIT", { member, problem });
}

/** undefined: it was not given. */
export function optionalText(input: JsonObject, member: string, maxBytes: number): string | undefined {
  const value = input[member];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw unfit(member, "is not a text");
  if (Buffer.byteLength(value) > maxBytes) throw unfit(member, `is longer than ${maxBytes} bytes`);
  if (/[\0\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(value)) throw unfit(member, "holds control characters");
  return value;
}

export function text(input: JsonObject, member: string, maxBytes: number): string {
  const value = optionalText(input, member, maxBytes);
  if (value === undefined || value.trim() === "") throw unfit(member, "is missing or empty");
  return value;
}

/** A branch that Pawl may make and move: `pawl/…`, by default the one of the run. */
export function ownBranch(input: JsonObject, member: string, run: RunId): string {
  const name = optionalText(input, member, MOST_NAME) ?? `${PREFIX}${run}`;
  if (!name.startsWith(PREFIX)) throw unfit(member, `must begin with ${PREFIX}`);
  return checkBranch(name, member);
}

/** A branch of the user. */
export function userBranch(input: JsonObject, member: string): string {
  return checkBranch(text(input, member, MOST_NAME), member);
}

export function remoteName(input: JsonObject): string {
  const name = optionalText(input, "remote", MOST_NAME) ?? "origin";
  if (!REMOTE.test(name)) throw unfit("remote", "is not the name of a remote");
  return name;
}

/** Stricter than git: no name that means something else to git, to a shell, in an address or on another file system. */
function checkBranch(name: string, member: string): string {
  const isReserved = name.split("/").some((part) => /\.lock$/i.test(part) || /^(?:HEAD|con|nul|aux|prn)$/i.test(part));
  if (!BRANCH.test(name) || isReserved || /^refs\//i.test(name)) {
    throw unfit(member, "is not a branch name of letters, digits, `-`, `_`, `.` and `/`");
  }
  return name;
}
