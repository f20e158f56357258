import { describe, expect, it } from "vitest";
import { buildRunId } from "../../../test/support/events-builder.ts";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../../test/support/run-plan.ts";
import { createVirtualClock, type VirtualClock } from "../../../test/support/virtual-clock.ts";
import { createMemoryState, type MemoryState } from "../../adapters/memory/state.ts";
import { createMemoryStore } from "../../adapters/memory/store.ts";
import type { RunId } from "../../base/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Engine, Hosted, HostedEnd } from "../../ports/engine.ts";
import type { Store } from "../../ports/store/store.ts";
import { createEmbeddedEngine } from "./engine.ts";
import { STAGGER_MS } from "./turns.ts";

const MINUTE = 60_000;
const WORK_MS = 5000;
const AGENT = "workspace: directory\nstages:\n  - { id: fix, command: [ok], quota: any }\n";
const PARENT = "workspace: directory\nstages:\n  - { id: child, run: { blueprint: ./child.yaml } }\n";
const BY = "test";

interface Attempt {
  readonly run: RunId;
  readonly from: number;
  readonly to: number;
  readonly refused: boolean;
}

interface Fleet {
  readonly attempts: Attempt[];
  /** Moves what clocks show, and not the time that passes. */
  jump(ms: number): void;
  now(): number;
  /** Until this time the vendor refuses, and says so; `says` instead of it. */
  refuse(until: number, says?: string): void;
  /** A process of its own, on the same project. */
  host(): { readonly engine: Engine; readonly store: Store };
  start(engine: Engine, yaml?: string): Promise<HostedEnd>;
  /** Lets time pass until it is over. */
  over<T>(work: Promise<T>): Promise<T>;
  pass(ms: number): Promise<void>;
}

/** Processes that share a project and a vendor, in a time that moves when nothing else can. */
function createFleet(): Fleet {
  const time: VirtualClock = createVirtualClock();
  const state: MemoryState = createMemoryState();
  const attempts: Attempt[] = [];
  let skew = 0;
  let limit = { until: 0, says: "" };
  const clock: Clock = { now: () => time.now() + skew, after: time.after };

  async function over<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    work.then(mark, mark);
    for (let step = 0; !settled; step += 1) {
      if (step > 100_000) throw new Error("it is never over");
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      if (!settled) time.advance();
    }
    return work;
  }

  function host(): { readonly engine: Engine; readonly store: Store } {
    const store = createMemoryStore({ clock, state });
    const { ports, killSwitch } = createTestHost(planFrom(AGENT), {
      store,
      ports: (own) => ({
        clock,
        artifacts: { ...own.artifacts, get: async (text) => new TextEncoder().encode(text) },
        executor: {
          ...own.executor,
          async execute({ run }, signal) {
            const from = clock.now();
            const refused = from < limit.until;
            await time.sleep(refused ? 10 : WORK_MS, signal);
            attempts.push({ run, from, to: clock.now(), refused });
            if (signal.aborted) return { cause: "killed", log: log(""), artifacts: {} };
            return refused
              ? { cause: "exit", exit: 1, log: log(limit.says), artifacts: {} }
              : { cause: "ok", exit: 0, log: log(""), artifacts: {} };
          },
        },
      }),
    });
    const { runs, lease, control, breakers: turns } = store;
    return { engine: createEmbeddedEngine({ ports: { ...ports, killSwitch }, runs, lease, control, turns }), store };
  }

  return {
    ...{ attempts, over, host },
    pass: (ms) => over(time.sleep(ms, new AbortController().signal)),
    now: clock.now,
    jump(ms) {
      skew += ms;
    },
    refuse(until, says) {
      const seconds = (until - clock.now()) / 1000;
      limit = { until, says: says ?? `You've hit your usage limit. Try again in ${seconds} seconds.` };
    },
    async start(engine, yaml = AGENT) {
      const plan = planFrom(yaml, { children: { "child.yaml": AGENT } });
      const tree = null;
      return (await over(engine.start({ run: buildRunId(), plan, params: {}, tree }))).ended;
    },
  };
}

