/** Linters, formatters, scanners. A gate that did not judge never passes, whatever its mode. */

export interface QualityVerdict {
  readonly outcome: "pass" | "fail";
  readonly reason: string;
  /** What a gate that only warns has found. */
  readonly warning?: string;
}

export interface ToolReport {
  /** How the process ended, as the executor says it: `ok` and `exit` have an exit code, everything else did not judge. */
  readonly cause: string;
  readonly exit?: number | null;
}

const ENDED: readonly string[] = ["ok", "exit"];
/** A shell says with these that it could not start the tool. */
const NOT_STARTED: readonly number[] = [126, 127];
/** A shell gives 128 and the number of the signal that ended the tool. */
const FIRST_SIGNAL = 129;
const LAST_SIGNAL = 192;

export function judgeQuality(mode: "block" | "warn", report: ToolReport): QualityVerdict {
  const { cause } = report;
  const exit = cause === "ok" ? 0 : report.exit;
  if (!ENDED.includes(cause) || typeof exit !== "number")
    return { outcome: "fail", reason: `the tool did not judge: ${cause}` };
  if (exit === 0) return { outcome: "pass", reason: "the tool found nothing" };
  if (NOT_STARTED.includes(exit))
    return { outcome: "fail", reason: `the tool is missing or cannot be started (exit code ${exit})` };
  if (exit >= FIRST_SIGNAL && exit <= LAST_SIGNAL) {
    return { outcome: "fail", reason: `the tool was ended by signal ${exit - 128}` };
  }
  const found = `the tool ended with ${exit}`;
  return mode === "block" ? { outcome: "fail", reason: found } : { outcome: "pass", reason: found, warning: found };
}
