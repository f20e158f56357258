/** The contract of the Breakers port. The law itself is tested beside src/limits/breaker. */
import { describe, expect, it } from "vitest";
import type { BreakerRules } from "../../src/limits/breaker/rules.ts";
import type { Breakers } from "../../src/ports/store/breakers.ts";
import type { OpenStore } from "./store-fixture.ts";

export const QUICK_RULES: BreakerRules = {
  failures: 2,
  coolDownMs: 100,
  longestMs: 1000,
  trialMs: 500,
  staggerMs: 10,
};
const TARGET = "action:git.push";

async function ticketOf(breakers: Breakers, at: number, target = TARGET): Promise<string> {
  const admission = await breakers.admit(target, QUICK_RULES, at);
  return admission.go ? admission.ticket : expect.unreachable(admission.why);
}

async function failTwice(breakers: Breakers, at: number): Promise<void> {
  for (let time = 0; time < 2; time += 1) await breakers.report(await ticketOf(breakers, at), "failure", at);
}

export function breakersContract(name: string, open: OpenStore): void {
  describe(`Breakers contract: ${name}`, () => {
    it("opens for every process, and for one target only", async () => {
      const { store, another } = await open();
      const other = await another();
      await store.breakers.report(await ticketOf(store.breakers, 0), "failure", 0);
      await other.breakers.report(await ticketOf(other.breakers, 0), "failure", 0);
      const refused = { go: false, until: 100, why: "it failed 2 times in a row" };
      expect(await store.breakers.admit(TARGET, QUICK_RULES, 1)).toEqual(refused);
      expect(await (await another()).breakers.admit(TARGET, QUICK_RULES, 1)).toEqual(refused);
      expect(await store.breakers.admit("loop:other", QUICK_RULES, 1)).toMatchObject({ go: true });
    });

    it("admits one trial, however many ask at the same time", async () => {
      const { store, another } = await open();
      const stores = [store, await another(), await another()];
      await failTwice(store.breakers, 0);
      const asked = stores.flatMap(({ breakers }) => [1, 2, 3].map(() => breakers.admit(TARGET, QUICK_RULES, 100)));
      const admitted = (await Promise.all(asked)).filter((admission) => admission.go);
      expect(admitted).toMatchObject([{ go: true, isTrial: true }]);
      const [trial] = admitted;
      if (trial?.go) await stores[1]?.breakers.report(trial.ticket, "success", 110);
      expect(await store.breakers.admit(TARGET, QUICK_RULES, 110)).toMatchObject({ go: true, isTrial: false });
    });

    it("gives up the trial of a store that was closed", async () => {
      const { store, another } = await open();
      const other = await another();
      await failTwice(store.breakers, 0);
      expect(await other.breakers.admit(TARGET, QUICK_RULES, 100)).toMatchObject({ isTrial: true });
      expect(await store.breakers.admit(TARGET, QUICK_RULES, 101)).toMatchObject({ go: false });
      await other.close();
      expect(await store.breakers.admit(TARGET, QUICK_RULES, 102)).toMatchObject({ isTrial: true });
    });

    it("parks a target for everybody, and takes no ticket that nobody gave", async () => {
      const { store, another } = await open();
      await store.breakers.park(TARGET, 1000, "used up", 0);
      const other = await another();
      expect(await other.breakers.admit(TARGET, QUICK_RULES, 999)).toEqual({ go: false, until: 1000, why: "used up" });
      await store.breakers.report("a ticket", "success", 1000);
      await store.breakers.report(await ticketOf(other.breakers, 1000), "success", 1000);
      expect(await other.breakers.admit(TARGET, QUICK_RULES, 1001)).toMatchObject({ go: false, until: 1010 });
    });

    it("is closed by a person for everybody, and says whether there was anything to close", async () => {
      const { store, another } = await open();
      await failTwice(store.breakers, 0);
      const other = await another();
      expect(await other.breakers.reset(TARGET)).toBe(true);
      expect(await store.breakers.admit(TARGET, QUICK_RULES, 1)).toMatchObject({ go: true, isTrial: false });
      expect(await other.breakers.reset(TARGET)).toBe(false);
      expect(await other.breakers.reset("nobody")).toBe(false);
    });

    it("lists targets by name, page by page, without those that never were in trouble", async () => {
      const { store } = await open();
      const { breakers } = store;
      expect(await breakers.list({ at: 0, limit: 5 })).toEqual({ breakers: [], next: null });
      await breakers.report(await ticketOf(breakers, 0, "model:fine"), "success", 0);
      await failTwice(breakers, 0);
      await breakers.park("model:b", 50, "used up", 0);
      await breakers.report(await ticketOf(breakers, 0, "loop:x"), "failure", 0);
      const closed = { phase: "closed", failures: 1, since: null, until: null, why: null, parked: false };
      const first = await breakers.list({ at: 60, limit: 2 });
      expect(first).toEqual({
        breakers: [
          {
            target: TARGET,
            ...{ phase: "open", failures: 2, since: 0, until: 100, why: "it failed 2 times in a row", parked: false },
          },
          { target: "loop:x", ...closed },
        ],
        next: "loop:x",
      });
      expect(await breakers.list({ at: 60, limit: 2, cursor: first.next ?? "" })).toEqual({
        breakers: [
          {
            target: "model:b",
            ...{ phase: "half_open", failures: 0, since: 0, until: 50, why: "used up", parked: true },
          },
        ],
        next: null,
      });
    });
  });
}
