/** A store that is opened with its first use, and again when there is more to see than it can show. A failed attempt is not kept. */
import { sharedAttempt } from "../../base/shared-attempt.ts";

interface Opened {
  isOutdated(): boolean;
  close(): Promise<void>;
}

export interface Reopened<T> {
  open(): Promise<T>;
  /** What is open; null: nothing, and nothing is opened for it. */
  kept(): Promise<T | null>;
  isOpen(): boolean;
  /** Closes everything that was ever opened. */
  close(): Promise<void>;
}

/** `storeOf`: what of it is outdated one day, and is closed. */
export function reopened<T extends object>(make: () => Promise<T>, storeOf: (opened: T) => Opened): Reopened<T> {
  const attempt = sharedAttempt(async () => {
    const made = await make();
    current = made;
    return made;
  });
  let current: T | null = null;
  /** The one before: who asks it at this moment gets an answer still. */
  let former: T | null = null;

  async function open(): Promise<T> {
    const found = await attempt.get();
    if (found !== current || !storeOf(found).isOutdated()) return found;
    attempt.drop(found);
    current = null;
    const oldest = former;
    former = found;
    if (oldest !== null) await storeOf(oldest).close();
    return attempt.get();
  }

  return {
    open,
    kept: attempt.kept,
    isOpen: () => current !== null,
    async close() {
      await attempt.kept();
      for (const each of [former, current]) if (each !== null) await storeOf(each).close();
    },
  };
}
