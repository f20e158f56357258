/** Inbox: what people ask of a run while it is hosted, and the wake-up for whatever ends meanwhile. */
import type { Clock } from "../../ports/clock.ts";
import type { Landing } from "../aftermath.ts";
import type { HostRequest } from "./heed.ts";

export interface Inbox {
  ask(request: HostRequest): void;
  /** An effect ended. */
  land(landing: Landing): void;
  /** Something that must end the loop: its host leaves, or a port broke. */
  fail(error: unknown): void;
  /** The time that was waited for has come. */
  wake(): void;
  take(): { readonly requests: readonly HostRequest[]; readonly landed: readonly Landing[] };
  /** Resolves when there is something to take or it was woken; rejects with what `fail` was given. */
  changed(): Promise<void>;
}

export function createInbox(): Inbox {
  let requests: HostRequest[] = [];
  let landed: Landing[] = [];
  let failure: { readonly error: unknown } | null = null;
  let waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | null = null;
  const notify = (): void => {
    if (failure === null) waiting?.resolve();
    else waiting?.reject(failure.error);
    waiting = null;
  };
  return {
    ask(request) {
      requests.push(request);
      notify();
    },
    land(landing) {
      if (landing.first !== undefined) landed.push({ fact: landing.first });
      landed.push(landing);
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
    changed() {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        if (requests.length > 0 || landed.length > 0 || failure !== null) notify();
      });
    },
  };
}

/** Waits for a change, or for a time; null: there is none. */
export function waitUntil(until: number | null, clock: Clock, inbox: Inbox): Promise<void> {
  if (until === null) return inbox.changed();
  return inbox.changed().finally(clock.after(until - clock.now(), inbox.wake));
}
