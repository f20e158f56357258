/** The contract of the KillSwitch port. */
import { describe, expect, it, vi } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import type { KillSwitch } from "../../src/ports/stop/kill-switch.ts";
import { PATIENCE_MS } from "../support/slowness.ts";

const RUN = "r_0123456789ab" as RunId;
const OTHER = "r_0123456789cd" as RunId;
const ASKED = { by: "ann", why: "enough", at: 1000 };

/** `another`: as another process would see the same project. */
export type OpenKillSwitch = () => { readonly killSwitch: KillSwitch; another(): KillSwitch };

const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 5 });

export function killSwitchContract(name: string, open: OpenKillSwitch): void {
  describe(`KillSwitch contract: ${name}`, () => {
    it("is off until somebody pulls it, and then on for that run and for nobody else", async () => {
      const { killSwitch, another } = open();
      const other = another();
      expect([killSwitch.pulled(RUN), killSwitch.pulled("all")]).toEqual([null, null]);
      await other.pull({ scope: RUN, ...ASKED });
      await soon(() => expect(killSwitch.pulled(RUN)).toMatchObject({ scope: RUN, ...ASKED, isForeign: false }));
      expect([killSwitch.pulled(OTHER), killSwitch.pulled("all")]).toEqual([null, null]);
    });

    it("is on for every run when it is pulled for all, and whoever was first stays", async () => {
      const { killSwitch, another } = open();
      await killSwitch.pull({ scope: "all", ...ASKED });
      await killSwitch.pull({ scope: "all", by: "bob", why: "later", at: 2000 });
      for (const scope of [RUN, "all"] as const)
        expect(another().pulled(scope)).toMatchObject({ scope: "all", ...ASKED });
    });

    it("is still on for whoever comes later, until a person releases it", async () => {
      const { killSwitch, another } = open();
      await killSwitch.pull({ scope: "all", ...ASKED });
      await killSwitch.pull({ scope: RUN, ...ASKED });
      const later = another();
      const { released, left } = await later.release("all");
      expect([released.map(({ scope }) => scope).sort(), left]).toEqual([["all", RUN], null]);
      expect(later.pulled(RUN)).toBeNull();
      await soon(() => expect(killSwitch.pulled(RUN)).toBeNull());
      expect(await later.release("all")).toEqual({ released: [], left: null });
    });

    it("lets go of one run and not of the rest", async () => {
      const { killSwitch } = open();
      for (const scope of [RUN, OTHER]) await killSwitch.pull({ scope, ...ASKED });
      expect(await killSwitch.release(RUN)).toMatchObject({ released: [{ scope: RUN }], left: null });
      expect([killSwitch.pulled(RUN), killSwitch.pulled(OTHER)?.scope]).toEqual([null, OTHER]);
      await killSwitch.pull({ scope: "all", ...ASKED });
      expect(await killSwitch.release(OTHER)).toMatchObject({ released: [{ scope: OTHER }], left: { scope: "all" } });
    });

    it("tells who watches once, also when it was pulled before, and nobody who stopped watching", async () => {
      const { killSwitch, another } = open();
      const heard: string[] = [];
      killSwitch.watch(RUN, () => heard.push("run"));
      killSwitch.watch(OTHER, () => heard.push("other"));
      killSwitch.watch(RUN, () => heard.push("left"))();
      await another().pull({ scope: RUN, ...ASKED });
      await soon(() => expect(heard).toEqual(["run"]));
      const end = killSwitch.watch(RUN, () => heard.push("late"));
      await soon(() => expect(heard).toEqual(["run", "late"]));
      end();
      await another().pull({ scope: "all", ...ASKED });
      await soon(() => expect(heard).toEqual(["run", "late", "other"]));
    });
  });
}
