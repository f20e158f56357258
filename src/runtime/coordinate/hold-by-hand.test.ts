import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../../../test/support/virtual-clock.ts";
import type { RunId } from "../../base/ids.ts";
import { LOCK_LEASE_MS } from "../../loops/coordinate/coordinator.ts";
import type { JobAdmission } from "./admission.ts";
import { holdByHand } from "./hold-by-hand.ts";

const CLAIM = { job: { loop: "fix", run: "r_1" as RunId } };
const SERVED = { loop: { level: "L2", priority: 0, paths: [], maxOpen: null } } as const;

/** An admission that gives these answers one after the other, then lets it in; each renewal likewise. */
function fixture(whys: readonly string[], renewals: readonly (boolean | Error)[] = []) {
  const [clock, calls] = [createVirtualClock(), [] as string[]];
  const [waiting, renewing] = [[...whys], [...renewals]];
  const admission: JobAdmission = {
    enter: async () => waiting.shift() ?? null,
    async renew() {
      const answer = renewing.shift() ?? true;
      calls.push(`renew ${clock.now() - START}`);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    leave: async () => void calls.push("leave"),
    giveUp: async () => void calls.push("give up"),
    loopOf: () => null,
  };
  const stop = new AbortController();
  const watch = {
    signal: stop.signal,
    onWait: (why: string) => void calls.push(why),
    onLost: () => void calls.push("lost"),
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const advance = async (): Promise<void> => {
    await turn();
    clock.advance();
    await turn();
  };
  return { calls, stop, advance, held: holdByHand({ admission, clock }, CLAIM, SERVED, watch) };
}

const START = createVirtualClock().now();
const THIRD = LOCK_LEASE_MS / 3;

describe("paths for a run that a person starts", () => {
  it("are waited for, each reason is told once, and they are given back at the end", async () => {
    const { calls, advance, held } = fixture(["a has them", "a has them", "b has them"]);
    for (let asked = 0; asked < 3; asked += 1) await advance();
    expect(calls).toEqual(["a has them", "b has them"]);
    await (await held)?.();
    await advance();
    expect(calls).toEqual(["a has them", "b has them", "leave"]);
  });

  it("are waited for no more when that is ended", async () => {
    const { calls, stop, held } = fixture(["a has them", "a has them"]);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect(await held).toBeNull();
    expect(calls).toEqual(["a has them", "give up"]);
  });

  it("are kept, also where a renewal fails once, until they are another's: then that is told, once", async () => {
    const { calls, advance, held } = fixture([], [true, new Error("busy"), false]);
    await held;
    for (let renewed = 0; renewed < 5; renewed += 1) await advance();
    expect(calls).toEqual([`renew ${THIRD}`, `renew ${2 * THIRD}`, `renew ${3 * THIRD}`, "lost"]);
  });
});
