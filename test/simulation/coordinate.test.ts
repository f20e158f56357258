/**
 * Ten loops on one repository, tick by tick on a clock of its own: real laws, ledger and queue, in memory. Agents edit files that others edit too, hosts and
 * workers are cut off anywhere. After every tick: the branch is green, no change is lost, no two agents are on one path, no cap is passed.
 */
import { expect, test } from "vitest";
import { createMemoryBoard } from "../../src/adapters/memory/loops/board.ts";
import { createMemoryMainline, type MemoryFiles } from "../../src/adapters/memory/loops/mainline.ts";
import { createMemoryStore } from "../../src/adapters/memory/store.ts";
import type { RunId } from "../../src/base/ids.ts";
import type { Cap } from "../../src/limits/ledger/cap.ts";
import { createCoordinator, LOCK_LEASE_MS } from "../../src/loops/coordinate/coordinator.ts";
import type { ChangeRecord } from "../../src/loops/coordinate/merges/change.ts";
import { createChanges } from "../../src/loops/coordinate/merges/changes.ts";
import { type WorkParts, workQueue } from "../../src/loops/coordinate/merges/work.ts";
import { overlapOf } from "../../src/loops/coordinate/overlap.ts";
import { seeds } from "../support/property.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { type Chance, chance } from "./random.ts";

const IS_FULL = process.env["PAWL_FULL"] === "1";
const TICKS = IS_FULL ? 500 : 120;
const SEEDS = IS_FULL ? 10 : 2;
const TICK_MS = 60_000;
const LOOPS = 10;
const FILES = 12;
/** Green as long as the sum of all files is small: each change alone may be fine, and several together not. */
const MOST_SUM = 60;
const COST = 100;
/** What all loops may spend in a day: less than they want. */
const CAP = Math.round(TICKS * 0.35) * COST;

const fileName = (index: number): string => `src/f${index}.txt`;
const isGreen = (files: MemoryFiles): boolean =>
  Object.values(files).reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) <= MOST_SUM;

interface Agent {
  readonly job: string;
  readonly loop: string;
  readonly paths: readonly string[];
  readonly token: number;
  readonly base: string;
  readonly endsAt: number;
}

function world(seed: number) {
  const random = chance(seed);
  const clock = createVirtualClock();
  const mainline = createMemoryMainline();
  const board = createMemoryBoard();
  const changes = createChanges(board);
  const { ledger } = createMemoryStore({ clock });
  const start = Object.fromEntries(Array.from({ length: FILES }, (_, index) => [fileName(index), "1"]));
  mainline.commit("main", start, null);
  return { random, clock, mainline, board, changes, ledger, coordinator: createCoordinator(board) };
}

type World = ReturnType<typeof world>;

/** What each loop may touch: neighbours share files. */
const pathsOf = (loop: number): readonly string[] => [fileName(loop), fileName(loop + 1), fileName(loop + 2)];

const FLEET = { scope: "fleet", name: "*" } as const;
const DAY: Cap = { account: FLEET, unit: "tokens", window: "day", amount: CAP, source: "pawl.yaml:1:1" };

async function pay({ ledger, clock }: World, key: string): Promise<boolean> {
  const asked = { key, at: clock.now(), accounts: [FLEET], amounts: { tokens: COST }, caps: [DAY] };
  return (await ledger.reserve({ ...asked, priority: 0, wait: false, outright: true })).granted;
}

async function begin(place: World, loop: number, job: string, tick: number): Promise<Agent | null> {
  const { coordinator, clock, mainline, random } = place;
  const [name, paths] = [`loop${loop}`, pathsOf(loop)];
  const ask = { id: job, loop: name, level: "L3", priority: loop % 3, paths, maxOpen: 5 } as const;
  const answer = await coordinator.mayStart(ask, clock.now());
  if (!answer.start) return null;
  const base = (await mainline.tip("main")) as string;
  return { job, loop: name, paths, token: answer.token, base, endsAt: tick + 1 + random.int(3) };
}

function edit({ mainline, random }: World, agent: Agent): MemoryFiles {
  const files = mainline.files(agent.base);
  const path = random.pick(agent.paths);
  const value = random.hit(0.05) ? 999 : 1 + random.int(8);
  return { ...files, [path]: `${value} by ${agent.job}` };
}

async function finish(place: World, agent: Agent, handedIn: Map<string, string>): Promise<void> {
  const { mainline, changes, coordinator, clock } = place;
  const files = edit(place, agent);
  const run = agent.job as RunId;
  // Its own gates pass only what is green alone.
  if (isGreen(files)) {
    const branch = `pawl/${run}`;
    const source = mainline.commit(branch, files, agent.base);
    const facts = { id: run, run, loop: agent.loop, plan: "p", into: "main", branch, base: agent.base, source };
    const none = { by: null, why: null, commit: null, collisions: [] };
    const at = clock.now();
    const record: ChangeRecord = { ...facts, ...none, priority: 0, at, state: "queued", since: at };
    await changes.handIn(record);
    handedIn.set(run, source);
  }
  await coordinator.release(agent.job, agent.token);
}

/** Calls that fail now and then, before or after they were made. */
function frail<T extends object>(part: T, random: Chance): T {
  return new Proxy(part, {
    get(target, key, own) {
      const method: unknown = Reflect.get(target, key, own);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]) => {
        if (random.hit(0.02)) throw new Error("cut off before");
        const result: unknown = await method.apply(target, args);
        if (random.hit(0.02)) throw new Error("cut off after");
        return result;
      };
    },
  });
}

