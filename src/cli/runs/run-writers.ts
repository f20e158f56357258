/** Three writers over the events of one run under way: for people, one JSON document, lines of JSON. */
import { stripVTControlCharacters } from "node:util";
import { visibleLine } from "../../base/visible.ts";
import type { StoredEvent } from "../../run/events.ts";
import type { CapStanding } from "../../runtime/money/budget.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import { elapsedStamp, oneLine, renderEventLine } from "../views/event-line.ts";
import { createLive, type LiveLine } from "../views/live.ts";
import { renderBudgetLine } from "../views/money/budget.ts";
import { nextSteps, renderRun } from "../views/run.ts";
import { openAttempts, type RunStory } from "../views/run-story.ts";
import { formatElapsed } from "../views/text/format-time.ts";

export interface RunWriter {
  /** Told once the event is part of the story. */
  event(stored: StoredEvent): void;
  /** Output of a stage as it comes; `own` is false for stages of child runs. */
  output(stage: string, text: string, own: boolean): void;
  /** A remark to the person at the terminal. */
  say(text: string): void;
  /** The run has ended or rests; `tail` holds the last lines of the log to look at, if there is one. */
  end(end: RunReport): void;
  /** Leaves the terminal clean; may be called at any time and more than once. */
  close(): void;
}

export interface RunReport {
  readonly exit: ExitCode;
  readonly hosted: boolean;
  readonly tail: { readonly stage: string; readonly lines: readonly string[] } | null;
  /** What only the start of a run knows; `leftOut`: changed files of the project that it does not see, if there are any. */
  readonly start: { readonly leftOut?: number };
  /** The daily token cap with the least left, if there is one. */
  readonly today: CapStanding | null;
}

const MOST_STAGES = 4;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export function createRunWriter(out: Output, story: RunStory, now: () => number): RunWriter {
  if (out.format === "json") return createJsonWriter(out, story);
  if (out.format === "jsonl") return createJsonlWriter(out, story);
  return createHumanWriter(out, story, now);
}

function createHumanWriter(out: Output, story: RunStory, now: () => number): RunWriter {
  const lastLines = new Map<string, string>();
  const live = out.live
    ? createLive({ write: out.write, columns: out.columns, lines: () => liveLines(story, lastLines, out, now()) })
    : null;
  const print = (line: string): void => (live === null ? out.line(line) : live.print(line));
  return {
    event: (stored) => {
      if (stored.event.type === "stage.finished") lastLines.delete(stored.event.stage);
      print(
        `${out.paint.dim(elapsedStamp(stored.event.at, story.createdAt))}  ${renderEventLine(stored.event, out.paint)}`,
      );
    },
    output: (stage, text, own) => {
      const line = lastLine(text);
      if (line !== "") lastLines.set(own ? stage : "", line);
    },
    say: (text) => {
      if (live === null) out.note(text);
      else live.print(text);
    },
    end: (report) => {
      live?.close();
      out.line();
      for (const line of renderRun(story, out.paint, {
        now: now(),
        columns: out.columns(),
        most: 30,
        hosted: report.hosted,
      }))
        out.line(line);
      if (report.tail !== null) {
        out.line();
        out.line(out.paint.dim(`last lines of ${oneLine(report.tail.stage)}:`));
        for (const line of report.tail.lines) out.line(`  ${line}`);
      }
      if (report.today !== null) for (const line of ["", renderBudgetLine(report.today)]) out.line(line);
    },
    close: () => live?.close(),
  };
}

/** For each stage under way: a line with its time, and the last thing it wrote. */
function liveLines(
  story: RunStory,
  lastLines: ReadonlyMap<string, string>,
  out: Output,
  now: number,
): readonly LiveLine[] {
  const open = openAttempts(story);
  const frame = FRAMES[Math.floor(now / 100) % FRAMES.length] ?? "";
  if (open.length === 0)
    return [{ text: `${frame} run ${story.run}  ${seconds(now - story.createdAt)}`, paint: out.paint.dim }];
  const lines = open.slice(0, MOST_STAGES).flatMap((attempt): LiveLine[] => {
    const again = attempt.attempt > 1 ? `  attempt ${attempt.attempt}` : "";
    const head = {
      text: `${frame} ${oneLine(attempt.stage)}${again}  ${seconds(now - attempt.startedAt)}`,
      paint: out.paint.cyan,
    };
    const last = lastLines.get(attempt.stage);
    return last === undefined ? [head] : [head, { text: `  ${last}`, paint: out.paint.dim }];
  });
  if (open.length > MOST_STAGES) lines.push({ text: `  and ${open.length - MOST_STAGES} more`, paint: out.paint.dim });
  const child = lastLines.get("");
  if (child !== undefined) lines.push({ text: `  child: ${child}`, paint: out.paint.dim });
  return lines;
}

function seconds(ms: number): string {
  return formatElapsed(Math.max(0, Math.floor(ms / 1000)) * 1000)
    .replace(".0s", "s")
    .replace(/^0ms$/, "0s");
}

/** The last line of a chunk that is not empty; a program that redraws its line with \r is read as people see it. */
function lastLine(text: string): string {
  const lines = stripVTControlCharacters(text.slice(-4000)).split(/[\r\n]+/);
  return visibleLine(lines.findLast((line) => line.trim() !== "") ?? "", 400);
}

function createJsonWriter(out: Output, story: RunStory): RunWriter {
  return {
    event: () => undefined,
    output: () => undefined,
    say: out.note,
    end: (report) => out.document({ ...runDocument(story, report), ...endOf(report) }),
    close: () => undefined,
  };
}

function createJsonlWriter(out: Output, story: RunStory): RunWriter {
  return {
    event: (stored) => out.document(eventDocument(story.run, stored)),
    output: () => undefined,
    say: out.note,
    end: (report) => out.document({ kind: "end", ...runDocument(story, report), ...endOf(report) }),
    close: () => undefined,
  };
}

function endOf({ start, today }: RunReport): object {
  return today === null ? start : { ...start, today };
}

/** A line of `--jsonl`. */
export function eventDocument(run: string, stored: StoredEvent): object {
  return { kind: "event", run, seq: stored.seq, hash: stored.hash, event: stored.event };
}

/** A run as JSON, the same from `run`, `resume`, `show` and `status RUN`. */
export function runDocument(story: RunStory, report: { readonly exit: ExitCode; readonly hosted: boolean }): object {
  return { ...story, hosted: report.hosted, exit: report.exit, next: nextSteps(story, report.hosted) };
}
