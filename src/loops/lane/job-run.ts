/** The run of a job: always the same for the same job, so that the journal refuses a second one. */
import { sha256 } from "../../base/digest.ts";
import { formatRunId, type RunId } from "../../base/ids.ts";

export function jobRun(job: string): RunId {
  const digest = sha256(`job ${job}`);
  return formatRunId(Uint8Array.from({ length: 12 }, (_, i) => Number.parseInt(digest.slice(i * 2, i * 2 + 2), 16)));
}