async function merge(place: World, worker: string): Promise<void> {
  const { mainline, changes, clock, random } = place;
  const parts: WorkParts = {
    ...{ changes: frail(changes, random), mainline: frail(mainline, random), now: clock.now, stopped: () => null },
    async check({ commit }) {
      if (random.hit(0.03)) return { is: "unknown", why: "the machine was busy" };
      return isGreen(mainline.files(commit)) ? { is: "green" } : { is: "red", why: "too much" };
    },
  };
  await workQueue(parts, "main", worker).catch(() => undefined);
}

async function checkLaws(place: World, agents: readonly Agent[], handedIn: ReadonlyMap<string, string>): Promise<void> {
  const { mainline, changes } = place;
  expect(isGreen(mainline.files((await mainline.tip("main")) as string))).toBe(true);
  for (const [index, one] of agents.entries())
    for (const other of agents.slice(index + 1)) expect(overlapOf(one.paths, other.paths)).toBeNull();
  const standing = await changes.standing();
  for (const [id, source] of handedIn) {
    const record = (await changes.get(id)) as ChangeRecord;
    expect(await mainline.tip(record.branch)).toBe(source);
    expect(record.state === "queued").toBe(id in standing);
    if (record.state === "merged" && record.commit !== null)
      expect(await mainline.holds("main", record.commit), id).toBe(true);
  }
}

interface Life {
  readonly place: World;
  readonly handedIn: Map<string, string>;
  /** The job of each loop that waits. */
  readonly waiting: Map<number, string>;
  refused: number;
}

/** What becomes of the agents in a tick. A host that is gone renews nothing: its paths are free when the lease is over. */
async function goOn({ place, handedIn }: Life, agents: readonly Agent[], tick: number): Promise<readonly Agent[]> {
  const { random, clock, coordinator } = place;
  const going: Agent[] = [];
  for (const agent of agents) {
    if (random.hit(0.03)) continue;
    if (agent.endsAt <= tick) await finish(place, agent, handedIn);
    else if (await coordinator.renew(agent.job, agent.token, clock.now())) going.push(agent);
  }
  return going;
}

async function startAll(life: Life, going: readonly Agent[], tick: number): Promise<readonly Agent[]> {
  const { place, waiting } = life;
  const started: Agent[] = [];
  for (let loop = 0; loop < LOOPS; loop += 1) {
    if (going.some((agent) => agent.loop === `loop${loop}`) || !place.random.hit(0.8)) continue;
    const job = waiting.get(loop) ?? `loop${loop}@${tick}`;
    waiting.set(loop, job);
    const agent = await begin(place, loop, job, tick);
    if (agent === null) continue;
    waiting.delete(loop);
    if (await pay(place, agent.job)) started.push(agent);
    else {
      life.refused += 1;
      await place.coordinator.release(agent.job, agent.token);
    }
  }
  return [...going, ...started];
}

async function simulate(seed: number) {
  const place = world(seed);
  const { random, clock, changes } = place;
  const life: Life = { place, handedIn: new Map(), waiting: new Map(), refused: 0 };
  const { handedIn } = life;
  let agents: readonly Agent[] = [];
  for (let tick = 0; tick < TICKS; tick += 1) {
    clock.after(TICK_MS, () => undefined);
    clock.advance();
    agents = await startAll(life, await goOn(life, agents, tick), tick);
    await merge(place, `w${random.int(2)}`);
    const [tokens] = await place.ledger.standing([FLEET], clock.now());
    expect(tokens?.spent.day ?? 0).toBeLessThanOrEqual(CAP);
    await checkLaws(place, agents, handedIn);
  }
  for (let i = 0; i < 100 && Object.keys(await changes.standing()).length > 0; i += 1) {
    clock.after(LOCK_LEASE_MS * 3, () => undefined);
    clock.advance();
    await merge(place, "last");
  }
  await checkLaws(place, [], handedIn);
  return { ...(await accountOf(life)), refused: life.refused };
}

/** Every commit of the branch is of one change, and every merged change is one commit. */
async function accountOf({ place, handedIn }: Life) {
  const { mainline, changes } = place;
  const records = await Promise.all([...handedIn.keys()].map((id) => changes.get(id)));
  const merged = records.filter((record) => record?.state === "merged" && record.commit !== null);
  const commits: string[] = [];
  for (let at = await mainline.tip("main"); at !== null; at = mainline.parentOf(at)) commits.push(at);
  expect(new Set(merged.map((record) => record?.commit)).size).toBe(merged.length);
  expect(commits.length - 1).toBe(merged.length);
  expect(records.every((record) => record !== null && record.state !== "queued")).toBe(true);
  const returned = records.filter((record) => record?.state === "returned").length;
  return { handedIn: handedIn.size, merged: merged.length, returned };
}

test("L11: ten loops on one repository keep the branch green, lose nothing and never work on one path", async () => {
  // How much happens in one life is chance: the lives together must show enough of everything, or the laws are judged on nothing.
  const sum = { handedIn: 0, merged: 0, returned: 0, refused: 0 };
  const lives = seeds(SEEDS);
  for (const seed of lives) {
    const life = await simulate(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error });
    });
    for (const name of ["handedIn", "merged", "returned", "refused"] as const) sum[name] += life[name];
  }
  expect(sum.handedIn / lives.length).toBeGreaterThan(TICKS / 5);
  expect(sum.merged / lives.length).toBeGreaterThan(20);
  expect(sum.returned / lives.length).toBeGreaterThan(5);
  expect(sum.refused / lives.length).toBeGreaterThan(0);
}, 600_000);
