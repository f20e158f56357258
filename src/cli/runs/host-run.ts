/**
 * Hosts a run in this process until it ends, rests or is interrupted, and writes its events as they become durable.
 * Ctrl-C once cancels the run; twice ends its processes and leaves. A terminate signal leaves the run resumable. While the run rests
 * until a time, either leaves it resting.
 */
import { setTimeout as wait } from "node:timers/promises";
import { isPawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Hosted } from "../../ports/engine.ts";
import type { StoredEvent } from "../../run/events.ts";
import type { RunAdmission } from "../../runtime/resume/run-admission.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { EXIT, type ExitCode, exitOfRun } from "../exit-codes.ts";
import type { Context } from "../spec.ts";
import { tailOfLog } from "../views/log-text.ts";
import { lastTrouble, type RunStory, tell } from "../views/run-story.ts";
import { readEvents } from "./read-events.ts";
import { openQuestions, tellCost, tellUnsaved } from "./read-story.ts";
import { renderRest } from "./render-rest.ts";
import { createRunWriter, type RunReport, type RunWriter } from "./run-writers.ts";

/** How long a second Ctrl-C waits for the processes of the run to be gone. */
const KILL_LIMIT_MS = 5000;
const TAIL_LINES = 12;

/** A run that this process hosts, or another one. */
type Followed = Pick<Hosted, "run"> & { readonly ended: Promise<unknown> };

export interface HostOptions {
  /** What only the start of a run knows; part of the document at the end. */
  readonly start?: RunReport["start"];
  /** A run that rests until a time is waited for. */
  readonly autoResume: boolean;
  /** What the run needs while it is hosted. Whoever calls has entered it for `first`, and leaves it at the end. */
  readonly admission: RunAdmission;
}

/** `story` holds what was already told; only newer events are written. `first` is null for a run that rests until a time. */
export async function hostRun(
  context: Context,
  runtime: Runtime,
  first: Hosted | null,
  story: RunStory,
  { start = {}, autoResume, admission }: HostOptions,
): Promise<ExitCode> {
  const run = story.run as RunId;
  const writer = createRunWriter(context.out, story, context.now);
  const stopOutput = runtime.onOutput((whose, stage, text) => writer.output(stage, text, whose === run));
  const interrupted = watchInterrupts(context, runtime, run, writer);
  const onEvent = (stored: StoredEvent): void => {
    tell(story, stored);
    writer.event(stored);
  };
  try {
    let handle: Followed | null = first;
    do {
      if (handle === null) await admission.leave();
      handle ??= await waitForTurn({ context, runtime, admission }, story, writer, interrupted);
      if (handle === null) break;
      await followToEnd(runtime, handle, story, onEvent);
      await handle.ended;
      handle = null;
    } while (autoResume && story.until !== null && interrupted.kind() === null);
    story.open = await openQuestions(runtime, story);
    await tellCost(runtime, story);
    await tellUnsaved(runtime, story);
    const today = await todayOf(runtime, story);
    const exit = interrupted.kind() === null ? exitOfRun(story.status, story.reason) : EXIT.interrupted;
    const tail = exit === EXIT.succeeded || story.until !== null ? null : await tailOf(runtime, story);
    writer.end({ exit, hosted: false, tail, start, today });
    return exit;
  } finally {
    interrupted.release();
    stopOutput();
    writer.close();
  }
}

/** null: a person did not want to wait; the run rests on. */
async function waitForTurn(
  {
    context,
    runtime,
    admission,
  }: { readonly context: Context; readonly runtime: Runtime; readonly admission: RunAdmission },
  story: RunStory,
  writer: RunWriter,
  interrupted: InterruptWatch,
): Promise<Followed | null> {
  for (const line of renderRest(story, context.now())) writer.say(line);
  const signal = interrupted.whileResting();
  try {
    await dueTime(context, story, signal);
    if (!(await admission.enter(signal))) return null;
    return await runtime.wake(story.run as RunId, { by: context.by, signal });
  } catch (error) {
    if (signal.aborted) return null;
    if (!isPawlError(error) || !ELSEWHERE.has(error.code)) throw error;
    await admission.leave();
    writer.say("another process resumed it");
    return { run: story.run as RunId, ended: leftByHost(runtime, story.run as RunId, interrupted) };
  } finally {
    interrupted.goOn();
  }
}

/** A server resumes a run at its time too, and was quicker. */
const ELSEWHERE: ReadonlySet<string> = new Set(["RUN_HELD", "RUN_ENDED"]);
const HOST_LOOK_MS = 200;

