/** The heartbeats of one process: before it, about every second of it, and after it. */
import { visibleLine } from "../../base/visible.ts";
import type { ProcessReport, ProcessRequest } from "../../ports/executor.ts";
import type { Heartbeat, Heartbeats } from "../../ports/heartbeats.ts";
import type { ResourceUse } from "../../run/events.ts";
import { lastLine } from "./classify.ts";
import type { TreeSample } from "./watch/tree.ts";

export interface Heart {
  begin(pid: number): void;
  /** Output without secrets. */
  show(text: string): void;
  feel(sample: TreeSample, outputBytes: number): void;
  end(cause: ProcessReport["cause"], used: ResourceUse | undefined): void;
}

export interface HeartOptions {
  readonly heartbeats: Heartbeats;
  readonly request: Pick<ProcessRequest, "run" | "stage" | "attempt" | "argv">;
  readonly logPath: string;
  readonly redact: (text: string) => string;
  /** How long it took before; null: nobody knows. */
  readonly expectedMs: number | null;
}

const EVERY_MS = 1000;
const MAX_COMMAND = 200;
const MAX_LINE = 200;
const KEPT = 4096;

export function createHeart(options: HeartOptions): Heart {
  const { heartbeats, request, logPath, redact, expectedMs } = options;
  const { run, stage, attempt } = request;
  const startedAt = Date.now();
  const from = performance.now();
  let command: string | undefined;
  let shown = "";
  let pid: number | null = null;
  let last = { at: from, outputBytes: 0, cpuMs: 0, memoryBytes: 0, bytesPerSecond: 0 };

  const beat = (state: Heartbeat["state"], cause?: ProcessReport["cause"]): void => {
    command ??= visibleLine(redact(request.argv.join(" ")), MAX_COMMAND);
    const elapsedMs = Math.round(performance.now() - from);
    const isLate = expectedMs === null || elapsedMs > expectedMs || state === "ended";
    heartbeats.beat({
      ...{ run, stage, attempt, state, pid, command, logPath, startedAt, at: startedAt + elapsedMs, elapsedMs },
      ...(cause === undefined ? {} : { cause }),
      outputBytes: last.outputBytes,
      bytesPerSecond: Math.round(last.bytesPerSecond),
      etaMs: isLate ? null : expectedMs - elapsedMs,
      lastLine: shown === "" ? "" : visibleLine(lastLine(Buffer.from(shown)), MAX_LINE),
      cpuMs: Math.round(last.cpuMs),
      memoryBytes: last.memoryBytes,
    });
  };
  beat("starting");

  return {
    begin: (child) => {
      pid = child;
      beat("running");
    },
    show: (text) => {
      shown = (shown + text).slice(-KEPT);
    },
    feel: ({ cpuMs, memoryBytes }, outputBytes) => {
      const at = performance.now();
      if (at - last.at < EVERY_MS) return;
      const bytesPerSecond = ((outputBytes - last.outputBytes) * 1000) / (at - last.at);
      last = { at, outputBytes, cpuMs, memoryBytes, bytesPerSecond };
      beat("running");
    },
    end: (cause, used) => {
      const { outputBytes, cpuMs } = used ?? { outputBytes: 0, cpuMs: 0 };
      const elapsedMs = Math.max(1, performance.now() - from);
      last = { ...last, outputBytes, cpuMs, memoryBytes: 0, bytesPerSecond: (outputBytes * 1000) / elapsedMs };
      pid = null;
      beat("ended", cause);
    },
  };
}
