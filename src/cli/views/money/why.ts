/** For each loop: the one reason, since when, what clears it, when it goes on by itself. */
import type { LoopReason } from "../../../runtime/money/money-actions.ts";
import type { Paint } from "../../output.ts";
import { oneLine } from "../event-line.ts";
import { formatAge, formatElapsed, formatTime } from "../text/format-time.ts";

const PAINTED: Readonly<Partial<Record<LoopReason["kind"], "green" | "cyan" | "dim">>> = {
  running: "cyan",
  finished: "green",
  never_ran: "dim",
};

export function renderWhy(why: LoopReason, paint: Paint, now: number): string[] {
  const { loop, kind, what, since, clears, command, nextWake } = why;
  const color = paint[PAINTED[kind] ?? "yellow"];
  const age = since === null ? "" : `  ${paint.dim(`since ${formatTime(since)} UTC, ${formatAge(since, now)}`)}`;
  return [
    `${paint.bold(oneLine(loop))}  ${color(kind)}${age}`,
    `  ${oneLine(what)}`,
    `  ${paint.dim("clears")}  ${oneLine(clears)}${command === null ? "" : `: ${paint.cyan(oneLine(command))}`}`,
    ...(nextWake === null ? [] : [`  ${paint.dim("next wake")}  ${formatTime(nextWake)} UTC${inTime(nextWake, now)}`]),
    ...otherRuns(why, paint),
  ];
}

function inTime(at: number, now: number): string {
  return at <= now ? ", now" : `, in ${formatElapsed(at - now)}`;
}

function otherRuns({ others, loop }: LoopReason, paint: Paint): string[] {
  const told = Object.entries(others).map(([kind, count]) => `${count} ${kind}`);
  if (told.length === 0) return [];
  return [
    `  ${paint.dim("other runs")}  ${told.join(", ")}: ${paint.cyan(`pawl status --blueprint ${oneLine(loop)}`)}`,
  ];
}
