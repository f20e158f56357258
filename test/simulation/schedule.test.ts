/** Schedules under clocks that jump and processes that die: each slot at most once, none of those that are owed lost, no two runs of a loop. */
import { describe, expect, test } from "vitest";
import { createLoopState } from "../../src/adapters/memory/loops/loop-state.ts";
import { createMemoryLoops } from "../../src/adapters/memory/loops/loop-store.ts";
import { formatInstant } from "../../src/base/text/instant.ts";
import { readCron } from "../../src/blueprint/project/cron.ts";
import type { Loop, Trigger } from "../../src/blueprint/project/project-file.ts";
import { zoneOf } from "../../src/limits/quota/zone.ts";
import { nextCronTime } from "../../src/loops/schedule/cron-times.ts";
import { spread } from "../../src/loops/schedule/spread.ts";
import type { Claim } from "../../src/ports/loops/jobs.ts";
import { createFiring } from "../../src/runtime/serve/firing.ts";
import type { News, Untimed } from "../../src/runtime/serve/news.ts";
import { createScheduler, type Scheduler } from "../../src/runtime/serve/scheduler.ts";
import { createLoopReader, type ServedLoop, slotOf } from "../../src/runtime/serve/served-loop.ts";
import { createJumpingClock, type JumpingClock } from "../support/jumping-clock.ts";
import { seeds } from "../support/property.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 2, 28, 20);
const SEEDS = process.env["PAWL_FULL"] === "1" ? 200 : 12;

function loopOf(name: string, trigger: Trigger, catchUp: Loop["catchUp"]): Loop {
  return {
    ...{ name, source: `${name}.yaml`, kind: "blueprint", level: "L1", params: {}, trigger, catchUp, jitterMs: 0 },
    ...{ priority: 0, lane: "default", paths: [], maxOpen: null, agent: null, weight: { memoryBytes: 0, cpus: 0 } },
    where: { file: "pawl.yaml", line: 1, column: 1, length: 1 },
  };
}

const cron = (text: string, zone: string): Trigger => ({ kind: "cron", text, zone });
const LOOPS: readonly Loop[] = [
  loopOf("berlin", cron("*/10 * * * *", "Europe/Berlin"), "all"),
  loopOf("new-york", cron("30 1,2 * * *", "America/New_York"), "one"),
  loopOf("lord-howe", cron("15 * * * *", "Australia/Lord_Howe"), "skip"),
  loopOf("often", { kind: "every", minMs: 15 * MINUTE, maxMs: 5 * MINUTE }, "one"),
];

const HOWS = ["all", "one", "skip"] as const;
/** Some hours before clocks change there, and a time of day that does not exist then, or exists twice. */
const CHANGES = [
  { zone: "Europe/Berlin", from: "2026-03-28T22:00:00Z", text: "30 2 * * *" },
  { zone: "America/New_York", from: "2026-11-01T03:00:00Z", text: "30 1 * * *" },
  { zone: "Australia/Lord_Howe", from: "2026-10-03T13:00:00Z", text: "15 2 * * *" },
] as const;

type Told = Untimed<News>;

function createWorld(loops: readonly Loop[], others: readonly ServedLoop[] = [], start = START) {
  const clock = createJumpingClock(start);
  const state = createLoopState();
  const read = createLoopReader();
  const served: ReadonlyMap<string, ServedLoop> = new Map(
    [...loops.map(read), ...others].map((each) => [each.loop.name, each]),
  );
  const told: Told[] = [];
  const open = () => createMemoryLoops({ clock, state, uptime: clock.uptime });
  const worker = open();
  const boot = async (): Promise<Scheduler> => {
    const { slots, jobs } = open();
    const tell = (news: Told): void => void told.push(news);
    const now = (): number => clock.now();
    const firing = createFiring({ slots, jobs, now, tell, row: async () => undefined, onSubmitted: () => undefined });
    const scheduler = createScheduler({ slots, firing, now, tell, clock, loops: () => served });
    await scheduler.start();
    return scheduler;
  };
  const busy: Claim[] = [];
  /** Whatever is queued begins; what had begun before is over. */
  const work = async (): Promise<void> => {
    for (const { job, token } of busy.splice(0)) {
      await worker.jobs.finish(job.id, token, clock.now());
      await worker.slots.over(job.loop, slotOf(job));
    }
    for (;;) {
      const claim = await worker.jobs.claim({ at: clock.now(), leaseMs: DAY });
      if (claim === null) break;
      busy.push(claim);
    }
    const names = busy.map(({ job }) => job.loop);
    expect(new Set(names).size, "no two runs of one loop").toBe(names.length);
  };
  return { clock, told, boot, work };
}

