/** What every store of slots must do. */
import { describe, expect, it } from "vitest";
import type { Firing, Slots } from "../../src/ports/loops/slots.ts";
import type { OpenLoops } from "./loop-store-fixture.ts";

const NOON = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;

const arm = (slots: Slots, next: number | null = NOON): Promise<boolean> =>
  slots.arm({ loop: "fix", was: null, next, trigger: "t", at: NOON - HOUR });
const firing = (fields: Partial<Firing> = {}): Firing => ({
  ...{ loop: "fix", slot: "noon", time: NOON, was: NOON, next: NOON + HOUR, at: NOON + 1, ...fields },
});
const deliver = (slots: Slots, slot: string): Promise<"fired" | "known" | "waiting"> =>
  slots.deliver({ loop: "fix", slot, at: NOON });

export function slotsContract(name: string, open: OpenLoops): void {
  describe(`slots: ${name}`, () => {
    it("a loop is armed by whoever has seen how it stands", async () => {
      const { loops, another } = await open();
      const { slots } = loops;
      expect(await slots.standing("fix")).toBeNull();
      expect([await arm(slots), await arm(slots, NOON + 1)]).toEqual([true, false]);
      const standing = { loop: "fix", next: NOON, armedAt: NOON - HOUR, trigger: "t", open: null };
      expect(await (await another()).slots.standings()).toEqual([standing]);
      const seen = { loop: "fix", next: null, trigger: "u", at: NOON };
      expect(await slots.arm({ ...seen, was: { next: NOON, trigger: "other" } })).toBe(false);
      expect(await slots.arm({ ...seen, was: { next: NOON + 1, trigger: "t" } })).toBe(false);
      expect(await slots.arm({ ...seen, was: standing })).toBe(true);
      expect(await slots.standing("fix")).toEqual({ ...standing, next: null, trigger: "u", armedAt: NOON });
    });

    it("of any number of processes one fires a slot, and the next time is stored with it", async () => {
      const { loops, another } = await open();
      await arm(loops.slots);
      const all = [loops, await another(), await another()];
      const fired = await Promise.all(all.map(({ slots }) => slots.fire(firing())));
      expect([...fired].sort()).toEqual(["fired", "moved", "moved"]);
      expect(await loops.slots.standing("fix")).toMatchObject({
        ...{ next: NOON + HOUR, armedAt: NOON + 1, open: { slot: "noon", at: NOON, isSubmitted: false } },
      });
    });

    it("nothing fires beside an open slot, and only its own end frees the loop", async () => {
      const { slots } = (await open()).loops;
      await arm(slots);
      await slots.fire(firing());
      const next = firing({ slot: "one", time: NOON + HOUR, was: NOON + HOUR, next: NOON + 2 * HOUR });
      expect(await slots.fire(next)).toBe("busy");
      await slots.over("fix", "another");
      expect(await slots.fire(next)).toBe("busy");
      await slots.over("fix", "noon");
      expect(await slots.fire(next)).toBe("fired");
    });

    it("a slot fires once, although the clock shows its time again; the schedule goes on", async () => {
      const { slots } = (await open()).loops;
      await arm(slots);
      await slots.fire(firing());
      await slots.over("fix", "noon");
      await slots.arm({
        loop: "fix",
        was: { next: NOON + HOUR, trigger: "t" },
        next: NOON,
        trigger: "t",
        at: NOON - 5,
      });
      expect(await slots.fire(firing())).toBe("known");
      expect(await slots.standing("fix")).toMatchObject({ next: NOON + HOUR, open: null });
    });

    it("a slot that was fired and never submitted is known as such", async () => {
      const { slots } = (await open()).loops;
      await arm(slots);
      await slots.fire(firing());
      await slots.submitted("fix", "another");
      expect((await slots.standing("fix"))?.open?.isSubmitted).toBe(false);
      await slots.submitted("fix", "noon");
      expect((await slots.standing("fix"))?.open?.isSubmitted).toBe(true);
    });

    it("R7: a delivery counts once; what comes while one is open waits", async () => {
      const { slots } = (await open()).loops;
      await arm(slots, null);
      expect(await deliver(slots, "d1")).toBe("fired");
      expect([await deliver(slots, "d1"), await deliver(slots, "d2"), await deliver(slots, "d3")]).toEqual([
        ...["known", "waiting", "waiting"],
      ]);
      expect(await slots.takeWaiting("fix", "oldest")).toBeNull();
      await slots.over("fix", "d1");
      expect(await slots.takeWaiting("fix", "oldest")).toEqual({
        loop: "fix",
        slot: "d2",
        at: NOON,
        isSubmitted: false,
      });
      await slots.over("fix", "d2");
      expect(await deliver(slots, "d2")).toBe("known");
      expect(await slots.takeWaiting("fix", "oldest")).toMatchObject({ slot: "d3" });
      await slots.over("fix", "d3");
      expect(await slots.takeWaiting("fix", "oldest")).toBeNull();
    });

    it("the newest of what waits may stand for all of it", async () => {
      const { slots } = (await open()).loops;
      await arm(slots, null);
      for (const slot of ["d1", "d2", "d3"]) await deliver(slots, slot);
      await slots.over("fix", "d1");
      expect(await slots.takeWaiting("fix", "newest")).toMatchObject({ slot: "d3" });
      await slots.over("fix", "d3");
      expect(await slots.takeWaiting("fix", "newest")).toBeNull();
      expect(await deliver(slots, "d2")).toBe("known");
    });

    it("what was asked for comes first and is never dropped for something newer", async () => {
      const { slots } = (await open()).loops;
      await arm(slots, null);
      for (const slot of ["d1", "d2", "asked:a", "asked:b", "d3"]) await deliver(slots, slot);
      await slots.over("fix", "d1");
      const taken: (string | null)[] = [];
      for (let next = await slots.takeWaiting("fix", "newest"); ; next = await slots.takeWaiting("fix", "newest")) {
        taken.push(next?.slot ?? null);
        if (next === null) break;
        await slots.over("fix", next.slot);
      }
      expect(taken).toEqual(["asked:a", "asked:b", "d3", null]);
    });

    it("of a change that many see one is told", async () => {
      const { loops, another } = await open();
      const other = await another();
      await arm(loops.slots, null);
      expect(await loops.slots.observe("fix", "a")).toBe("first");
      expect(await other.slots.observe("fix", "a")).toBe("same");
      expect(await other.slots.observe("fix", "b")).toBe(2);
      expect(await loops.slots.observe("fix", "b")).toBe("same");
      expect(await loops.slots.observe("fix", "a")).toBe(3);
    });
  });
}