/** In these tests the digest of a log is the log. */
function log(text: string): { readonly sha256: string; readonly bytes: number; readonly dropped: number } {
  return { sha256: text, bytes: text.length, dropped: 0 };
}

const wake = (engine: Engine, run: RunId, signal = new AbortController().signal): Promise<HostedEnd> =>
  engine.wake(run, { by: BY, signal }).then(({ ended }: Hosted) => ended);

describe("six runs that were refused", () => {
  it("all go on: one tries, and when it got through the others follow one by one", async () => {
    const fleet = createFleet();
    const { engine } = fleet.host();
    const until = fleet.now() + MINUTE;
    fleet.refuse(until);
    const parked: HostedEnd[] = [];
    for (let each = 0; each < 6; each += 1) parked.push(await fleet.over(fleet.start(engine)));
    expect(parked.map(({ status, reason }) => `${status} ${reason}`)).toEqual(Array(6).fill("waiting awaiting_quota"));
    const ends = await fleet.over(Promise.all(parked.map(({ run }) => wake(engine, run))));
    expect(ends.map(({ status }) => status)).toEqual(Array(6).fill("succeeded"));
    const [trial, ...others] = fleet.attempts.filter(({ refused }) => !refused).sort((a, b) => a.from - b.from);
    expect(trial?.from).toBeGreaterThanOrEqual(until);
    expect(others).toHaveLength(5);
    const starts = [trial?.to ?? 0, ...others.map(({ from }) => from)];
    for (const [at, start] of starts.slice(1).entries())
      expect(start - (starts[at] as number)).toBeGreaterThanOrEqual(at === 0 ? 0 : STAGGER_MS);
  });

  it("rest on when the one that tries is refused again", async () => {
    const fleet = createFleet();
    const { engine } = fleet.host();
    fleet.refuse(fleet.now() + MINUTE);
    const runs: RunId[] = [];
    for (let each = 0; each < 6; each += 1) runs.push((await fleet.over(fleet.start(engine))).run);
    const first = fleet.attempts.length;
    const again = fleet.now() + 30 * MINUTE;
    fleet.refuse(again, "You've hit your usage limit. Try again in 30 minutes.");
    const signal = new AbortController();
    const waking = Promise.allSettled(runs.map((run) => wake(engine, run, signal.signal)));
    await fleet.pass(25 * MINUTE);
    expect(fleet.attempts.slice(first)).toMatchObject([{ refused: true }]);
    signal.abort(new Error("enough"));
    await fleet.over(waking);
  });

  it("try one at a time in whichever process they wait", async () => {
    const fleet = createFleet();
    const hosts = [fleet.host(), fleet.host(), fleet.host()];
    fleet.refuse(fleet.now() + MINUTE);
    const parked: { readonly engine: Engine; readonly run: RunId }[] = [];
    for (const { engine } of hosts) parked.push({ engine, run: (await fleet.over(fleet.start(engine))).run });
    await fleet.over(Promise.all(parked.map(({ engine, run }) => wake(engine, run))));
    const [trial, second] = fleet.attempts.filter(({ refused }) => !refused).sort((a, b) => a.from - b.from);
    expect(second?.from).toBeGreaterThanOrEqual(trial?.to ?? 0);
  });
});

