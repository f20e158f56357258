/** What a process is doing right now, on two lines. */
import { formatBytes } from "../../base/size.ts";
import type { Heartbeat } from "../../ports/heartbeats.ts";
import type { Paint } from "../output.ts";
import { oneLine } from "./event-line.ts";
import { formatElapsed } from "./text/format-time.ts";

export function renderHeartbeat(beat: Heartbeat, paint: Paint): readonly string[] {
  const facts = [
    ...(beat.pid === null ? [] : [`process ${beat.pid}`]),
    `${formatBytes(beat.memoryBytes)} of memory`,
    `${formatElapsed(beat.cpuMs)} of processor time`,
    `${formatBytes(beat.outputBytes)} written`,
    ...(beat.bytesPerSecond > 0 ? [`${formatBytes(Math.round(beat.bytesPerSecond))}/s`] : []),
    ...(beat.etaMs === null ? [] : [`about ${formatElapsed(beat.etaMs)} to go`]),
  ];
  const last = oneLine(beat.lastLine);
  return [`    ${facts.join(", ")}`, ...(last === "" ? [] : [`    ${paint.dim(last)}`])];
}
