/** Lanes and their jobs as tables. */
import { formatDuration } from "../../../base/duration.ts";
import type { LaneRow, Queue, QueueRow } from "../../../ports/loops/jobs.ts";
import type { Paint } from "../../output.ts";
import { oneLine } from "../event-line.ts";
import { formatAge } from "../text/format-time.ts";
import { renderTable } from "../text/table.ts";

interface QueueView {
  readonly now: number;
  readonly columns: number;
  readonly paint: Paint;
}

export function renderQueue({ lanes, jobs }: Queue, view: QueueView): string[] {
  if (lanes.length === 0) return ["nothing is queued, and nothing was."];
  const { columns, paint } = view;
  const lines = renderTable(
    { head: ["lane", "running", "queued", "an hour", "each takes"], rows: lanes.map(laneCells) },
    columns,
    paint.dim,
  );
  if (jobs.length === 0) return lines;
  const head = ["job", "lane", "caller", "place", "begins", "queued", "run"];
  const rows = jobs.map((job) => jobCells(job, view));
  return [...lines, "", ...renderTable({ head, rows, whole: 1 }, columns, paint.dim)];
}

function laneCells({ lane, max, running, queued, perHour, meanMs }: LaneRow): string[] {
  const takes = meanMs === null ? "" : formatDuration(meanMs);
  return [oneLine(lane), `${running} of ${max}`, String(queued), String(perHour), takes];
}

function jobCells({ id, lane, caller, position, etaMs, queuedAt, run, holder }: QueueRow, { now, paint }: QueueView) {
  const age = formatAge(queuedAt, now);
  const names = [oneLine(id), oneLine(lane), oneLine(caller)];
  if (position !== null) return [...names, String(position), etaMs === null ? "" : beginsIn(etaMs), age, run];
  if (holder === null) return [...names, { text: "runs", paint: paint.red }, "its process is gone", age, run];
  return [...names, { text: "runs", paint: paint.green }, `process ${holder.pid}`, age, run];
}

function beginsIn(etaMs: number): string {
  return etaMs === 0 ? "next" : `in ${formatDuration(Math.max(1000, Math.round(etaMs / 1000) * 1000))}`;
}
