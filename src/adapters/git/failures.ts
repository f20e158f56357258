/** Turns what git and the file system say into the errors of the workspace port. */
import { isPawlError, pawlError } from "../../base/errors.ts";
import { visibleLine } from "../../base/visible.ts";
import { WORKSPACE_ERRORS } from "../../ports/errors/workspace-errors.ts";

const FULL = /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/;
const LONGEST_DETAIL = 300;

export function errnoOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** The error for a git command that failed while `doing` something at `path`. */
export function gitFailure(doing: string, path: string, stderr: string): Error {
  if (FULL.test(stderr)) return pawlError(WORKSPACE_ERRORS, "WORKSPACE_DISK_FULL", { path });
  const lines = stderr.split("\n").filter((line) => /^(fatal|error):/.test(line));
  const detail = visibleLine((lines.length === 0 ? stderr : lines.join("; ")).trim(), LONGEST_DETAIL);
  return pawlError(WORKSPACE_ERRORS, "WORKSPACE_GIT_FAILED", { doing, detail: detail === "" ? "no reason" : detail });
}

/** Always an Error to throw; one that already has a code of ours is passed on. */
export function storeFailure(error: unknown, path: string): Error {
  if (isPawlError(error)) return error;
  const errno = errnoOf(error);
  if (FULL.test(errno)) return pawlError(WORKSPACE_ERRORS, "WORKSPACE_DISK_FULL", { path }, { cause: error });
  const detail = errno === "" ? String(error) : errno;
  return pawlError(WORKSPACE_ERRORS, "WORKSPACE_STORE_FAILED", { path, detail }, { cause: error });
}

export function unfit(problem: string): Error {
  return pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_UNFIT", { problem: visibleLine(problem, LONGEST_DETAIL) });
}

export function isUnfit(error: unknown): boolean {
  return isPawlError(error) && error.code === "WORKSPACE_TREE_UNFIT";
}
