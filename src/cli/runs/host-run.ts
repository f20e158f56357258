/**
 * Hosts a run in this process until it ends, rests or is interrupted, and writes its events as they become durable.
 * Ctrl-C once cancels the run; twice ends its processes and leaves. A terminate signal leaves the run resumable.
 */
import { isPawlError } from "../../base/errors.ts";
import type { Hosted } from "../../ports/engine.ts";
import type { StoredEvent } from "../../run/events.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { EXIT, type ExitCode, exitOfRun } from "../exit-codes.ts";
import type { Context } from "../spec.ts";
import { tailOfLog } from "../views/log-text.ts";
import { lastTrouble, type RunStory, tell } from "../views/run-story.ts";
import { readEvents } from "./read-events.ts";
import { openQuestions } from "./read-story.ts";
import { createRunWriter, type RunReport, type RunWriter } from "./run-writers.ts";

/** How long a second Ctrl-C waits for the processes of the run to be gone. */
const KILL_LIMIT_MS = 5000;
const TAIL_LINES = 12;

/** `story` holds what was already told; only newer events are written. `start` is part of the document at the end. */
export async function hostRun(
  context: Context,
  runtime: Runtime,
  handle: Hosted,
  story: RunStory,
  start: RunReport["start"] = {},
): Promise<ExitCode> {
  const writer = createRunWriter(context.out, story, context.now);
  const stopOutput = runtime.onOutput((run, stage, text) => writer.output(stage, text, run === handle.run));
  const interrupted = watchInterrupts(context, runtime, handle, writer);
  try {
    await followToEnd(runtime, handle, story, (stored) => {
      tell(story, stored);
      writer.event(stored);
    });
    const end = await handle.ended;
    story.open = await openQuestions(runtime, story);
    const hosted = false;
    const exit = interrupted.kind() === null ? exitOfRun(end.status, end.reason) : EXIT.interrupted;
    const tail = exit === EXIT.succeeded ? null : await tailOf(runtime, story);
    writer.end({ exit, hosted, tail, start });
    return exit;
  } finally {
    interrupted.release();
    stopOutput();
    writer.close();
  }
}

/** Follows until the host lets go, then reads what was stored up to that moment: nothing is missed, nothing told twice. */
async function followToEnd(
  runtime: Runtime,
  handle: Hosted,
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
  release(): void;
}

function watchInterrupts(context: Context, runtime: Runtime, handle: Hosted, writer: RunWriter): InterruptWatch {
  let seen: "interrupt" | "terminate" | null = null;
  const ignore = (error: unknown): void => {
    // The run may have ended by itself in the same moment; anything else is told.
    if (!isPawlError(error) || error.code !== "RUN_ENDED") writer.say(`could not be asked to stop: ${String(error)}`);
  };
  const release = context.interrupts.handle((kind, times) => {
    seen = kind;
    if (kind === "interrupt" && times === 1) {
      writer.say("cancelling (Ctrl-C again to kill)");
      runtime.cancel(handle.run, context.by).catch(ignore);
      return;
    }
    if (kind === "terminate" && times === 1) {
      writer.say(`stopping; go on later with: pawl resume ${handle.run}`);
      runtime.drain().catch(ignore);
      return;
    }
    writer.close();
    context.out.note(`killed; see how far it came with: pawl show ${handle.run}`);
    const leave = (): void => context.interrupts.exit(EXIT.interrupted);
    setTimeout(leave, KILL_LIMIT_MS);
    runtime.drain().then(leave, leave);
  });
  return { kind: () => seen, release };
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
