/** Problems as text: code and place, what, the lines around it, why, hint; then the next one, then the count. */
import { relative, resolve } from "node:path";
import { codeFrame, type Diagnostic, type Span } from "../../base/diagnostic.ts";
import { visible } from "../../base/visible.ts";
import type { Paint } from "../output.ts";
import { countOf } from "./text/format-time.ts";
import { renderLabelled } from "./text/table.ts";

export interface ProblemsView {
  readonly problems: readonly Diagnostic[];
  /** Path → text, for code frames. */
  readonly sources: Readonly<Record<string, string>>;
  /** Paths of problems are relative to the project root; they are shown relative to where the person stands. */
  readonly root: string;
  readonly cwd: string;
}

export function renderProblems(view: ProblemsView, paint: Paint): string {
  const blocks = view.problems.map((problem) => renderProblem(problem, view, paint));
  if (view.problems.length > 1) blocks.push(paint.bold(countOf(view.problems.length, "problem")));
  return blocks.join("\n\n");
}

function renderProblem(problem: Diagnostic, view: ProblemsView, paint: Paint): string {
  const place = problem.where === undefined ? "" : `  ${placeOf(problem.where, view)}`;
  const lines = [`${paint.red(paint.bold(problem.code))}${place}`, ...block(problem.what)];
  const text = problem.where === undefined ? undefined : view.sources[problem.where.file];
  if (problem.where !== undefined && text !== undefined) {
    lines.push(
      "",
      ...block(codeFrame(text, problem.where)).map((line) => (line.startsWith("  >") ? line : paint.dim(line))),
      "",
    );
  }
  const told = renderLabelled(
    [
      ["why", safe(problem.why)],
      ["hint", safe(problem.hint)],
    ],
    paint.cyan,
  );
  return [...lines, ...told.map((line) => `  ${line}`)].join("\n");
}

/** file:line:column, in the form that terminals and editors make clickable. */
function placeOf(where: Span, view: ProblemsView): string {
  const file = relative(view.cwd, resolve(view.root, where.file));
  return `${visible(file)}:${where.line}:${where.column}`;
}

function block(text: string): string[] {
  return safe(text)
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`));
}

function safe(text: string): string {
  return visible(text, { newlines: true });
}
