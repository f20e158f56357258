/**
 * Prints the logs of a run while it goes on: what a process has written so far comes from its live log, what is missing
 * then from the log that was stored when the attempt had ended.
 */
import type { RunId } from "../../base/ids.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type AttemptStory, openAttempts, type RunStory, tell } from "../views/run-story.ts";

const LOOK_MS = 300;

export interface FollowedLogs {
  readonly runtime: Runtime;
  readonly run: RunId;
  readonly story: RunStory;
  readonly wants: (attempt: AttemptStory) => boolean;
  /** `isFirst`: nothing of this attempt was printed yet. */
  readonly print: (attempt: AttemptStory, bytes: Uint8Array, isFirst: boolean) => void;
}

export async function followLogs(logs: FollowedLogs, signal: AbortSignal): Promise<void> {
  const { runtime, run, story, wants } = logs;
  const printed = new Map<string, Buffer>();
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(() => lookAtAll(logs, printed)).catch(() => undefined);
  }, LOOK_MS);
  try {
    for await (const stored of runtime.follow(run, 0, signal)) {
      tell(story, stored);
      if (stored.event.type !== "stage.finished") continue;
      const { stage } = stored.event;
      const attempt = story.attempts.findLast((each) => each.stage === stage);
      await looking;
      if (attempt?.log !== undefined && wants(attempt))
        show(logs, printed, attempt, Buffer.from(await runtime.log(attempt.log)));
    }
  } finally {
    clearInterval(timer);
    await looking;
  }
}

async function lookAtAll(logs: FollowedLogs, printed: Map<string, Buffer>): Promise<void> {
  for (const attempt of openAttempts(logs.story)) {
    if (!logs.wants(attempt)) continue;
    const live = await logs.runtime.liveLog(logs.run, attempt.stage, attempt.attempt);
    // The end of a long log moves on: it is printed when the attempt has ended.
    if (live !== null && attempt.state === "running") show(logs, printed, attempt, Buffer.from(live.head));
  }
}

/** Prints what is new. A log that no longer begins with what was printed is printed anew. */
function show(logs: FollowedLogs, printed: Map<string, Buffer>, attempt: AttemptStory, bytes: Buffer): void {
  const key = `${attempt.stage}\n${attempt.visit}\n${attempt.attempt}`;
  const before = printed.get(key);
  const goesOn = before !== undefined && bytes.subarray(0, before.length).equals(before);
  if (before !== undefined && goesOn && bytes.length === before.length) return;
  if (bytes.length === 0 && attempt.state === "running") return;
  printed.set(key, bytes);
  logs.print(attempt, goesOn ? bytes.subarray(before.length) : bytes, !goesOn);
}