/** Until no process hosts the run, or a signal told this one to leave. */
async function leftByHost(runtime: Runtime, run: RunId, interrupted: InterruptWatch): Promise<void> {
  while (interrupted.kind() !== "terminate" && (await runtime.find(run)).holder !== null) await wait(HOST_LOOK_MS);
}

/** A timer does not count the time in which a machine sleeps. */
const LOOK_MS = 15_000;

/** Nothing is held while the run rests: whoever is due meanwhile goes first. */
async function dueTime({ now }: Context, { until }: RunStory, signal: AbortSignal): Promise<void> {
  let leftMs = (until ?? 0) - now();
  for (; leftMs > 0 && now() < (until ?? 0); leftMs -= LOOK_MS)
    await wait(Math.min(leftMs, (until ?? 0) - now(), LOOK_MS), undefined, { signal });
}

/** Follows until the host lets go, then reads what was stored up to that moment: nothing is missed, nothing told twice. */
async function followToEnd(
  runtime: Runtime,
  handle: Followed,
  story: RunStory,
  onEvent: (stored: StoredEvent) => void,
): Promise<void> {
  const stop = new AbortController();
  const following = (async () => {
    for await (const stored of runtime.follow(handle.run, story.events, stop.signal)) onEvent(stored);
  })();
  try {
    await Promise.race([handle.ended, following.then(() => handle.ended)]);
  } finally {
    stop.abort();
    await following;
  }
  for await (const stored of readEvents(runtime, handle.run, story.events)) onEvent(stored);
}

interface InterruptWatch {
  kind(): "interrupt" | "terminate" | null;
  /** From now on the run rests: a signal only ends the wait, and aborts what is returned. */
  whileResting(): AbortSignal;
  goOn(): void;
  release(): void;
}

function watchInterrupts(context: Context, runtime: Runtime, run: RunId, writer: RunWriter): InterruptWatch {
  let seen: "interrupt" | "terminate" | null = null;
  let resting: AbortController | null = null;
  const ignore = (error: unknown): void => {
    // The run may have ended by itself in the same moment; anything else is told.
    if (!isPawlError(error) || error.code !== "RUN_ENDED") writer.say(`could not be asked to stop: ${String(error)}`);
  };
  const leave = (): void => context.interrupts.exit(EXIT.interrupted);
  const release = context.interrupts.handle((kind, times) => {
    seen = kind;
    if (resting !== null && times === 1) {
      resting.abort();
      return;
    }
    if (kind === "interrupt" && times === 1) {
      writer.say("cancelling (Ctrl-C again to kill)");
      runtime.cancel(run, context.by).catch(ignore);
      return;
    }
    if (kind === "terminate" && times === 1) {
      writer.say(`stopping; go on later with: pawl resume ${run}`);
      runtime.drain().catch(ignore);
      return;
    }
    writer.close();
    context.out.note(`killed; see how far it came with: pawl show ${run}`);
    setTimeout(leave, KILL_LIMIT_MS);
    runtime.drain().then(leave, leave);
  });
  return {
    kind: () => seen,
    whileResting() {
      resting = new AbortController();
      return resting.signal;
    },
    goOn() {
      resting = null;
    },
    release,
  };
}

/** The daily token cap with the least left; null: there is none. A file of caps that cannot be read is told by `pawl budget`. */
async function todayOf(runtime: Runtime, { blueprint, plan, attempts }: RunStory): Promise<RunReport["today"]> {
  // Every tick begins so: of other runs nobody needs the plan.
  const mayBeTick = attempts[0]?.stage === "discover";
  const isPattern = mayBeTick && (await runtime.plan(plan))?.origin?.door === "pattern";
  const { caps } = await runtime.budget("L1", isPattern);
  if (!caps.ok || caps.value.length === 0) return null;
  return (await import("../../runtime/money/budget.ts")).tightestDay(caps.value, blueprint);
}

async function tailOf(runtime: Runtime, story: RunStory): Promise<RunReport["tail"]> {
  const trouble = lastTrouble(story);
  // What was ended on request has nothing to explain.
  if (trouble?.log === undefined || trouble.log.bytes === 0 || trouble.cause === "killed") return null;
  try {
    return { stage: trouble.stage, lines: tailOfLog(await runtime.log(trouble.log), TAIL_LINES) };
  } catch {
    // The summary is worth more than its last lines; `pawl logs` tells what is wrong with the log.
    return null;
  }
}
