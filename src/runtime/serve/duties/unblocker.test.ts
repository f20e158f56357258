import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../../../../test/support/virtual-clock.ts";
import type { Writer } from "../../../ports/loops/loop-store.ts";
import { createUnblocker } from "./unblocker.ts";

const LEASE_MS = 3000;
const WRITER: Writer = { pid: 7, startTicks: 1, since: 0, workedTicks: 5, isStopped: true };

/** What is found at each look; the last stays. */
function fixture(looks: readonly (readonly Writer[])[], is: "host" | "guest" | "gone" = "host") {
  const [clock, told, left] = [createVirtualClock(), [] as string[], [...looks]];
  const start = clock.now();
  const unblocker = createUnblocker({
    ...{ clock, leaseMs: LEASE_MS, uptime: () => clock.now() - start },
    writers: async () => (left.length > 1 ? left.shift() : left[0]) ?? [],
    runtime: {
      evict: async ({ pid }) => {
        if (is === "guest") throw new Error(`${pid} stays`);
        return is === "host";
      },
    },
    tell: (news) => void told.push(`${news.type} ${clock.now() - start}`),
  });
  const advance = async (times: number): Promise<void> => {
    for (let made = 0; made < times; made += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance();
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { unblocker, told, advance };
}

describe("the unblocker", () => {
  it("begins at once where nobody writes, and ends who does nothing for a whole lease", async () => {
    const { unblocker, told, advance } = fixture([[], [WRITER]]);
    await unblocker.start();
    await advance(4);
    expect(told).toEqual(["host.ended 4000"]);
    await unblocker.stop();
  });

  it("L7: says nothing of one that others have ended before", async () => {
    const { unblocker, told, advance } = fixture([[], [WRITER]], "gone");
    await unblocker.start();
    await advance(4);
    expect(told).toEqual([]);
    await unblocker.stop();
  });

  it("leaves alone who works, and who is another by now", async () => {
    const busy = Array.from({ length: 9 }, (_, at) => [{ ...WRITER, workedTicks: at }]);
    const others = Array.from({ length: 9 }, (_, at) => [{ ...WRITER, startTicks: at }]);
    for (const looks of [busy, others]) {
      const { unblocker, told, advance } = fixture([[], ...looks, []]);
      await unblocker.start();
      await advance(9);
      expect(told).toEqual([]);
      await unblocker.stop();
    }
  });

  it("begins when the way is free, and also where it can end nobody: that is told once", async () => {
    const freed = fixture([[WRITER], [WRITER], []]);
    const starting = freed.unblocker.start();
    await freed.advance(2);
    await starting;
    expect(freed.told).toEqual([]);
    const stays = fixture([[WRITER]], "guest");
    const begun = stays.unblocker.start();
    await stays.advance(20);
    await begun;
    await stays.advance(3);
    expect(stays.told).toEqual(["serve.problem 3000"]);
  });
});
