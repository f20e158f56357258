import { expect, it } from "vitest";
import { createSystemClock } from "../../../adapters/system/clock.ts";
import type { RunId } from "../../../base/ids.ts";
import { HELD_NOTHING } from "../../coordinate/hold-again.ts";
import { createKeeper, type KeeperParts } from "./keeper.ts";

const RUN = "r_1" as RunId;

/** A project in which one run has rested long enough; `work` is what becomes of its merges. */
async function kept(
  work: () => Promise<number>,
  onHold: KeeperParts["runtime"]["holdAgain"] = async () => HELD_NOTHING,
) {
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
    sweepApprovals: async () => ({ expired: [], reminded: [], failed: [] }),
    coordination: async () => ({ work }),
    holdAgain: onHold,
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

it("goes on with what rests when its paths are free, and gives them back at its end", async () => {
  const held: string[] = [];
  const { keeper, told } = await kept(
    async () => 0,
    async (run, { onWait }) => {
      onWait("it waits for the path lock of loop other (src/**)");
      held.push(`${run} held`);
      return { loop: "fix", leave: async () => void held.push("left") };
    },
  );
  await keeper.stop();
  expect([told, held]).toEqual([
    ["run.put-off", "run.woken"],
    ["r_1 held", "left"],
  ]);
});

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
