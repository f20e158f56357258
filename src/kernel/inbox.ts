/** Inbox: what people ask of a run while it is hosted, and the wake-up for whatever ends meanwhile. */
import type { ControlRequest } from "../ports/store/control.ts";
import type { Fact } from "../run/events.ts";

export interface Inbox {
  ask(request: ControlRequest): void;
  /** An effect ended. */
  land(fact: Fact): void;
  /** Something that must end the loop: its host leaves, or a port broke. */
  fail(error: unknown): void;
  /** The time that was waited for has come. */
  wake(): void;
  take(): { readonly requests: readonly ControlRequest[]; readonly landed: readonly Fact[] };
  /** Resolves when there is something to take or it was woken; rejects with what `fail` was given. */
  changed(): Promise<void>;
}

export function createInbox(): Inbox {
  let requests: ControlRequest[] = [];
  let landed: Fact[] = [];
  let failure: { readonly error: unknown } | null = null;
  let resume: (() => void) | null = null;
  const notify = (): void => {
    resume?.();
    resume = null;
  };
  return {
    ask(request) {
      requests.push(request);
      notify();
    },
    land(fact) {
      landed.push(fact);
      notify();
    },
    fail(error) {
      failure ??= { error };
      notify();
    },
    take() {
      const taken = { requests, landed };
      requests = [];
      landed = [];
      return taken;
    },
    wake: notify,
    async changed() {
      if (requests.length === 0 && landed.length === 0 && failure === null) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      if (failure !== null) throw failure.error;
    },
  };
}
