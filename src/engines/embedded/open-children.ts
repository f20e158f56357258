/** The children of a run that have not ended. */
import type { RunId } from "../../base/ids.ts";
import type { RunPage, RunRow } from "../../ports/store/run-index.ts";
import { isTerminal } from "../../run/reasons.ts";
import type { Hosting } from "./hosting.ts";

/** Calls back for every child that has not ended, one after the other. */
export async function eachOpenChild(
  hosting: Pick<Hosting, "runs">,
  parent: RunId,
  onChild: (row: RunRow) => Promise<unknown>,
): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: RunPage = await hosting.runs.list({ parent, limit: 100, ...(cursor === null ? {} : { cursor }) });
    for (const row of page.rows) if (!isTerminal(row.status)) await onChild(row);
    cursor = page.next;
  } while (cursor !== null);
}
