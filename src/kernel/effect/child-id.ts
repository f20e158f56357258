/** The id of a child run follows from its parent, so a resumed parent finds the child it had started. */
import { sha256 } from "../../base/digest.ts";
import { formatRunId, type RunId } from "../../base/ids.ts";

export function childRunId(parent: RunId, stage: string, visit: number, failures: number): RunId {
  const digest = sha256(`${parent}:${stage}:${visit}:${failures}`);
  return formatRunId(
    Uint8Array.from({ length: 12 }, (_, index) => Number.parseInt(digest.slice(index * 2, index * 2 + 2), 16)),
  );
}
