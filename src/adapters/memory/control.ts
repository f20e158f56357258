/** Control in memory. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Control, ControlRequest } from "../../ports/store/control.ts";
import { announce, type MemoryHost, type MemoryState } from "./state.ts";

interface ControlParts {
  readonly state: MemoryState;
  readonly self: MemoryHost;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

export function createMemoryControl({ state, self, guarded }: ControlParts): Control {
  function request(run: RunId, asked: ControlRequest): void {
    if (!state.runs.has(run)) throw pawlError(JOURNAL_ERRORS, "JOURNAL_RUN_UNKNOWN", { run });
    const open = state.requests.get(run) ?? [];
    if (open.some(({ kind }) => kind === asked.kind)) return;
    state.requests.set(run, [...open, { kind: asked.kind, by: asked.by }]);
    announce(state, run);
  }

  return {
    request: (run, asked) => guarded(() => request(run, asked)),
    watch(run, onRequest) {
      const passedOn = new WeakSet<ControlRequest>();
      const deliver = (changed: RunId): void => {
        const fresh = (state.requests.get(run) ?? []).filter((asked) => !passedOn.has(asked));
        if (changed !== run || !self.alive || !state.listeners.has(deliver)) return;
        for (const asked of fresh) {
          passedOn.add(asked);
          onRequest({ kind: asked.kind, by: asked.by });
        }
      };
      state.listeners.add(deliver);
      // Not before the caller has what ends the watch.
      queueMicrotask(() => deliver(run));
      return () => {
        state.listeners.delete(deliver);
      };
    },
    settle: (run) =>
      guarded(() => {
        state.requests.delete(run);
      }),
  };
}
