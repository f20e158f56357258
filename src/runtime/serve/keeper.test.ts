import { expect, it } from "vitest";
import { createSystemClock } from "../../adapters/system/clock.ts";
import type { RunId } from "../../base/ids.ts";
import { createKeeper, type KeeperParts } from "./keeper.ts";

const RUN = "r_1" as RunId;

/** A project in which one run has rested long enough; `work` is what becomes of its merges. */
async function kept(work: () => Promise<number>) {
  const told: string[] = [];
  let tell: (type: string) => void = () => undefined;
  const woken = new Promise<void>((resolve) => {
    tell = (type) => {
      told.push(type);
      if (type === "run.woken") resolve();
    };
  });
  const ended = Promise.resolve({ status: "succeeded", reason: "goal_achieved" });
  const runtime = {
    autoResume: async () => true,
    parked: async () => (told.includes("run.woken") ? [] : [{ run: RUN, blueprint: "fix", until: 0 }]),
    wake: async () => ({ run: RUN, ended }),
    sweepApprovals: async () => undefined,
    coordination: async () => ({ work }),
  } as unknown as KeeperParts["runtime"];
  const keeper = createKeeper({
    ...{
      runtime,
      clock: createSystemClock(),
      by: "test",
      worker: "w",
      autoResume: true,
      reread: async () => undefined,
    },
    tell: ({ type }) => tell(type),
  });
  await keeper.start();
  await woken;
  return { keeper, told };
}

it("goes on with what rests while a merge is judged, and when merges cannot be looked at", async () => {
  let finish: (merged: number) => void = () => undefined;
  const slow = await kept(() => new Promise((resolve) => (finish = resolve)));
  expect(slow.told).toEqual(["run.woken"]);
  finish(1);
  await slow.keeper.stop();
  expect(slow.told).toEqual(["run.woken", "serve.merged"]);
  const broken = await kept(() => Promise.reject(new Error("no branch")));
  await broken.keeper.stop();
  expect(broken.told.toSorted()).toEqual(["run.woken", "serve.problem"]);
});
