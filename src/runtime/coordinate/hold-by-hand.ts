/** Takes the paths of a loop for a run that a person starts: waits for whoever has them, and keeps them while the run is hosted. */
import { LOCK_LEASE_MS } from "../../loops/coordinate/coordinator.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobAdmission } from "./admission.ts";

type Claim = Parameters<JobAdmission["enter"]>[0];
type Served = Parameters<JobAdmission["enter"]>[1];

interface HoldParts {
  readonly admission: JobAdmission;
  readonly clock: Pick<Clock, "after">;
}

export interface HoldWatch {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Hears why it waits, each time the reason is another. */
  onWait(why: string): void;
  /** Its paths are another's by now: it stood still for too long. */
  onLost(): void;
}

const PAUSE_MS = 1000;

/** What gives the paths back; null: `signal` ended the wait, and nothing is held. */
export async function holdByHand(
  { admission, clock }: HoldParts,
  claim: Claim,
  served: Served,
  { signal, onWait, onLost }: HoldWatch,
): Promise<(() => Promise<void>) | null> {
  let told: string | null = null;
  for (let why = await admission.enter(claim, served); why !== null; why = await admission.enter(claim, served)) {
    if (why !== told) onWait(why);
    told = why;
    if (!signal.aborted) await pause(clock, signal);
    if (signal.aborted) {
      await admission.giveUp(claim);
      return null;
    }
  }
  const stop = keep({ admission, clock }, claim, onLost);
  return async () => {
    stop();
    await admission.leave(claim);
  };
}

function keep({ admission, clock }: HoldParts, claim: Claim, onLost: () => void): () => void {
  let cancel = (): void => undefined;
  const next = (): void => {
    cancel = clock.after(LOCK_LEASE_MS / 3, () => {
      // A store that cannot be written now is asked again before the lease is over.
      void admission.renew(claim).then((isOurs) => (isOurs ? next() : onLost()), next);
    });
  };
  next();
  return () => cancel();
}

function pause(clock: HoldParts["clock"], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(PAUSE_MS, resolve);
    signal.addEventListener("abort", () => {
      cancel();
      resolve();
    });
  });
}
