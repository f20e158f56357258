/** A clock that a test moves: what sleeps is woken by time that passes, and not by a clock that is set. */
import type { Clock } from "../../src/ports/clock.ts";

export interface JumpingClock extends Clock {
  uptime(): number;
  /** Lets time pass, and whoever sleeps wake in order. */
  pass(ms: number): Promise<void>;
  /** Sets the clock; no time passes. */
  jump(ms: number): void;
}

interface Sleeper {
  readonly at: number;
  readonly call: () => void;
}

export function createJumpingClock(start: number): JumpingClock {
  let uptime = 1_000_000;
  let offset = start - uptime;
  const sleepers = new Set<Sleeper>();
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const next = (until: number): Sleeper | undefined =>
    [...sleepers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => uptime + offset,
    uptime: () => uptime,
    after(ms, call) {
      const sleeper = { at: uptime + Math.max(0, ms), call };
      sleepers.add(sleeper);
      return () => sleepers.delete(sleeper);
    },
    async pass(ms) {
      const until = uptime + ms;
      for (let sleeper = next(until); sleeper !== undefined; sleeper = next(until)) {
        sleepers.delete(sleeper);
        uptime = Math.max(uptime, sleeper.at);
        sleeper.call();
        await settle();
      }
      uptime = until;
      await settle();
    },
    jump(ms) {
      offset += ms;
    },
  };
}