describe("a run that rests until a time", () => {
  async function parked(): Promise<{ readonly fleet: Fleet; readonly run: RunId; readonly until: number }> {
    const fleet = createFleet();
    const { engine } = fleet.host();
    const until = fleet.now() + 60 * MINUTE;
    fleet.refuse(until);
    const { run } = await fleet.over(fleet.start(engine));
    return { fleet, run, until };
  }

  it("goes on in another process when its own is gone", async () => {
    const { fleet, run, until } = await parked();
    const { engine } = fleet.host();
    expect(await fleet.over(wake(engine, run))).toMatchObject({ status: "succeeded" });
    expect(fleet.attempts.at(-1)?.from).toBeGreaterThanOrEqual(until);
  });

  it("goes on soon after a machine that slept over its time", async () => {
    const { fleet, run } = await parked();
    const waking = wake(fleet.host().engine, run);
    await fleet.pass(MINUTE);
    const before = fleet.now();
    fleet.jump(3 * 60 * MINUTE);
    await fleet.over(waking);
    expect((fleet.attempts.at(-1)?.from ?? 0) - before - 3 * 60 * MINUTE).toBeLessThan(MINUTE);
  });

  it("waits at most once more for as long as was meant when the clock is put back", async () => {
    const { fleet, run, until } = await parked();
    const waking = wake(fleet.host().engine, run);
    await fleet.pass(MINUTE);
    const left = until - fleet.now();
    const before = fleet.now();
    fleet.refuse(0);
    fleet.jump(-10 * 60 * MINUTE);
    await fleet.over(waking);
    expect((fleet.attempts.at(-1)?.from ?? 0) + 10 * 60 * MINUTE - before - left).toBeLessThan(61 * MINUTE);
  });

  it("rests on when nobody wants to wait any more", async () => {
    const { fleet, run } = await parked();
    const { engine, store } = fleet.host();
    const signal = new AbortController();
    const waking = wake(engine, run, signal.signal);
    const refused = expect(fleet.over(waking)).rejects.toThrow("enough");
    signal.abort(new Error("enough"));
    await refused;
    expect(await store.runs.get(run)).toMatchObject({ status: "waiting", reason: "awaiting_quota", holder: null });
    await expect(wake(engine, run, AbortSignal.abort(new Error("at once")))).rejects.toThrow("at once");
  });

  it("is refused before its time, unless a person insists", async () => {
    const { fleet, run } = await parked();
    const { engine } = fleet.host();
    await expect(engine.resume(run, { by: BY })).rejects.toMatchObject({ code: "RUN_NOT_DUE" });
    fleet.refuse(0);
    const { ended } = await engine.resume(run, { by: BY, early: true });
    expect(await fleet.over(ended)).toMatchObject({ status: "succeeded" });
  });

  it("belongs to who went on with it", async () => {
    const { fleet, run } = await parked();
    const { engine } = fleet.host();
    const waking = wake(fleet.host().engine, run);
    fleet.refuse(0);
    const refused = expect(waking).rejects.toMatchObject({ code: "RUN_ENDED" });
    const { ended } = await engine.resume(run, { by: BY, early: true });
    await fleet.over(ended);
    await fleet.over(waking.catch(() => undefined));
    await refused;
  });

  it("takes the run with it that waits for it, and goes on with it", async () => {
    const fleet = createFleet();
    const { engine, store } = fleet.host();
    const until = fleet.now() + 60 * MINUTE;
    fleet.refuse(until);
    const { run, ...rest } = await fleet.over(fleet.start(engine, PARENT));
    expect(rest).toMatchObject({ status: "waiting", reason: "awaiting_quota", target: "quota:any" });
    const children = await store.runs.list({ parent: run, limit: 9 });
    expect(children.rows).toMatchObject([{ status: "waiting", reason: "awaiting_quota" }]);
    expect(await fleet.over(wake(fleet.host().engine, run))).toMatchObject({ status: "succeeded" });
    expect(fleet.attempts.map(({ refused }) => refused)).toEqual([true, false]);
  });

  it("is tried with the run that waits for it when a person insists on that", async () => {
    const fleet = createFleet();
    const { engine } = fleet.host();
    fleet.refuse(fleet.now() + 60 * MINUTE);
    const { run } = await fleet.over(fleet.start(engine, PARENT));
    fleet.refuse(0);
    const { ended } = await engine.resume(run, { by: BY, early: true });
    expect(await fleet.over(ended)).toMatchObject({ status: "succeeded" });
  });

  it("goes on at once where it rests for something else", async () => {
    const fleet = createFleet();
    const { engine } = fleet.host();
    const paused = "workspace: directory\nstages:\n  - { id: fix, command: [ok], on_success: paused }\n";
    const { run } = await fleet.over(fleet.start(engine, paused));
    expect(await fleet.over(wake(engine, run))).toMatchObject({ status: "succeeded" });
  });
});
