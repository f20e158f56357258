/** The contract of the Lease port. */
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/run/events.ts";
import { buildFinished, buildRunId, createRun } from "../support/events-builder.ts";
import type { OpenStore } from "./store-fixture.ts";

const RESTS: RunEvent[] = [
  buildFinished(),
  { type: "run.waiting", at: 2000, reason: "awaiting_approval" },
  { type: "run.paused", at: 2000, by: "ann" },
];

export function leaseContract(name: string, open: OpenStore): void {
  describe(`Lease contract: ${name}`, () => {
    it("gives a new run to the host that created it and to no other", async () => {
      const { store, another } = await open();
      const other = await another();
      const run = await createRun(store.journal);
      const refused = await other.lease.claim(run);
      expect(refused).toEqual({
        claimed: false,
        holder: { pid: process.pid, hostname: expect.any(String), since: expect.any(Number) },
      });
      expect(refused).toMatchObject({ holder: (await other.runs.get(run))?.holder });
      expect(await store.lease.claim(run)).toEqual({ claimed: true });
    });

    it("passes a run on when it is given back", async () => {
      const { store, another } = await open();
      const other = await another();
      const run = await createRun(store.journal);
      await store.lease.release(run);
      expect((await store.runs.get(run))?.holder).toBeNull();
      expect(await other.lease.claim(run)).toEqual({ claimed: true });
      expect(await other.lease.claim(run)).toEqual({ claimed: true });
      expect(await store.lease.claim(run)).toMatchObject({ claimed: false });
    });

    it("does nothing when somebody gives back what is not theirs", async () => {
      const { store, another } = await open();
      const other = await another();
      const run = await createRun(store.journal);
      await other.lease.release(run);
      await other.lease.release(buildRunId());
      expect(await other.lease.claim(run)).toMatchObject({ claimed: false });
      await store.lease.release(run);
      await store.lease.release(run);
      expect(await other.lease.claim(run)).toEqual({ claimed: true });
      await store.lease.release(run);
      expect((await store.runs.get(run))?.holder).not.toBeNull();
    });

    it.each(RESTS)("frees the run with the append of $type", async (rest) => {
      const { store, another } = await open();
      const other = await another();
      const run = await createRun(store.journal);
      await store.journal.append(run, 3, [rest]);
      expect((await store.runs.get(run))?.holder).toBeNull();
      expect(await other.lease.claim(run)).toEqual({ claimed: true });
      await store.lease.release(run);
      expect(await store.lease.claim(run)).toMatchObject({ claimed: false });
    });

    it("lets one of several hosts have a free run", async () => {
      const { store, another } = await open();
      const run = await createRun(store.journal);
      await store.lease.release(run);
      const hosts = [store, await another(), await another(), await another()];
      const claims = await Promise.all(hosts.map(({ lease }) => lease.claim(run)));
      expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
    });

    it("frees every run of a host that is closed", async () => {
      const { store, another } = await open();
      const other = await another();
      const runs = await Promise.all([1, 2, 3].map(() => createRun(other.journal)));
      await other.close();
      await other.lease.release(runs[0] as (typeof runs)[0]);
      for (const run of runs) expect(await store.lease.claim(run)).toEqual({ claimed: true });
    });

    it("refuses a run that does not exist", async () => {
      const { store } = await open();
      await expect(store.lease.claim(buildRunId())).rejects.toMatchObject({ code: "JOURNAL_RUN_UNKNOWN" });
    });
  });
}
