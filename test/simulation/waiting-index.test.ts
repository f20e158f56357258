/** Journals of random runs, stored as they come by both stores: after each append the index of waiting runs is the fold of the journal. */
import { expect, it, onTestFinished } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/store.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { formatRunId, type RunId } from "../../src/base/ids.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { WaitingRun } from "../../src/ports/store/waiting-runs.ts";
import type { EventOf, RunEvent } from "../../src/run/events.ts";
import { waitingAfter } from "../../src/run/record/record-waiting.ts";
import { nextDue, type Waiting } from "../../src/run/record/waiting.ts";
import { seeds } from "../support/property.ts";
import { tempDir } from "../support/temp-dir.ts";
import { chance } from "./random.ts";
import { type Simulated, simulate } from "./simulate.ts";

const SEEDS = seeds(process.env["PAWL_FULL"] === "1" ? 2000 : 80);

/** The same journal as that of another run. */
function eventsOf({ events }: Simulated, run: RunId): readonly RunEvent[] {
  return events.map(({ event }) => (event.type === "run.created" ? { ...event, run } : event));
}

/** What the stores say of a run, and in which lists it is. */
async function told({ waiting }: Store, run: RunId): Promise<unknown> {
  const query = { limit: 10 };
  const found = await waiting.get(run);
  const listed = async (page: Promise<{ readonly runs: readonly WaitingRun[] }>): Promise<boolean> =>
    (await page).runs.some((each) => each.run === run);
  return {
    waiting: found === undefined ? null : { rest: found.rest, questions: found.questions },
    asks: await listed(waiting.asking(query)),
    parks: await listed(waiting.parked(query)),
    due: await listed(waiting.due({ ...query, by: Number.MAX_SAFE_INTEGER })),
  };
}

function expected({ rest, questions, children }: Waiting): unknown {
  return {
    waiting: rest === null ? null : { rest, questions },
    asks: rest !== null && questions.length > 0,
    parks: rest?.until != null,
    due: nextDue({ rest, questions, children }) !== null,
  };
}

function countKinds(seen: { asked: number; parked: number; ready: number }, { rest, questions }: Waiting): void {
  if (rest !== null && questions.length > 0) seen.asked += 1;
  if (rest?.until != null) seen.parked += 1;
  if (rest?.isReady === true) seen.ready += 1;
}

async function storePart(
  { journal }: Pick<Store, "journal">,
  run: RunId,
  plan: Simulated["plan"],
  stored: number,
  part: readonly RunEvent[],
): Promise<void> {
  if (stored === 0) await journal.create(run, plan, part as [EventOf<"run.created">]);
  else await journal.append(run, stored + 1, part);
}

it(`says after each append of ${SEEDS.length} seeded lives what the journal says`, { timeout: 3_600_000 }, async () => {
  const clock = createSystemClock();
  const sqlite = await openSqliteStore({ dir: tempDir(), clock });
  onTestFinished(() => sqlite.close());
  const stores = [sqlite, createMemoryStore({ clock })];
  const seen = { asked: 0, parked: 0, ready: 0 };
  for (const seed of SEEDS) {
    const life = await simulate(seed, [0, 0.05][seed % 2] ?? 0);
    const dice = chance(seed);
    const run = formatRunId(new Uint8Array(12).map((_, i) => (seed >> (5 * (i % 4))) & 31));
    const events = eventsOf(life, run);
    const placed = events.map((event, i) => ({ event, seq: i + 1 }));
    for (let stored = 0; stored < events.length; ) {
      const next = Math.min(events.length, stored + 1 + dice.int(4));
      const part = events.slice(stored, next);
      for (const store of stores) await storePart(store, run, life.plan, stored, part);
      stored = next;
      const folded = waitingAfter(placed.slice(0, stored));
      for (const store of stores)
        expect(await told(store, run), `seed ${seed}, event ${stored}`).toEqual(expected(folded));
      countKinds(seen, folded);
    }
    if (seed % 20 === 0) expect(await sqlite.integrity(), `seed ${seed}`).toEqual([]);
  }
  expect(await sqlite.integrity()).toEqual([]);
  // The lives must differ, or nothing was compared.
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});
