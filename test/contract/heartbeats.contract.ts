/** The contract of the Heartbeats port. */
import { describe, expect, it } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import type { Heartbeat, Heartbeats } from "../../src/ports/heartbeats.ts";
import { RUN } from "../support/process-fixture.ts";

export function heartbeatOf(change: Partial<Heartbeat> = {}): Heartbeat {
  return {
    ...{ run: RUN, stage: "build", attempt: 1, state: "running", pid: 4711, command: "npm test" },
    ...{ logPath: "/p/.pawl/logs/x.log", startedAt: 1000, at: 2000, elapsedMs: 1000, outputBytes: 10 },
    ...{ bytesPerSecond: 10, etaMs: null, lastLine: "1 passed", cpuMs: 30, memoryBytes: 4096 },
    ...change,
  };
}

export function heartbeatsContract(name: string, create: () => Heartbeats): void {
  describe(`Heartbeats contract: ${name}`, () => {
    const other = "r_other" as RunId;

    it("gives the last heartbeat of each stage of a run, by stage", async () => {
      const heartbeats = create();
      heartbeats.beat(heartbeatOf({ stage: "test", state: "starting", pid: null }));
      heartbeats.beat(heartbeatOf({ stage: "lint[2]/x" }));
      heartbeats.beat(heartbeatOf({ stage: "test", state: "ended", cause: "exit", pid: null }));
      heartbeats.beat(heartbeatOf({ run: other }));
      expect(await heartbeats.read(RUN)).toEqual([
        heartbeatOf({ stage: "lint[2]/x" }),
        heartbeatOf({ stage: "test", state: "ended", cause: "exit", pid: null }),
      ]);
    });

    it("replaces a heartbeat that was read before", async () => {
      const heartbeats = create();
      for (const at of [1, 2, 3]) {
        heartbeats.beat(heartbeatOf({ at }));
        expect(await heartbeats.read(RUN)).toEqual([heartbeatOf({ at })]);
      }
    });

    it("has none of a run that it does not know", async () => {
      expect(await create().read(RUN)).toEqual([]);
    });

    it("knows the runs that have heartbeats", async () => {
      const heartbeats = create();
      expect(await heartbeats.runs()).toEqual([]);
      heartbeats.beat(heartbeatOf());
      heartbeats.beat(heartbeatOf({ stage: "test" }));
      heartbeats.beat(heartbeatOf({ run: other }));
      await heartbeats.read(RUN);
      expect([...(await heartbeats.runs())].sort()).toEqual([RUN, other].sort());
      await heartbeats.clear(RUN);
      expect(await heartbeats.runs()).toEqual([other]);
    });

    it("forgets a run, and only that, also twice", async () => {
      const heartbeats = create();
      heartbeats.beat(heartbeatOf());
      heartbeats.beat(heartbeatOf({ run: other }));
      await heartbeats.read(RUN);
      heartbeats.beat(heartbeatOf({ stage: "late" }));
      await heartbeats.clear(RUN);
      await heartbeats.clear(RUN);
      expect(await heartbeats.read(RUN)).toEqual([]);
      expect(await heartbeats.read(other)).toEqual([heartbeatOf({ run: other })]);
    });
  });
}
