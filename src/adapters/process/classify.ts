/** How a process ended, as a cause and a sentence. Facts decide, never words in its output. */
import { basename } from "node:path";
import { formatBytes } from "../../base/size.ts";
import { visible, visibleLine } from "../../base/visible.ts";
import type { ProcessReport } from "../../ports/executor.ts";

/** Why we ended a process. */
export interface Ending {
  readonly cause: "timeout" | "stall" | "killed" | "oom" | "resource" | "spawn_error";
  readonly what: string;
  /** It is killed at once; otherwise it is asked first. */
  readonly isSudden: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why we ended it; null: it ended by itself. */
  readonly ending: Ending | null;
  /** The system killed for want of memory while the process ran: one of its own, or someone on this machine. */
  readonly oomKilled: "own" | "someone" | "none";
  /** Size of one file it may write. */
  readonly fileBytes: number | null;
}

export interface Verdict {
  readonly cause: ProcessReport["cause"];
  /** What happened, as the end of a sentence that begins with the program; undefined when all is well. */
  readonly what?: string;
}

export function classify(ended: Ended): Verdict {
  const { code, signal, ending, fileBytes } = ended;
  if (ending !== null) return { cause: ending.cause, what: ending.what };
  if (isOutOfMemory(ended)) return { cause: "oom", what: "was killed by the system: out of memory" };
  if (fileBytes !== null && (signal === "SIGXFSZ" || code === TOO_LARGE_A_FILE))
    return { cause: "resource", what: `was ended: it wrote a file of more than ${formatBytes(fileBytes)}` };
  if (signal !== null) return { cause: "signal", what: `was ended by ${signal}` };
  return code === 0 ? { cause: "ok" } : { cause: "exit", what: `exited with code ${code}` };
}

/** A shell reports the death of its last command as 128 + the signal. */
export const KILLED = 137;
const TOO_LARGE_A_FILE = 153;

/** That someone was killed is evidence only against a process that was killed; that one of its own was, always. */
function isOutOfMemory({ code, signal, oomKilled }: Ended): boolean {
  if (oomKilled === "own") return code !== 0;
  return oomKilled === "someone" && (signal === "SIGKILL" || code === KILLED);
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
