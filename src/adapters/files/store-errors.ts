/** Turns what the file system says into the errors of the artifact port. */
import { isPawlError, pawlError } from "../../base/errors.ts";
import { ARTIFACT_ERRORS } from "../../ports/errors/artifact-errors.ts";

export function errnoOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** Always an Error to throw; one that already has a code of ours is passed on. */
export function storeError(error: unknown, path: string): Error {
  if (isPawlError(error)) return error;
  const errno = errnoOf(error);
  if (errno === "ENOSPC" || errno === "EDQUOT")
    return pawlError(ARTIFACT_ERRORS, "ARTIFACT_DISK_FULL", { path }, { cause: error });
  const detail = errno === "" ? String(error) : errno;
  return pawlError(ARTIFACT_ERRORS, "ARTIFACT_STORE_FAILED", { path, detail }, { cause: error });
}
