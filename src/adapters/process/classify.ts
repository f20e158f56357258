/** How a process ended, as a cause and a sentence. Facts decide, never words in its output. */
import { basename } from "node:path";
import { formatDuration } from "../../base/duration.ts";
import { visible, visibleLine } from "../../base/visible.ts";
import type { ProcessReport } from "../../ports/executor.ts";

export type Ending = "timeout" | "stall" | "killed";

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why we ended it; null: it ended by itself. */
  readonly ending: Ending | null;
  /** The system killed for want of memory while the process ran. */
  readonly oomSeen: boolean;
}

export interface Limits {
  readonly timeoutMs: number;
  readonly stallMs: number | null;
}

export interface Verdict {
  readonly cause: ProcessReport["cause"];
  /** What happened, as the end of a sentence that begins with the program; undefined when all is well. */
  readonly what?: string;
}

export function classify(ended: Ended, limits: Limits): Verdict {
  if (ended.ending === "timeout")
    return { cause: "timeout", what: `was ended: it ran longer than ${formatDuration(limits.timeoutMs)}` };
  if (ended.ending === "stall")
    return { cause: "stall", what: `was ended: it wrote nothing for ${formatDuration(limits.stallMs ?? 0)}` };
  if (ended.ending === "killed") return { cause: "killed", what: "was ended on request" };
  // A shell reports the death of its last command as 128 + 9.
  if (ended.oomSeen && (ended.signal === "SIGKILL" || ended.code === 137)) {
    return { cause: "oom", what: "was killed by the system: out of memory" };
  }
  if (ended.signal !== null) return { cause: "signal", what: `was ended by ${ended.signal}` };
  return ended.code === 0 ? { cause: "ok" } : { cause: "exit", what: `exited with code ${ended.code}` };
}

/** The program as people know it. */
export function programName(argv: readonly string[]): string {
  const program = argv[0] ?? "";
  return program === "" ? "the program" : visibleLine(basename(program), 60);
}

/** The last line that says something, from the end of a log. */
export function lastLine(log: Buffer): string {
  const lines = log
    .subarray(Math.max(0, log.length - 4096))
    .toString("utf8")
    .split(/[\r\n]+/);
  return visible(lines.findLast((line) => line.trim() !== "")?.trim() ?? "");
}
