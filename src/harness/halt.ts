/**
 * When a run must stop, and why. The time of the run is its own: a caller's deadline does not cut it short, a caller's cancel
 * does. The first cause counts, and a kill stays one.
 */
import type { Clock } from "../ports/clock.ts";

export type HaltCause = "timeout" | "killed" | "cancelled";

export interface Halt {
  readonly signal: AbortSignal;
  /** null: it goes on. */
  cause(): HaltCause | null;
  why(): string;
  leftMs(): number;
  elapsedMs(): number;
  stop(cause: HaltCause, why: string): void;
  /** More time; only the first call of a run has an effect. */
  extend(ms: number): boolean;
  /** Calls off every timer. */
  end(): void;
}

/** No run is longer, whoever allows it. */
const LONGEST_MS = 24 * 3_600_000;
/** With a critic: how many times its time a run may take, whatever the critic says. */
const BACKSTOP = 3;

export interface HaltOptions {
  readonly clock: Clock;
  readonly wallMs: number;
  /** What hosts before this one took of it. */
  readonly usedMs: number;
  /** How long it may take since a host before this one has extended its time; null: none has. */
  readonly extendedToMs: number | null;
  readonly callers: readonly AbortSignal[];
  /** Asked when the time is over; true: it may go on. Without it, that is the end. */
  readonly onDeadline: (() => Promise<boolean>) | null;
}

export function createHalt({ clock, wallMs, usedMs, extendedToMs, callers, onDeadline }: HaltOptions): Halt {
  const controller = new AbortController();
  const began = clock.now() - usedMs;
  const hardMs = Math.min(LONGEST_MS, onDeadline === null ? wallMs : wallMs * BACKSTOP);
  let found: { readonly cause: HaltCause; readonly why: string } | null = null;
  let softMs = Math.min(hardMs, Math.max(wallMs, extendedToMs ?? 0));
  let wasExtended = extendedToMs !== null;

  const stop = (cause: HaltCause, why: string): void => {
    if (found !== null) return;
    found = { cause, why };
    controller.abort(new Error(why));
  };
  const timeout = (): void => stop("timeout", "its time is over");
  const onSoft = (): void => {
    const asked = onDeadline === null ? Promise.resolve(false) : onDeadline();
    asked.then(
      (goesOn) => (goesOn ? arm() : timeout()),
      () => timeout(),
    );
  };
  let callOff: () => void = () => undefined;
  const arm = (): void => {
    callOff();
    callOff = clock.after(Math.max(0, softMs - (clock.now() - began)), onSoft);
  };
  const callOffHard = onDeadline === null ? () => undefined : clock.after(Math.max(0, hardMs - usedMs), timeout);
  arm();
  if (hardMs <= usedMs) timeout();

  const onAbort = (): void => {
    const asked = askedBy(callers);
    if (asked !== null) stop(asked, asked === "killed" ? "its kill switch was pressed" : "its caller cancelled it");
  };
  for (const caller of callers) caller.addEventListener("abort", onAbort);
  onAbort();

  return {
    signal: controller.signal,
    stop,
    cause: () => found?.cause ?? null,
    why: () => found?.why ?? "",
    leftMs: () => Math.max(0, Math.min(softMs, hardMs) - (clock.now() - began)),
    elapsedMs: () => clock.now() - began,
    extend(ms) {
      if (wasExtended || !(ms > 0)) return false;
      wasExtended = true;
      softMs = Math.min(hardMs, Math.max(softMs, clock.now() - began) + ms);
      arm();
      return true;
    },
    end() {
      callOff();
      callOffHard();
      for (const caller of callers) caller.removeEventListener("abort", onAbort);
    },
  };
}

/** What callers want of a run; null: that it goes on. */
export function askedBy(callers: readonly AbortSignal[]): "killed" | "cancelled" | null {
  const reasons: readonly unknown[] = callers.filter(({ aborted }) => aborted).map(({ reason }) => reason);
  const cancels = reasons.filter((reason) => !isDeadline(reason));
  if (cancels.includes("kill")) return "killed";
  return cancels.length > 0 ? "cancelled" : null;
}

/** `AbortSignal.timeout`: how long somebody wants to wait, which is not how long the run may take. */
function isDeadline(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
