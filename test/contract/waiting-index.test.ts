/** The index of waiting runs on SQLite: it comes to journals of earlier versions, and is found out when it differs from its journal. */
import { rmSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import type { Database } from "../../src/adapters/sqlite/driver.ts";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { WAITING_SQL } from "../../src/adapters/sqlite/waiting/waiting-runs.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { RunId } from "../../src/base/ids.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { WaitingRuns } from "../../src/ports/store/waiting-runs.ts";
import type { RunEvent } from "../../src/run/events.ts";
import { buildPlan, createRun } from "../support/events-builder.ts";
import { tempDir } from "../support/temp-dir.ts";

const clock = createSystemClock();

async function openStore(dir: string, readOnly = false): Promise<Store> {
  const store = await openSqliteStore({ dir, clock, readOnly });
  onTestFinished(() => store.close());
  return store;
}

async function edit(dir: string, change: (db: Database) => void): Promise<void> {
  const db = (await loadDriver()).open(`${dir}/pawl.db`, { timeout: 1000 });
  change(db);
  db.close();
}

/** As a version wrote it that had no such index. */
function takeBack(db: Database): void {
  db.exec("DROP TABLE waits; DROP TABLE store; PRAGMA user_version=7");
}

const ask = (id: string, more: object = {}): RunEvent => ({
  ...{ type: "approval.requested", at: 2000, stage: `stage-${id}`, visit: 1, kind: "gate", id, digest: `of ${id}` },
  ...{ why: "?", answers: ["approve"], policy: "" },
  ...more,
});
const answered = (id: string): RunEvent => ({
  ...{
    type: "approval.answered",
    at: 2100,
    stage: `stage-${id}`,
    id,
    digest: `of ${id}`,
    answer: "approve",
    by: "ann",
  },
});
const WAITING: RunEvent = { type: "run.waiting", at: 2001, reason: "awaiting_approval" };

/** One run of each kind that the index knows. */
async function fill({ journal }: Store): Promise<Record<string, RunId>> {
  const made = async (events: readonly RunEvent[], parent?: RunId): Promise<RunId> => {
    const run = await createRun(journal, parent === undefined ? {} : { parent });
    await journal.append(run, 3, events);
    return run;
  };
  const top = await createRun(journal);
  const child = await made([ask("c"), WAITING, answered("c")], top);
  await journal.append(top, 3, [{ type: "stage.rested", at: 2002, stage: "a", attempt: 1, child }, WAITING]);
  return {
    top,
    child,
    asking: await made([ask("q", { expiresAt: 9000, remindAt: 3000 }), ask("p"), WAITING]),
    answered: await made([ask("q"), WAITING, answered("q")]),
    parked: await made([
      { type: "run.waiting", at: 2001, reason: "awaiting_quota", until: 4000, target: "quota:claude" },
    ]),
    running: await made([ask("q")]),
    ended: await made([ask("q"), { type: "run.finished", at: 2002, status: "cancelled", reason: "cancelled" }]),
  };
}

async function everything({ asking, answered: ready, parked, due }: WaitingRuns): Promise<unknown> {
  const query = { limit: 100 };
  return Promise.all([asking(query), ready(query), parked(query), due({ ...query, by: 10_000 })]);
}

it("comes to a journal of the version before, and a reader of such a journal sees the same", async () => {
  const dir = tempDir();
  const store = await openSqliteStore({ dir, clock });
  const runs = await fill(store);
  const known = await everything(store.waiting);
  expect(known).toMatchObject([
    { runs: [{ run: runs["asking"] }] },
    { runs: [{ run: runs["top"] }, { run: runs["answered"] }] },
    { runs: [{ run: runs["parked"] }] },
    { runs: [{ run: runs["asking"] }] },
  ]);
  await store.close();
  await edit(dir, takeBack);
  // A version that old noted no id beside its journal.
  rmSync(`${dir}/ids`, { recursive: true });
  const reader = await openStore(dir, true);
  expect(await everything(reader.waiting)).toEqual(known);
  expect(await reader.integrity()).toEqual([]);
  const writer = await openStore(dir);
  expect(await everything(writer.waiting)).toEqual(known);
  const { running = "" } = runs;
  await writer.journal.append(running as RunId, 4, [WAITING]);
  expect(await writer.waiting.get(running as RunId)).toMatchObject({ questions: [{ id: "q", seq: 3 }] });
  expect(await writer.integrity()).toEqual([]);
});

it("is found out when it says something else than the journal", async () => {
  const dir = tempDir();
  const store = await openStore(dir);
  const runs = await fill(store);
  const damage: readonly [keyof typeof runs, string][] = [
    ["asking", "UPDATE waits SET due = NULL"],
    ["answered", "UPDATE waits SET ready = NULL"],
    ["parked", "DELETE FROM waits"],
    ["running", `UPDATE waits SET body = '{"questions":[],"rest":null,"children":[]}'`],
  ];
  for (const [kind, sql] of damage) {
    const where = `WHERE run_id = (SELECT id FROM runs WHERE run = '${runs[kind]}')`;
    await edit(dir, (db) => db.exec(`CREATE TABLE before AS SELECT * FROM waits; ${sql} ${where}`));
    expect(await store.integrity(), sql).toEqual([
      `the index of waiting runs does not say what the journal of ${runs[kind]} says`,
    ]);
    await edit(dir, (db) => db.exec("DELETE FROM waits; INSERT INTO waits SELECT * FROM before; DROP TABLE before"));
    expect(await store.integrity()).toEqual([]);
  }
  await edit(dir, (db) =>
    db.exec(`INSERT INTO waits(run_id, body) SELECT id, '{}' FROM runs WHERE run = '${runs["ended"]}';
      INSERT INTO waits(run_id, body) VALUES(999, '{}')`),
  );
  expect(await store.integrity()).toEqual(
    [runs["ended"], "number 999"].map(
      (run) => `the index of waiting runs does not say what the journal of ${run} says`,
    ),
  );
});

it("is read from one place of one index, however many runs there are", async () => {
  const dir = tempDir();
  const store = await openStore(dir);
  const plan = buildPlan();
  await Promise.all(
    Array.from({ length: 2000 }, async (_, i) => {
      const run = await createRun(store.journal, { plan });
      if (i % 2 === 0) await store.journal.append(run, 3, [ask("q", { expiresAt: 9000 + i }), WAITING]);
    }),
  );
  await edit(dir, (db) => {
    const details = Object.entries(WAITING_SQL).map(([name, sql]) => {
      const steps = db.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
      return [name, steps.map(({ detail }) => detail).filter((detail) => /\bwaits\b|\bruns\b|TEMP/.test(detail))];
    });
    const run = "SEARCH runs USING INTEGER PRIMARY KEY (rowid=?)";
    expect(Object.fromEntries(details)).toEqual({
      get: [
        run,
        "SEARCH runs USING COVERING INDEX sqlite_autoindex_runs_1 (run=?)",
        "SEARCH waits USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      asking: ["SEARCH waits USING INDEX waits_by_asks (asks=? AND rowid<?)", run],
      answered: ["SEARCH waits USING INDEX waits_by_ready (ready=? AND rowid>?)", run],
      parked: ["SEARCH waits USING INDEX waits_by_until ((until,rowid)>(?,?) AND until<?)", run],
      due: ["SEARCH waits USING INDEX waits_by_due ((due,rowid)>(?,?) AND due<?)", run],
    });
  });
});
