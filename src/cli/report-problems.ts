/** Tells problems in the format asked for and gives their exit code. */
import type { Diagnostic } from "../base/diagnostic.ts";
import { diagnose } from "../base/diagnostic.ts";
import { isPawlError } from "../base/errors.ts";
import { CLI_ERRORS } from "./errors.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { createOutput, type Output, type Sink } from "./output.ts";
import { type ProblemsView, renderProblems } from "./views/error.ts";

/** Text on standard error for people; a document on standard output for programs. */
export function reportProblems(out: Output, report: ProblemsView): ExitCode {
  const exit = report.problems.some((problem) => problem.exit === 3) ? EXIT.usage : EXIT.failed;
  if (out.format === "human") {
    out.note(renderProblems(report, out.errorPaint));
  } else {
    const error = { code: report.problems[0]?.code ?? "CLI_DEFECT", exit, problems: report.problems };
    out.document(out.format === "jsonl" ? { kind: "error", error } : { error });
  }
  return exit;
}

/**
 * The problems an error carries. What the operating system refuses is told as such; any other error that is not ours is a defect, told
 * with its stack on standard error.
 */
export function problemsOf(error: unknown, out: Output): readonly Diagnostic[] {
  if (isPawlError(error)) return error.problems;
  if (isSystemError(error)) return [diagnose(CLI_ERRORS, "CLI_SYSTEM_REFUSED", { detail: error.message })];
  if (error instanceof Error && error.stack !== undefined) out.note(error.stack);
  return [diagnose(CLI_ERRORS, "CLI_DEFECT", { message: error instanceof Error ? error.message : String(error) })];
}

/** An error that Node.js has made of what a system call answered. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error && "errno" in error;
}

/** Says on standard error that the output is lost; returns whether it is. An answer that nobody can read is no success. */
export function reportLoss(out: Output): boolean {
  const detail = out.lost();
  if (detail === null) return false;
  const problems = [diagnose(CLI_ERRORS, "CLI_OUTPUT_LOST", { detail })];
  out.note(renderProblems({ problems, sources: {}, root: "/", cwd: "/" }, out.errorPaint));
  return true;
}

/** The exit code of a write beside any Output that failed: a reader that has left is no failure. */
export function reportUnwritten(error: NodeJS.ErrnoException): ExitCode {
  const stdout: Sink = { write: () => false, on: (_event, listener) => listener(error) };
  const out = createOutput(stdout, process.stderr, { format: "human", color: false });
  return reportLoss(out) ? EXIT.failed : EXIT.succeeded;
}
