/** Aftermath: what an attempt keeps for a next host is cleared away when its end is durable, and not a moment before. */
import type { Fact } from "../run/events.ts";

/** What has become of something that was under way. */
export interface Landing {
  readonly fact: Fact;
  /** What was learned before it ended, and is recorded right before it. */
  readonly first?: Fact | undefined;
  /** Clears away what is not needed any more once the fact is durable. */
  readonly clear?: (() => Promise<void>) | undefined;
}

export interface Aftermath {
  /** Its fact is recorded and will be durable with all that is recorded so far. */
  add(landing: Pick<Landing, "clear">): void;
  /** Hands out what was added. To be called when its facts are durable; what fails is left for a sweep. */
  take(): () => void;
  /** Resolves when everything that was begun is done. */
  over(): Promise<unknown>;
}

export function createAftermath(): Aftermath {
  let due: NonNullable<Landing["clear"]>[] = [];
  const underWay = new Set<Promise<void>>();
  const begin = (clear: NonNullable<Landing["clear"]>): void => {
    const work = clear().catch(() => undefined);
    underWay.add(work);
    void work.then(() => underWay.delete(work));
  };
  return {
    add({ clear }) {
      if (clear !== undefined) due.push(clear);
    },
    take() {
      const taken = due;
      due = [];
      return () => taken.forEach(begin);
    },
    over: () => Promise.all(underWay),
  };
}
