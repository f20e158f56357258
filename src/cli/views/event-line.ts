/** One event → one line for people. The switch has no default: an event that cannot be shown does not compile. */
import { isJsonObject } from "../../base/json.ts";
import { formatBytes } from "../../base/size.ts";
import { visibleLine } from "../../base/visible.ts";
import type { EventOf, RunEvent } from "../../run/events.ts";
import type { Paint } from "../output.ts";
import { countOf, formatElapsed, formatTime } from "./text/format-time.ts";

/** What happened, without time and number. Text from outside is escaped and put on one line. */
export function renderEventLine(event: RunEvent, paint: Paint): string {
  switch (event.type) {
    case "run.created":
      return `run ${event.run} of ${paint.bold(oneLine(event.blueprint))} created, plan ${event.plan.slice(0, 12)}${parentOf(event)}${unearnedOf(event)}${drillOf(event)}`;
    case "run.started":
      return "run started";
    case "run.resumed":
      return `run resumed after ${{ interruption: "an interruption", pause: "a pause", wait: "its wait" }[event.after]}`;
    case "round.started":
      return `round ${event.round} begins at ${stageName(event.stage, paint)}`;
    case "stage.started":
      return `${stageName(event.stage, paint)} started${event.attempt > 1 ? `, attempt ${event.attempt}` : ""}${event.visit > 1 ? `, visit ${event.visit}` : ""}${strippedFrom(event)}`;
    case "stage.finished":
      return `${stageName(event.stage, paint)} ${renderResult(event, paint)}`;
    case "stage.interrupted":
      return `${stageName(event.stage, paint)} ${paint.yellow("interrupted")}: attempt ${event.attempt} was lost with its process`;
    case "stage.refused":
      return `${stageName(event.stage, paint)} ${paint.red("could not begin")}: ${oneLine(event.error)}`;
    case "stage.rested":
      return `${stageName(event.stage, paint)} rests with its child run ${event.child}`;
    case "stage.parked":
      return `${stageName(event.stage, paint)} ${paint.yellow("parked")}: ${oneLine(event.why)}${untilOf(event.until)}`;
    case "stage.deferred":
      return `${stageName(event.stage, paint)} ${paint.yellow("deferred")}: ${oneLine(event.call.tool)}: ${oneLine(event.why)}`;
    case "group.opened":
      return `${stageName(event.stage, paint)} opened with ${countOf(event.members, "member")}`;
    case "group.closed":
      return `${stageName(event.stage, paint)} closed: ${oneLine(event.outcome)}`;
    case "policy.denied":
      return `${stageName(event.stage, paint)} ${paint.red("denied")} by ${oneLine(event.rule)}: ${oneLine(event.why)}`;
    case "budget.refused":
      return `${stageName(event.stage, paint)} ${paint.red("has no budget")}: ${oneLine(event.why)}`;
    case "run.degraded":
      return `run ${paint.yellow(`may only report (${event.level}) from here on`)}: ${oneLine(event.why)}`;
    case "approval.requested":
      return `${stageName(event.stage, paint)} ${paint.yellow("asks")}: ${oneLine(event.why)} (${event.answers.map(oneLine).join(", ")})`;
    case "approval.answered":
      return `${stageName(event.stage, paint)} answered ${paint.bold(oneLine(event.answer))} by ${oneLine(event.by)}${event.why === undefined ? "" : `: ${oneLine(event.why)}`}`;
    case "approval.reminded":
      return `${stageName(event.stage, paint)} still asks ${event.id}`;
    case "approval.expired":
      return `${stageName(event.stage, paint)} ${paint.red("expired")}: nobody answered ${event.id} in time`;
    case "run.waiting":
      return `run ${paint.yellow("waits")}: ${event.reason}${untilOf(event.until)}`;
    case "run.pausing":
      return `pause asked by ${oneLine(event.by)}`;
    case "run.paused":
      return `run ${paint.yellow("paused")} by ${oneLine(event.by)}`;
    case "run.stopping":
      return `run stops: ${event.reason}${detailOf(event.detail)}`;
    case "run.finished":
      return `run ${statusColor(event.status, paint)(oneLine(event.status))}: ${event.reason}${detailOf(event.detail)}${event.certificate === undefined ? "" : ", certified"}`;
  }
}

