/** Interruption: what is done under a signal ends with it, and says what was kept. */
import { isPawlError, pawlError } from "../../base/errors.ts";
import { visibleLine } from "../../base/visible.ts";
import { WORKSPACE_ERRORS } from "../../ports/errors/workspace-errors.ts";

/** The signal of work that nobody interrupts. */
export const NEVER: AbortSignal = new AbortController().signal;

const LONGEST_REASON = 200;

/** What an interruption leaves as it was, unless the caller knows better. */
const KEPT = "Everything saved before is kept.";

export function isInterrupted(error: unknown): boolean {
  return isPawlError(error) && error.code === "WORKSPACE_INTERRUPTED";
}

export function interrupted(doing: string, why: string, kept = KEPT): Error {
  return pawlError(WORKSPACE_ERRORS, "WORKSPACE_INTERRUPTED", { doing, why: visibleLine(why, LONGEST_REASON), kept });
}

export function throwIfAborted(signal: AbortSignal, doing: string, kept = KEPT): void {
  if (signal.aborted) throw interrupted(doing, String(signal.reason), kept);
}

/** Whatever goes wrong after the signal has aborted went wrong because of it. */
export async function interruptible<T>(
  signal: AbortSignal,
  { doing, kept }: { readonly doing: string; readonly kept?: string },
  work: () => Promise<T>,
): Promise<T> {
  throwIfAborted(signal, doing, kept);
  try {
    return await work();
  } catch (error) {
    if (!saysWhatIsKept(error)) throwIfAborted(signal, doing, kept);
    throw error;
  }
}

function saysWhatIsKept(error: unknown): boolean {
  return isPawlError(error) && isInterrupted(error) && error.problems[0]?.data?.["kept"] !== KEPT;
}

/** Calls back when the signal aborts, at once if it has; `forget` is to be called when the work is over. */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  if (signal === NEVER) return () => undefined;
  if (signal.aborted) call();
  else signal.addEventListener("abort", call, { once: true });
  return () => signal.removeEventListener("abort", call);
}
