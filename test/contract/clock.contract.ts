/** The contract of the Clock port. `advance` lets a clock that is not the machine's go on; for the machine's it waits. */
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/ports/clock.ts";

export function clockContract(
  name: string,
  create: () => { clock: Clock; advance: (ms: number) => Promise<void> },
): void {
  describe(`Clock contract: ${name}`, () => {
    it("tells a time in whole milliseconds that goes forward", async () => {
      const { clock, advance } = create();
      const before = clock.now();
      await advance(20);
      expect(Number.isInteger(before)).toBe(true);
      expect(clock.now() - before).toBeGreaterThanOrEqual(19);
    });

    it("calls back once, when the time is over and not before", async () => {
      const { clock, advance } = create();
      let calls = 0;
      clock.after(60, () => {
        calls += 1;
      });
      await advance(10);
      expect(calls).toBe(0);
      await advance(80);
      await advance(80);
      expect(calls).toBe(1);
    });

    it("does not call back what was called off, and takes that late and twice", async () => {
      const { clock, advance } = create();
      let calls = 0;
      const count = (): void => {
        calls += 1;
      };
      const callOff = clock.after(20, count);
      callOff();
      const late = clock.after(5, count);
      await advance(60);
      late();
      late();
      callOff();
      expect(calls).toBe(1);
    });

    it("does not take a wait of more than 24 days for none", async () => {
      const { clock, advance } = create();
      let called = false;
      const callOff = clock.after(2 ** 31 + 1000, () => {
        called = true;
      });
      await advance(20);
      callOff();
      expect(called).toBe(false);
    });

    it("never calls back before it has returned", async () => {
      const { clock, advance } = create();
      let returned = false;
      let early = false;
      clock.after(0, () => {
        early = !returned;
      });
      returned = true;
      await advance(5);
      expect(early).toBe(false);
    });
  });
}