/** Escaped, on one line, and no longer than a few lines of a screen. */
export function oneLine(text: string): string {
  return visibleLine(text, 300);
}

/** The colour of a status is the same wherever it is shown. */
export function statusColor(status: string, paint: Paint): (text: string) => string {
  if (status === "succeeded") return paint.green;
  if (status === "running" || status === "queued") return paint.cyan;
  return status === "waiting" || status === "paused" || status === "cancelled" ? paint.yellow : paint.red;
}

function stageName(stage: string, paint: Paint): string {
  return paint.bold(oneLine(stage));
}

function untilOf(until: number | null | undefined): string {
  return until == null ? "" : ` until ${formatTime(until)} UTC`;
}

function parentOf(event: EventOf<"run.created">): string {
  return event.parent === undefined ? "" : `, child of ${event.parent.run} (${oneLine(event.parent.stage)})`;
}

function unearnedOf({ unearned }: EventOf<"run.created">): string {
  return unearned === undefined ? "" : `, above its earned level: ${oneLine(unearned.why)} (${oneLine(unearned.by)})`;
}

function drillOf({ drill }: EventOf<"run.created">): string {
  return drill === undefined ? "" : `, part of drill ${oneLine(drill.id)}: ${oneLine(drill.plant)}`;
}

function detailOf(detail: string | undefined): string {
  return detail === undefined ? "" : `, ${oneLine(detail)}`;
}

/** What went wrong: with the stage, or as its answer tells it, such as that of an ExecutionPlan. */
export function errorOf({ error, output }: EventOf<"stage.finished">): string | undefined {
  if (error !== undefined || !isJsonObject(output)) return error;
  const { error: told } = output;
  return isJsonObject(told) && typeof told["message"] === "string" ? told["message"] : undefined;
}

function renderResult(event: EventOf<"stage.finished">, paint: Paint): string {
  const good = event.cause === "ok";
  const notes: string[] = [];
  const error = errorOf(event);
  if (error !== undefined) notes.push(oneLine(error));
  else if (!good) notes.push(renderCause(event));
  if (event.child !== undefined) notes.push(`child run ${event.child}`);
  if (event.log !== undefined && event.log.dropped > 0)
    notes.push(`${formatBytes(event.log.dropped)} of its log left out`);
  if (event.stripped !== undefined) notes.push(renderStripped(event.stripped));
  const outcome = oneLine(event.outcome);
  return `${good ? paint.green(outcome) : paint.red(outcome)}${notes.length === 0 ? "" : `: ${notes.join("; ")}`}`;
}

function strippedFrom({ stripped }: EventOf<"stage.started">): string {
  return stripped === undefined ? "" : `; ${renderStripped(stripped)}`;
}

function renderStripped(stripped: Readonly<Record<string, number>>): string {
  const parts = Object.entries(stripped).map(([name, count]) => `${count} from ${oneLine(name)}`);
  return `hidden characters taken out: ${parts.join(", ")}`;
}

/** How a process ended, in words: `exit code 2`, `signal SIGKILL`, `timeout`. */
export function renderCause(end: {
  readonly cause: string;
  readonly exit?: number | undefined;
  readonly signal?: string | undefined;
}): string {
  if (end.cause === "exit" && end.exit !== undefined) return `exit code ${end.exit}`;
  if (end.cause === "signal" && end.signal !== undefined) return `signal ${end.signal}`;
  return end.cause.replaceAll("_", " ");
}

/** `  +1.2s  ` before a line of a run under way. */
export function elapsedStamp(at: number, start: number): string {
  return `+${formatElapsed(at - start)}`.padStart(7);
}