const fired = (told: readonly Told[], loop: string): readonly string[] =>
  told.flatMap((news) => (news.type === "slot.fired" && news.loop === loop ? [news.slot] : []));

function expectOnce(told: readonly Told[]): void {
  for (const { name } of LOOPS) {
    const slots = fired(told, name);
    expect(new Set(slots).size, name).toBe(slots.length);
  }
}

async function live(clock: JumpingClock, work: () => Promise<void>, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await clock.pass(MINUTE);
    await work();
  }
}

/** Until whatever is owed has run. */
async function drain(clock: JumpingClock, work: () => Promise<void>, told: readonly Told[]): Promise<void> {
  for (let quiet = 0, known = told.length; quiet < 20; quiet += 1) {
    await clock.pass(3000);
    await work();
    if (told.length > known) quiet = 0;
    known = told.length;
  }
}

/** What a schedule that nothing happens to would fire. */
function timesBetween(text: string, name: string, from: number, to: number): readonly number[] {
  const [line, zone] = [readCron(text), zoneOf(name)];
  if (typeof line === "string" || zone === null) throw new Error(text);
  const found: number[] = [];
  for (let at = nextCronTime(line, zone, from); at <= to; at = nextCronTime(line, zone, at)) found.push(at);
  return found;
}

describe("schedules of several processes", () => {
  test("L7: five processes through the change of clocks in Berlin fire each time once, and none is lost under all", async () => {
    const { clock, told, boot, work } = createWorld(LOOPS);
    for (let process = 0; process < 5; process += 1) await boot();
    await live(clock, work, 8 * 60);
    expectOnce(told);
    const expected: string[] = [];
    for (let at = START + 10 * MINUTE; at <= START + 8 * HOUR; at += 10 * MINUTE) expected.push(formatInstant(at));
    expect(fired(told, "berlin")).toEqual(expected);
    expect(fired(told, "new-york")).toEqual([]);
    expect(fired(told, "lord-howe")).toHaveLength(8);
    expect(fired(told, "often").length).toBeGreaterThan(8 * 4 - 2);
  });

  test("L7: twelve times that nobody was there for become twelve runs, one run, or none", async () => {
    const { clock, told, boot, work } = createWorld(LOOPS);
    const before = await boot();
    await live(clock, work, 60);
    await before.stop();
    const [owed, late] = [fired(told, "berlin").length, fired(told, "lord-howe").length];
    await clock.pass(12 * HOUR + 5 * MINUTE);
    await Promise.all([boot(), boot(), boot()]);
    await live(clock, work, 240);
    expectOnce(told);
    expect(fired(told, "berlin").length - owed).toBe(6 * 16);
    expect(told).toContainEqual(
      expect.objectContaining({ type: "slot.missed", loop: "lord-howe", becomes: "nothing" }),
    );
    expect(fired(told, "lord-howe").length - late).toBe(4);
    expect(fired(told, "new-york")).toHaveLength(1);
  });

  test("L7: clocks that jump by an hour and by 400 days make no storm and fire nothing twice", async () => {
    for (const seed of seeds(SEEDS)) {
      const { clock, told, boot, work } = createWorld(LOOPS.filter(({ catchUp }) => catchUp !== "all"));
      const living = [await boot(), await boot(), await boot()];
      for (let step = 0; step < 12; step += 1) {
        const name = `${seed} ${step}`;
        // Nobody sets a clock to the second: by exactly an hour it would show exactly the times again that have fired.
        clock.jump(([HOUR, -HOUR, 400 * DAY, -400 * DAY, 0, 0][spread(`jump ${name}`, 6)] ?? 0) + spread(name, 50_000));
        if (spread(`crash ${name}`, 3) === 0) {
          await living.shift()?.stop();
          living.push(await boot());
        }
        const before = told.length;
        await live(clock, work, 30);
        const runs = told.slice(before).filter(({ type }) => type === "slot.fired").length;
        // In half an hour: six of the cadence, and of each cron line one that was late and one that came.
        expect(runs, `seed ${seed}`).toBeLessThanOrEqual(6 + 1 + 2 * 2);
        expect(fired(told.slice(before), "often").length, `seed ${seed}`).toBeGreaterThan(0);
      }
      expectOnce(told);
    }
  });

  test.each(CHANGES)(
    "L7: twelve times missed in $zone while clocks change are twelve runs, one, or none",
    async ({ zone, from }) => {
      const loops = HOWS.map((how) => loopOf(how, cron("*/30 * * * *", zone), how));
      const { clock, told, boot, work } = createWorld(loops, [], Date.parse(from));
      const before = await boot();
      await live(clock, work, 40);
      await before.stop();
      const known = told.length;
      const owed = timesBetween("*/30 * * * *", zone, clock.now(), clock.now() + 24 * HOUR).slice(0, 12);
      await clock.pass((owed.at(-1) ?? 0) + 5 * MINUTE - clock.now());
      for (let process = 0; process < 5; process += 1) await boot();
      await drain(clock, work, told);
      const late = told.slice(known);
      expect(HOWS.map((how) => fired(late, how))).toEqual(
        [owed, owed.slice(-1), []].map((all) => all.map(formatInstant)),
      );
    },
  );

  test("L7: of clocks that jump by an hour and by 400 days, under all none is lost and none comes twice", async () => {
    for (const seed of seeds(SEEDS / 4)) {
      const loops = CHANGES.map(({ zone, text }) => loopOf(zone, cron(text, zone), "all"));
      const { clock, told, boot, work } = createWorld(loops);
      const living = [await boot(), await boot()];
      let first = clock.now();
      let last = first;
      for (let step = 0; step < 6; step += 1) {
        const name = `${seed} ${step}`;
        clock.jump(([HOUR, -HOUR, 400 * DAY, -400 * DAY][spread(`leap ${name}`, 4)] ?? 0) + spread(name, 50_000));
        if (spread(`crash ${name}`, 3) === 0) {
          await living.shift()?.stop();
          living.push(await boot());
        }
        // Some are still owed when the clock is set again.
        await live(clock, work, 40);
        first = Math.min(first, clock.now() - 40 * MINUTE);
        last = Math.max(last, clock.now());
      }
      await drain(clock, work, told);
      for (const { zone, text } of CHANGES) {
        const slots = fired(told, zone);
        expect(new Set(slots).size, `seed ${seed}`).toBe(slots.length);
        const owed = timesBetween(text, zone, first, clock.now());
        expect(slots, `seed ${seed}`).toEqual(expect.arrayContaining(owed.map(formatInstant)));
        const all = new Set(timesBetween(text, zone, first, Math.max(last, clock.now())).map(formatInstant));
        expect(
          slots.filter((slot) => !all.has(slot)),
          `seed ${seed}`,
        ).toEqual([]);
      }
    }
  });

  test("L7: one bad loop is told and never stalls the rest", async () => {
    const bad = createLoopReader()(loopOf("bad", cron("* * * * *", "UTC"), "one"));
    const fail = (): never => {
      throw new Error("no such time");
    };
    const times = { first: (_: string, now: number) => now + 1, after: fail, newest: fail, coming: fail };
    const { clock, told, boot, work } = createWorld(LOOPS, [{ ...bad, times }]);
    const scheduler = await boot();
    await live(clock, work, 60);
    await scheduler.stop();
    expect(fired(told, "berlin")).toHaveLength(6);
    expect(told).toContainEqual({ type: "loop.failed", loop: "bad", code: null, message: "no such time" });
    expect(told.filter(({ type }) => type === "loop.failed").length).toBeLessThanOrEqual(61);
  });
});
