/** Halt: the end of everything under way in one run. Cheap where nobody asks for a signal, because a run has many short stages. */

/** "stop": the run ends. "kill": it ends, and nothing is given time. "drain": its host leaves, and the run stays resumable. */
export type HaltReason = "stop" | "kill" | "drain";

export interface Halt {
  /** Ends what is under way; the first reason stays. */
  end(reason: HaltReason): void;
  hasEnded(): boolean;
  /** null: it has not ended. */
  reason(): HaltReason | null;
  /** Calls back when it ends, at once if it has. Returns the function that forgets the callback. */
  onEnd(call: (reason: HaltReason) => void): () => void;
  /** The same for what takes an AbortSignal; its reason is the HaltReason. */
  signal(): AbortSignal;
}

/** A halt that ends with its host; `forget` is to be called when the work has ended. */
export function haltOfHost(leaving: AbortSignal): { readonly halt: Halt; forget(): void } {
  const halt = createHalt();
  const leave = (): void => halt.end("drain");
  if (leaving.aborted) leave();
  else leaving.addEventListener("abort", leave, { once: true });
  return { halt, forget: () => leaving.removeEventListener("abort", leave) };
}

export function createHalt(): Halt {
  const calls = new Set<(reason: HaltReason) => void>();
  let ended: HaltReason | null = null;
  let controller: AbortController | null = null;
  return {
    end(reason) {
      if (ended !== null) return;
      ended = reason;
      controller?.abort(reason);
      for (const call of calls) call(reason);
      calls.clear();
    },
    hasEnded: () => ended !== null,
    reason: () => ended,
    onEnd(call) {
      if (ended === null) calls.add(call);
      else call(ended);
      return () => calls.delete(call);
    },
    signal() {
      if (controller === null) {
        controller = new AbortController();
        if (ended !== null) controller.abort(ended);
      }
      return controller.signal;
    },
  };
}
