/** Watches one process until it and everything it started are gone: time, silence, requests, and what stays behind. */
import type { Ended, Ending } from "./classify.ts";
import { after, watchSilence, within } from "./deadline.ts";
import { countOomKills, newestPid, readProcess } from "./proc.ts";
import { killMarked } from "./reap.ts";
import type { Child } from "./spawn.ts";
import { endGroup, killGroup } from "./terminate.ts";

export interface Watch {
  readonly key: string;
  readonly timeoutMs: number;
  readonly stallMs: number | null;
  readonly graceMs: number;
  readonly signal: AbortSignal;
  /** As counted before the process began. */
  readonly oomKills: number | undefined;
  readonly onChunk: (stream: "stdout" | "stderr", chunk: Buffer) => void;
}

/** After the process has ended, others may still write to its pipes: they get this long. */
const DRAIN_MS = 250;
/** After they were killed, what is left in the pipes is read for at most this long. */
const CLOSE_MS = 2000;
/** A process that outlives SIGKILL so long (it may belong to another user) is given up. */
const UNKILLABLE_MS = 10_000;
/** No machine uses up its 32,768 or more process ids so quickly. */
const ONCE_AROUND_MS = 1000;

export interface Watched extends Ended {
  /** Processes of the stage that could not be ended. */
  readonly survivors: readonly number[];
}

export async function supervise(child: Child, pid: number, watch: Watch): Promise<Watched> {
  const from = performance.now();
  const sinceTicks = readProcess(pid)?.startTicks ?? 0;
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const { code, signal, ending, gone } = await untilExit(child, pid, watch);
  if (ending === null) await within(DRAIN_MS, closed);
  const groupGone = ending === null ? await killGroup(pid) : await gone;
  const survivors = await killMarked(watch.key, {
    sinceTicks,
    abovePid: lowestDescendant(pid, performance.now() - from),
  });
  await within(CLOSE_MS, closed);
  child.stdout.destroy();
  child.stderr.destroy();
  const oomKills = countOomKills();
  return {
    code,
    signal,
    ending,
    oomSeen: oomKills !== undefined && watch.oomKills !== undefined && oomKills > watch.oomKills,
    survivors: groupGone ? survivors : [...new Set([pid, ...survivors])],
  };
}

/** Ids go up: while they cannot have gone once around, whatever the process started has a larger id than itself. */
function lowestDescendant(pid: number, elapsedMs: number): number {
  return elapsedMs < ONCE_AROUND_MS && newestPid() >= pid ? pid : 0;
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ending: Ending | null;
  /** Settles when the group that we are ending is gone. */
  readonly gone: Promise<boolean>;
}

function untilExit(child: Child, pid: number, watch: Watch): Promise<Exit> {
  return new Promise((resolve) => {
    let ending: Ending | null = null;
    let gone = Promise.resolve(true);
    let callOff: () => void = () => undefined;
    const finish = (code: number | null, signal: string | null): void => {
      stop();
      callOff();
      resolve({ code, signal, ending, gone });
    };
    const end = (why: Ending): void => {
      if (ending !== null) return;
      ending = why;
      gone = endGroup(pid, watch.graceMs);
      callOff = after(watch.graceMs + UNKILLABLE_MS, () => finish(null, null));
    };
    child.once("exit", finish);
    const stop = listen(child, watch, end);
  });
}

/** Starts every watch; returns the function that stops them, but for reading what is still in the pipes. */
function listen(child: Child, watch: Watch, end: (why: Ending) => void): () => void {
  const silence = watch.stallMs === null ? undefined : watchSilence(watch.stallMs, () => end("stall"));
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].on("data", (chunk: Buffer) => {
      silence?.touch();
      watch.onChunk(stream, chunk);
    });
    // A broken pipe ends the stream; how the process ended is known from the process.
    child[stream].on("error", () => undefined);
  }
  child.on("error", () => undefined);
  const callOff = after(watch.timeoutMs, () => end("timeout"));
  const onAbort = (): void => end("killed");
  watch.signal.addEventListener("abort", onAbort, { once: true });
  if (watch.signal.aborted) onAbort();
  return () => {
    callOff();
    silence?.cancel();
    watch.signal.removeEventListener("abort", onAbort);
  };
}
