import { expect, it } from "vitest";
import { createJumpingClock } from "../../../../test/support/jumping-clock.ts";
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
    onWaiting: async () => () => undefined,
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

/** Runs that rest until these times, and when each was woken; nothing is woken twice. */
function resting(autoResume: boolean, ...times: readonly number[]) {
  const clock = createJumpingClock(1_000_000);
  const from = clock.now();
  const rests = new Map(times.map((ms, index) => [`r_${index}` as RunId, from + ms]));
  const woken: number[] = [];
  let listener = (): void => undefined;
  let looks = 0;
  const runtime = {
    autoResume: async () => autoResume,
    onWaiting: async (call: () => void) => {
      listener = call;
      return () => undefined;
    },
    parked: async ({ after = -1, by = Number.POSITIVE_INFINITY }) =>
      [...rests]
        .filter(([, until]) => until > after && until <= by)
        .sort(([, a], [, b]) => a - b)
        .map(([run, until]) => ({ run, blueprint: "fix", until })),
    wake: async (run: RunId) => {
      woken.push(clock.now() - from);
      rests.delete(run);
      return { run, ended: Promise.resolve() };
    },
    sweepApprovals: async () => {
      looks += 1;
      return { expired: [], reminded: [], failed: [] };
    },
    coordination: async () => ({ work: async () => 0 }),
    holdAgain: async () => HELD_NOTHING,
  } as unknown as KeeperParts["runtime"];
  const parts = { runtime, clock, by: "test", worker: "w", autoResume: true, reread: async () => undefined };
  const keeper = createKeeper({ ...parts, tell: () => undefined });
  const park = (run: string, ms: number): void => void rests.set(run as RunId, from + ms);
  return { clock, keeper, woken, park, told: () => listener(), looks: () => looks };
}

it("wakes a run when its time comes, also one that came to rest since the last look", async () => {
  const { clock, keeper, woken, park, told } = resting(true, 8000, 8050, 20_000, 90_000);
  await keeper.start();
  await clock.pass(9000);
  park("here", 12_000);
  keeper.poke();
  park("elsewhere", 13_000);
  told();
  await clock.pass(0);
  await clock.pass(21_000);
  expect(woken).toEqual([8000, 8100, 12_000, 13_000, 20_000]);
  await keeper.stop();
  await clock.pass(100_000);
  expect(woken).toHaveLength(5);
});

it("looks once for each time, and wakes nothing, where runs do not go on by themselves", async () => {
  const { clock, keeper, woken, looks } = resting(false, 10, 8000);
  await keeper.start();
  await clock.pass(29_000);
  expect([woken, looks()]).toEqual([[], 4]);
  await keeper.stop();
});
