/** Runs the contracts of the store of loops against every adapter, and what SQLite adds to them. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLoopState } from "../../src/adapters/memory/loops/loop-state.ts";
import { createMemoryLoops } from "../../src/adapters/memory/loops/loop-store.ts";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { JOBS_SQL } from "../../src/adapters/sqlite/loops/job-rows.ts";
import { LANES_SQL } from "../../src/adapters/sqlite/loops/lane-rows.ts";
import { openSqliteLoops } from "../../src/adapters/sqlite/loops/loop-store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { LoopStore } from "../../src/ports/loops/loop-store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { admissionsContract } from "./admissions.contract.ts";
import { boardContract } from "./board.contract.ts";
import { buildJob, jobsContract } from "./jobs.contract.ts";
import type { OpenLoops } from "./loop-store-fixture.ts";
import { slotsContract } from "./slots.contract.ts";

const clock = createSystemClock();

function closing(loops: LoopStore): LoopStore {
  onTestFinished(() => loops.close());
  return loops;
}

/** A clock of leases that a test moves. */
function handClock() {
  let now = 1_000_000;
  return {
    uptime: () => now,
    pass(ms: number) {
      now += ms;
    },
  };
}

const STORES: Record<string, OpenLoops> = {
  memory: async () => {
    const { uptime, pass } = handClock();
    const state = createLoopState();
    const another = async (): Promise<LoopStore> => closing(createMemoryLoops({ clock, state, uptime }));
    return { loops: await another(), another, pass };
  },
  sqlite: async () => {
    const { uptime, pass } = handClock();
    const dir = tempDir();
    const another = async (): Promise<LoopStore> => closing(await openSqliteLoops({ dir, clock, uptime }));
    return { loops: await another(), another, pass };
  },
};

for (const [name, open] of Object.entries(STORES)) {
  jobsContract(name, open);
  boardContract(name, open);
  admissionsContract(name, open);
  slotsContract(name, open);
}

describe("the store of loops on SQLite", () => {
  it("claims by a few places of an index, whatever is over", async () => {
    const dir = tempDir();
    const { jobs } = closing(await openSqliteLoops({ dir, clock }));
    await jobs.submit(buildJob("1"), 0);
    const db = (await loadDriver()).open(join(dir, "loops.db"), { readOnly: true, timeout: 0 });
    onTestFinished(() => db.close());
    const details = Object.entries({ ...JOBS_SQL, waiting: LANES_SQL.waiting, inLane: LANES_SQL.running }).map(
      ([name, sql]) => {
        const plan = db.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
        return [name, plan.map(({ detail }) => detail.replace(/ \(.*/, "")).join("; ")];
      },
    );
    expect(Object.fromEntries(details)).toEqual({
      next: "SEARCH jobs USING INDEX jobs_queued",
      running: "SCAN jobs USING INDEX jobs_running",
      last: "SEARCH jobs USING COVERING INDEX jobs_queued",
      waiting: "SEARCH lane_callers USING INDEX callers_waiting",
      inLane: "SEARCH jobs USING COVERING INDEX jobs_running",
    });
  });

  it("gives out what was held back before the machine began anew", async () => {
    const dir = tempDir();
    const before = await openSqliteLoops({ dir, clock, uptime: () => 9_000_000 });
    await before.jobs.submit(buildJob("1"), 0);
    await before.jobs.claim({ at: 0, leaseMs: 1000 });
    await before.jobs.giveBack("1", 1, 1000);
    await before.close();
    const after = closing(await openSqliteLoops({ dir, clock, uptime: () => 10 }));
    expect(await after.jobs.claim({ at: 0, leaseMs: 1000 })).toMatchObject({ token: 2 });
  });

  it("L7: waits for another process that has the file, and everything else goes on meanwhile", async () => {
    const dir = tempDir();
    const { jobs } = closing(await openSqliteLoops({ dir, clock }));
    const other = (await loadDriver()).open(join(dir, "loops.db"), { timeout: 0 });
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    const submitted = jobs.submit(buildJob("1"), 0);
    await sleep(200);
    expect(await jobs.get("1")).toBeNull();
    other.exec("COMMIT");
    expect(await submitted).toMatchObject({ isNew: true });
  });

  it("counts on a clock that processes of this machine share", async () => {
    const dir = tempDir();
    const { jobs } = closing(await openSqliteLoops({ dir, clock }));
    await jobs.submit(buildJob("1"), 0);
    await jobs.claim({ at: 0, leaseMs: 60_000 });
    const other = closing(await openSqliteLoops({ dir, clock }));
    expect(await other.jobs.claim({ at: 0, leaseMs: 60_000 })).toBeNull();
    expect(await jobs.renew("1", 1, 0)).toBe(true);
    expect(await other.jobs.claim({ at: 0, leaseMs: 60_000 })).toBeNull();
    expect(await other.jobs.claim({ at: 0, leaseMs: 60_000 })).toBeNull();
    expect(await other.jobs.claim({ at: 0, leaseMs: 0 })).toMatchObject({ token: 2 });
  });
});
