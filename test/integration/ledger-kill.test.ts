/** Real processes on one cap, killed with SIGKILL at random instants and started again until each has made its calls. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { FLEET } from "../../src/limits/ledger/cap.ts";
import { type Chance, chance } from "../simulation/random.ts";
import { bundleChild } from "../support/bundle-child.ts";
import { cases, SEED } from "../support/property.ts";
import { tempDir } from "../support/temp-dir.ts";

const FULL = process.env["PAWL_FULL"] === "1";
const TRIALS = cases(FULL ? 20 : 2);
const WORKERS = 32;
const CALLS = FULL ? 100 : 25;
/** Parts of what all calls together would spend: with the first the cap is used up, with the last it is not. */
const CAPS = [0.4, 0.8, 1.5] as const;
const MOST_KILLS = 2;

interface Said {
  readonly begun?: number;
  readonly spent?: number;
  readonly refused?: number;
  readonly ended?: true;
}

interface Worked {
  spent: number;
  kills: number;
  refused: boolean;
}

let script = "";

function workOnce(args: readonly string[], killAfterMs: number | null): Promise<readonly Said[]> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const said: Said[] = [];
  let errors = "";
  createInterface({ input: child.stdout }).on("line", (line) => said.push(JSON.parse(line) as Said));
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const timer = killAfterMs === null ? null : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  return new Promise((resolve, reject) => {
    child.on("close", (code, signal) => {
      if (timer !== null) clearTimeout(timer);
      if (code !== 0 && signal === null) reject(new Error(`a worker ended with ${code}: ${errors}`));
      else resolve(said);
    });
  });
}

async function work(dir: string, name: string, cap: number, dice: Chance): Promise<Worked> {
  const worked: Worked = { spent: 0, kills: 0, refused: false };
  let first = 1;
  for (;;) {
    const seed = String(1 + dice.int(1_000_000));
    const killAfterMs = worked.kills < MOST_KILLS && dice.hit(0.7) ? 300 + dice.int(FULL ? 8000 : 3000) : null;
    const said = await workOnce([dir, name, String(first), String(CALLS), seed, String(cap)], killAfterMs);
    for (const { spent = 0, begun, refused } of said) {
      worked.spent += spent;
      // A call that was begun and cut off is not made again: it may have been spent.
      if (begun !== undefined) first = begun + 1;
      if (refused !== undefined) worked.refused = true;
    }
    if (said.at(-1)?.ended === true || worked.refused) return worked;
    // Killed in its last call it is started once more all the same: what it held is settled by nobody else, and others may wait for it.
    worked.kills += 1;
  }
}

beforeAll(async () => {
  const { file, remove } = await bundleChild("test/support/ledger-child.ts");
  script = file;
  return remove;
});

describe("32 real processes on one cap", () => {
  it(`never spend more and lose nothing when they are killed, in ${TRIALS} trials`, async () => {
    const facts = { trials: TRIALS, kills: 0, spent: 0, booked: 0, usedUp: 0 };
    for (let trial = 1; trial <= TRIALS; trial += 1) {
      const dir = tempDir();
      const cap = Math.floor(WORKERS * CALLS * 5 * (CAPS[trial % CAPS.length] as number));
      const workers = Array.from({ length: WORKERS }, (_, i) =>
        work(dir, `w${i}`, cap, chance((SEED + trial) * 1000 + i)),
      );
      const done = await Promise.all(workers);
      const store = await openSqliteStore({ dir, clock: createSystemClock() });
      try {
        // What the last processes have left is charged as it was reserved.
        for (const { key } of (await store.ledger.open({ limit: 1000 })).reservations)
          await store.ledger.settle(key, "unknown", Date.now());
        const [standing] = await store.ledger.standing([FLEET], Date.now());
        const booked = standing?.spent.run ?? 0;
        const spent = done.reduce((sum, worker) => sum + worker.spent, 0);
        expect(booked, `trial ${trial}`).toBeLessThanOrEqual(cap);
        expect(spent, `trial ${trial}`).toBeLessThanOrEqual(booked);
        expect(standing?.reserved, `trial ${trial}`).toBe(0);
        expect(await store.integrity(), `trial ${trial}`).toEqual([]);
        facts.kills += done.reduce((sum, worker) => sum + worker.kills, 0);
        facts.spent += spent;
        facts.booked += booked;
        facts.usedUp += done.some(({ refused }) => refused) ? 1 : 0;
      } finally {
        await store.close();
      }
    }
    expect(facts.kills).toBeGreaterThan(TRIALS * 10);
    process.stderr.write(`ledger with real processes: ${JSON.stringify(facts)}\n`);
  });
});
