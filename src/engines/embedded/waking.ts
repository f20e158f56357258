/**
 * Waking: a run that rests until a time goes on when it has come. Time is looked at again and again, so that a machine that slept
 * and a clock that was set do no harm.
 */
import { isPawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { HostedEnd } from "../../ports/engine.ts";
import type { RunRow } from "../../ports/store/run-index.ts";
import type { RunEvent } from "../../run/events.ts";
import { resumeRun } from "./answers.ts";
import { findOpen, type HostedRun, type Hosting } from "./hosting.ts";
import { restoreRun } from "./restore.ts";
import { THROUGH_MS, TURN_RULES } from "./turns.ts";

interface WakeOptions {
  readonly by: string;
  readonly signal: AbortSignal;
}

/** A timer does not count the time in which a machine sleeps. */
const LOOK_MS = 15_000;
const SOON_MS = 100;

export async function wakeRun(hosting: Hosting, run: RunId, { by, signal }: WakeOptions): Promise<HostedRun> {
  for (;;) {
    const rest = await restOf(hosting, run);
    if (rest === null) return resumeRun(hosting, run, { by });
    await waitFor(hosting.ports.clock, rest.until, signal);
    const turn = await takeTurn(hosting, rest.target, signal);
    // A clock that was put back while the time passed does not make it pass again.
    const early = hosting.ports.clock.now() < rest.until;
    try {
      const handle = await resumeRun(hosting, run, { by, early });
      watch(hosting, handle, rest.row.events, turn);
      return handle;
    } catch (error) {
      await turn("ignored");
      if (!isPawlError(error) || error.code !== "RUN_NOT_DUE") throw error;
    }
  }
}

interface Rest {
  readonly row: RunRow;
  readonly until: number;
  readonly target: string | null;
}

/** null: it does not rest until a time. */
async function restOf(hosting: Hosting, run: RunId): Promise<Rest | null> {
  const row = await findOpen(hosting, run);
  if (row.status !== "waiting") return null;
  const { state } = await restoreRun(hosting.ports.journal, row);
  if (state.status !== "waiting" || state.until === null) return null;
  return { row, until: state.until, target: state.target };
}

/** Until the clock shows it, or as long as it was to be when the wait began. */
async function waitFor(clock: Clock, until: number, signal: AbortSignal): Promise<void> {
  let leftMs = until - clock.now();
  while (leftMs > 0 && clock.now() < until) {
    const ms = Math.min(leftMs, until - clock.now(), LOOK_MS);
    await sleep(clock, ms, signal);
    leftMs -= ms;
  }
  signal.throwIfAborted();
}

function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const end = (): void => {
      callOff();
      reject(signal.reason);
    };
    const callOff = clock.after(ms, () => {
      signal.removeEventListener("abort", end);
      resolve();
    });
    signal.addEventListener("abort", end, { once: true });
  });
}

type Turn = (end: "success" | "ignored") => Promise<void>;

async function takeTurn({ turns, ports }: Hosting, target: string | null, signal: AbortSignal): Promise<Turn> {
  if (turns === null || target === null) return async () => undefined;
  const { clock } = ports;
  for (;;) {
    const admission = await turns.admit(target, TURN_RULES, clock.now());
    if (admission.go) return (end) => turns.report(admission.ticket, end, clock.now());
    const ms = (admission.until ?? 0) - clock.now();
    await sleep(clock, Math.min(Math.max(ms, SOON_MS), LOOK_MS), signal);
  }
}

/** Tells how the turn went: what was refused again is known already, and whatever else happens got through. */
function watch({ ports }: Hosting, handle: HostedRun, after: number, turn: Turn): void {
  const stop = new AbortController();
  let isTold = false;
  const tell = (end: "success" | "ignored"): void => {
    if (isTold) return;
    isTold = true;
    stop.abort();
    callOff();
    void turn(end).catch(() => undefined);
  };
  const callOff = ports.clock.after(THROUGH_MS, () => tell("success"));
  const follow = async (): Promise<void> => {
    for await (const { event } of ports.journal.follow(handle.run, after, stop.signal)) {
      const end = endBy(event);
      if (end !== null) return tell(end);
    }
  };
  void follow().catch(() => undefined);
  handle.ended.then(
    ({ status }: HostedEnd) => tell(status === "waiting" || status === "running" ? "ignored" : "success"),
    () => tell("ignored"),
  );
}

function endBy({ type }: RunEvent): "success" | "ignored" | null {
  if (type === "stage.finished") return "success";
  // An agent that asks has got as far as that.
  if (type === "stage.deferred") return "success";
  return type === "stage.parked" || type === "stage.rested" ? "ignored" : null;
}
