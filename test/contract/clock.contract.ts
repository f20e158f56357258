/** The contract of the Clock port. `advance` lets a clock that is not the machine's go on; for the machine's it waits. */
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/ports/clock.ts";

export function clockContract(
  name: string,
  create: () => { clock: Clock; advance: (ms: number) => Promise<void> },
): void {
  describe(`Clock contract: ${name}`, () => {
    const isDone = async (promise: Promise<void>): Promise<boolean> => {
      let done = false;
      void promise.then(() => {
        done = true;
      });
      await new Promise((resolve) => setImmediate(resolve));
      return done;
    };

    it("tells a time in whole milliseconds that goes forward", async () => {
      const { clock, advance } = create();
      const before = clock.now();
      await advance(20);
      expect(Number.isInteger(before)).toBe(true);
      expect(clock.now() - before).toBeGreaterThanOrEqual(19);
    });

    it("sleeps as long as asked, not shorter", async () => {
      const { clock, advance } = create();
      const sleep = clock.sleep(60, new AbortController().signal);
      await advance(10);
      expect(await isDone(sleep)).toBe(false);
      await advance(80);
      await sleep;
    });

    it("wakes at once when the signal aborts, before or during the sleep, and never rejects", async () => {
      const { clock } = create();
      await clock.sleep(10_000, AbortSignal.abort());
      const control = new AbortController();
      const sleep = clock.sleep(10_000, control.signal);
      control.abort();
      await sleep;
    });

    it("does not take a sleep of more than 24 days for none", async () => {
      const { clock, advance } = create();
      const control = new AbortController();
      const sleep = clock.sleep(2 ** 31 + 1000, control.signal);
      await advance(20);
      expect(await isDone(sleep)).toBe(false);
      control.abort();
      await sleep;
    });

    it("takes a sleep of no time", async () => {
      const { clock, advance } = create();
      const sleep = clock.sleep(0, new AbortController().signal);
      await advance(5);
      await sleep;
    });
  });
}
