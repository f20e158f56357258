/** Real processes on one queue: they share it by turns, nothing runs twice, and a SIGKILL loses nothing. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openSqliteLoops } from "../../src/adapters/sqlite/loops/loop-store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { LoopStore } from "../../src/ports/loops/loop-store.ts";
import { bundleChild } from "../support/bundle-child.ts";
import { tempDir } from "../support/temp-dir.ts";

const FULL = process.env["PAWL_FULL"] === "1";
const JOBS = FULL ? 1000 : 200;
const CALLERS = ["ada", "bob", "cyd"];
const LEASE_MS = 60_000;

interface Said {
  readonly job?: string;
  readonly caller?: string;
  readonly token?: number;
  readonly finished?: string;
  readonly was?: boolean;
  readonly ended?: true;
}

const clock = createSystemClock();
let script = "";

interface Child {
  readonly process: ChildProcess;
  readonly said: Said[];
  /** Called with each line. */
  onSaid: (line: Said) => void;
  readonly ended: Promise<void>;
}

function start(...args: readonly string[]): Child {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const said: Said[] = [];
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const started: Child = { process: child, said, onSaid: () => {}, ended };
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.push(JSON.parse(line) as Said);
    started.onSaid(JSON.parse(line) as Said);
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return started;
}

async function submitAll(dir: string): Promise<void> {
  const order = [CALLERS[1], CALLERS[0], CALLERS[2]];
  const submitting = order.map((caller, i) => start(dir, "submit", caller ?? "", String(JOBS), String(i + 1)));
  await Promise.all(submitting.map(({ ended }) => ended));
  expect(submitting.map(({ said }) => said.at(-1)?.ended)).toEqual([true, true, true]);
}

async function openHere(dir: string): Promise<LoopStore> {
  const loops = await openSqliteLoops({ dir, clock });
  onTestFinished(() => loops.close());
  return loops;
}

const work = (dir: string, seed: number): Child => start(dir, "work", String(LEASE_MS), "100", String(seed));

beforeAll(async () => {
  const { file, remove } = await bundleChild("test/support/lane-child.ts");
  script = file;
  return remove;
});

describe(`3 processes and 3 times ${JOBS} queued jobs`, () => {
  it("C1: share a lane by turns within 5 %, and run nothing twice", async () => {
    const dir = tempDir();
    await submitAll(dir);
    const { jobs } = await openHere(dir);
    await jobs.resize("default", 3);
    const served: string[] = [];
    const workers = [1, 2, 3].map((seed) => work(dir, seed));
    for (const worker of workers)
      worker.onSaid = ({ caller }) => {
        if (caller !== undefined) served.push(caller);
      };
    await Promise.all(workers.map(({ ended }) => ended));
    const said = workers.flatMap((worker) => worker.said);
    const finished = said.flatMap(({ finished, was }) => (was === true ? [finished] : []));
    expect(finished).toHaveLength(3 * JOBS);
    expect(new Set(finished).size).toBe(3 * JOBS);
    expect(said.filter(({ token }) => token !== undefined && token !== 1)).toEqual([]);
    for (const part of [0.25, 0.5, 0.75]) {
      const first = served.slice(0, Math.floor(served.length * part));
      const shares = CALLERS.map((caller) => first.filter((name) => name === caller).length / first.length);
      for (const share of shares) expect(Math.abs(share - 1 / 3), `${shares}`).toBeLessThanOrEqual(0.05);
    }
    expect(await jobs.queue({ at: clock.now(), limit: 10 })).toMatchObject({
      lanes: [{ running: 0, queued: 0 }],
      jobs: [],
    });
  });

  it("C5: lose no job and finish none twice when workers are killed", async () => {
    const dir = tempDir();
    await submitAll(dir);
    const { jobs } = await openHere(dir);
    await jobs.resize("default", 3);
    const all: Child[] = [];
    for (let round = 0; round < (FULL ? 12 : 4); round += 1) {
      const workers = [1, 2, 3].map((seed) => work(dir, round * 10 + seed));
      all.push(...workers);
      await Promise.all(
        workers.map(async (worker, i) => {
          const after = 1 + ((round * 7 + i * 13) % 30);
          await new Promise<void>((resolve) => {
            worker.onSaid = () => {
              if (worker.said.length >= after) resolve();
            };
            worker.ended.then(resolve, resolve);
          });
          worker.process.kill("SIGKILL");
          await worker.ended;
        }),
      );
    }
    const last = work(dir, 99);
    all.push(last);
    await last.ended;
    const finished = all.flatMap(({ said }) => said.flatMap(({ finished, was }) => (was === true ? [finished] : [])));
    expect(new Set(finished).size).toBe(finished.length);
    const rows = await Promise.all(
      CALLERS.flatMap((caller) => Array.from({ length: JOBS }, (_, i) => jobs.get(`${caller}-${i}`))),
    );
    expect(rows.map((row) => row?.state)).toEqual(Array(3 * JOBS).fill("done"));
    const again = all.flatMap(({ said }) => said).filter(({ token = 1 }) => token > 1);
    expect(again.length).toBeGreaterThan(0);
  });
});

describe("a process that is killed", () => {
  it("C5: leaves the three that were queued, and its own free at once", async () => {
    const dir = tempDir();
    await start(dir, "submit", "ada", "4", "1").ended;
    const worker = start(dir, "hold");
    await new Promise<void>((resolve) => {
      worker.onSaid = () => resolve();
    });
    const { jobs } = await openHere(dir);
    await jobs.resize("default", 1);
    const lanes = async () => (await jobs.queue({ at: clock.now(), limit: 0 })).lanes;
    expect(await lanes()).toMatchObject([{ running: 1, queued: 3 }]);
    expect(await jobs.claim({ at: clock.now(), leaseMs: LEASE_MS })).toBeNull();
    worker.process.kill("SIGKILL");
    await worker.ended;
    expect(await lanes()).toMatchObject([{ running: 1, queued: 3 }]);
    const held = await jobs.claim({ at: clock.now(), leaseMs: LEASE_MS });
    expect(held).toMatchObject({ job: { id: worker.said[0]?.job }, token: 2, isAgain: true, evict: [] });
    const tokens: unknown[] = [];
    for (let next = held; next !== null; next = await jobs.claim({ at: clock.now(), leaseMs: LEASE_MS })) {
      tokens.push(next.token);
      expect(await jobs.finish(next.job.id, next.token, clock.now())).toBe(true);
    }
    expect(tokens).toEqual([2, 1, 1, 1]);
  });
});
