/** What openloop tells of a loop, folded from the events of its run. */
import type { Plan } from "../../../plan/plan.ts";
import type { Heartbeat } from "../../../ports/heartbeats.ts";
import type { EventOf, RunEvent } from "../../../run/events.ts";

export interface StepRecord {
  readonly step: string;
  readonly attempt: number;
  readonly started_at: string;
  readonly ended_at: string;
  readonly duration_seconds: number;
  readonly outcome: string;
  readonly cause: string;
  readonly exit: number | null;
  readonly error: string | null;
  /** In the workspace; null: it left none. */
  readonly log: string | null;
}

interface Open {
  readonly stage: string;
  readonly attempt: number;
  readonly at: number;
  readonly command: string;
  readonly round: number;
}

export interface Story {
  readonly run: string;
  readonly totalRounds: number | null;
  /** Checks in their order. */
  readonly checks: readonly string[];
  status: string;
  round: number;
  open: Open | null;
  lastStep: string | null;
  lastLog: string | null;
  lastError: string | null;
  verify: string | null;
  baseline: string | null;
  failedRounds: number;
  roundFailed: boolean;
  at: number;
  /** Of the round under way. */
  steps: StepRecord[];
  /** How long the newest steps took, at most ten. */
  readonly tookMs: number[];
}

const LATELY = 10;
const STATUS: Readonly<Record<string, string>> = { succeeded: "complete" };

export function beginStory(run: string, plan: Plan): Story {
  return {
    run,
    totalRounds: plan.limits.rounds,
    checks: plan.stages.filter(({ kind }) => kind === "gate").map(({ id }) => id),
    status: "running",
    round: 1,
    open: null,
    lastStep: null,
    lastLog: null,
    lastError: null,
    verify: null,
    baseline: null,
    failedRounds: 0,
    roundFailed: false,
    at: 0,
    steps: [],
    tookMs: [],
  };
}

/** Whether the stage is a command of the loop, and not a step of ours. */
export function isStep(stage: string): boolean {
  return stage !== "begin" && stage !== "apply";
}

export function tellStory(story: Story, event: RunEvent, log: string | null): void {
  story.at = event.at;
  switch (event.type) {
    case "stage.started":
      story.open = { stage: event.stage, attempt: event.attempt, at: event.at, command: "", round: story.round };
      story.lastStep = event.stage;
      return;
    case "stage.finished":
      tellEnd(story, event, log);
      return;
    case "stage.interrupted":
      story.open = null;
      return;
    case "round.started":
      if (!story.roundFailed) story.failedRounds = 0;
      Object.assign(story, { roundFailed: false, round: event.round, steps: [] });
      return;
    case "run.waiting":
    case "run.paused":
      story.status = event.type === "run.paused" ? "paused" : "waiting";
      return;
    case "run.resumed":
      story.status = "running";
      return;
    case "run.finished":
      Object.assign(story, { status: STATUS[event.status] ?? event.status, open: null });
      if (event.status !== "succeeded") story.lastError = event.detail ?? event.reason;
      return;
    default:
  }
}

function tellEnd(story: Story, event: EventOf<"stage.finished">, log: string | null): void {
  const { stage, outcome, cause, error, exit, attempt, at } = event;
  const from = story.open?.at ?? at;
  const isGood = outcome === "success" || outcome === "pass";
  story.open = null;
  story.lastLog = log ?? story.lastLog;
  if (!isGood) tellFailure(story, `${stage}: ${error ?? cause}`);
  if (stage === "verify") story.verify = outcome;
  if (stage.startsWith("baseline")) story.baseline = outcome;
  if (!isStep(stage)) return;
  story.tookMs.push(at - from);
  if (story.tookMs.length > LATELY) story.tookMs.shift();
  story.steps.push({
    step: stage,
    attempt,
    started_at: timeOf(from),
    ended_at: timeOf(at),
    duration_seconds: (at - from) / 1000,
    outcome,
    cause,
    exit: exit ?? null,
    error: error ?? null,
    log,
  });
}

function tellFailure(story: Story, error: string): void {
  story.lastError = error;
  if (!story.roundFailed) story.failedRounds += 1;
  story.roundFailed = true;
}

/** heartbeat.json. `beat`: what the process of the step is doing. */
export function heartbeatOf(story: Story, beat: Heartbeat | null): Readonly<Record<string, unknown>> {
  const { open, tookMs } = story;
  const mean = tookMs.length === 0 ? null : tookMs.reduce((sum, ms) => sum + ms, 0) / tookMs.length;
  const left = story.status === "running" ? remaining(story) : 0;
  return {
    status: story.status,
    run: story.run,
    pid: beat?.pid ?? null,
    command: beat?.command ?? null,
    log_path: beat?.logPath ?? story.lastLog,
    round: story.round,
    total_rounds: story.totalRounds,
    step: open?.stage ?? story.lastStep,
    /** Steps in a minute. */
    speed: mean === null || mean === 0 ? null : Math.round((60_000 / mean) * 100) / 100,
    eta_seconds: mean === null ? null : Math.round((left * mean) / 100) / 10,
    normal: story.status === "complete" || (story.status === "running" && !story.roundFailed),
    last_error: story.lastError,
    verify: story.verify,
    baseline: story.baseline,
    consecutive_failures: story.failedRounds,
    updated_at: timeOf(beat === null ? story.at : Math.max(beat.at, story.at)),
  };
}

/** Checks that are still to come when all goes well, the one under way among them. */
function remaining({ checks, open, lastStep }: Story): number {
  const at = checks.indexOf(open?.stage ?? lastStep ?? "");
  return at < 0 ? checks.length : checks.length - at - (open === null ? 1 : 0);
}

export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
