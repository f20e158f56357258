/** What a tick did, read from its journal. */
import type { RunId } from "../../base/ids.ts";
import { reportTick, type TickReport } from "../../loops/ticks/report.ts";
import type { RunRow } from "../../ports/store/run-index.ts";
import type { RunEvent } from "../../run/events.ts";
import type { Runtime } from "../runtime.ts";

export interface PastTick extends TickReport, Pick<RunRow, "run" | "status" | "reason"> {}

const PAGE = 1000;

export async function pastTick(
  runtime: Pick<Runtime, "read" | "find" | "trees" | "diff">,
  run: RunId,
): Promise<PastTick> {
  const events: RunEvent[] = [];
  for (let page = PAGE; page === PAGE; ) {
    const read = await runtime.read(run, events.length, PAGE);
    events.push(...read.map(({ event }) => event));
    page = read.length;
  }
  const { base, last } = await runtime.trees(run);
  const { files } = base === last ? { files: [] } : await runtime.diff(base, last);
  const { status, reason } = await runtime.find(run);
  return {
    run,
    status,
    reason,
    ...reportTick(
      events,
      files.map(({ path }) => path),
    ),
  };
}
