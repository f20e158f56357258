/** Changes stored events behind the back of the journal, one thousand times, and expects the first changed one to be named. */
import { expect, it, onTestFinished } from "vitest";
import { type Database, loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { createEventReader } from "../../src/adapters/sqlite/events/event-reader.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { RunId } from "../../src/base/ids.ts";
import { buildFinished, createRun } from "../support/events-builder.ts";
import { tempDir } from "../support/temp-dir.ts";

const TIMES = 1000;
const EVENTS = 40;
const clock = createSystemClock();

/** Numbers from 0 up to `below`, the same for the same seed. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Target {
  readonly db: Database;
  readonly id: number;
  readonly roll: (below: number) => number;
}

const text = (target: Target, column: "body" | "hash", seq: number): string =>
  target.db.prepare<{ t: string }>(`SELECT ${column} AS t FROM events WHERE run = ?1 AND seq = ?2`).get(target.id, seq)
    ?.t ?? "";

function flip(target: Target, column: "body" | "hash"): number {
  const seq = 1 + target.roll(EVENTS);
  const bytes = Buffer.from(text(target, column, seq), "latin1");
  const at = target.roll(bytes.length);
  bytes[at] = (bytes[at] as number) ^ (1 << target.roll(7));
  const sql = `UPDATE events SET ${column} = CAST(?3 AS TEXT) WHERE run = ?1 AND seq = ?2`;
  target.db.prepare(sql).run(target.id, seq, new Uint8Array(bytes));
  return seq;
}

function drop(target: Target): number {
  const seq = 1 + target.roll(EVENTS);
  target.db.prepare("DELETE FROM events WHERE run = ?1 AND seq = ?2").run(target.id, seq);
  return seq;
}

/** Each seq gets the other's row, whole. */
function swap(target: Target): number {
  const first = 1 + target.roll(EVENTS - 1);
  const second = first + 1 + target.roll(EVENTS - first);
  const move = target.db.prepare("UPDATE events SET seq = ?3 WHERE run = ?1 AND seq = ?2");
  move.run(target.id, first, -1);
  move.run(target.id, second, first);
  move.run(target.id, -1, second);
  return first;
}

function cut(target: Target): number {
  const seq = 1 + target.roll(EVENTS);
  target.db.prepare("DELETE FROM events WHERE run = ?1 AND seq >= ?2").run(target.id, seq);
  return seq;
}

function moveHead(target: Target): number {
  const seq = 1 + target.roll(EVENTS - 1);
  target.db
    .prepare("UPDATE runs SET head_seq = ?2, head_hash = ?3 WHERE id = ?1")
    .run(target.id, seq, text(target, "hash", seq));
  return seq + 1;
}

function changeHead(target: Target): number {
  target.db
    .prepare("UPDATE runs SET head_hash = ?2 WHERE id = ?1")
    .run(target.id, text(target, "hash", 1 + target.roll(EVENTS - 1)));
  return EVENTS;
}

const TAMPERINGS: Record<string, (target: Target) => number> = {
  "flip in an event": (target) => flip(target, "body"),
  "flip in a chain value": (target) => flip(target, "hash"),
  drop,
  swap,
  cut,
  "head moved back": moveHead,
  "head changed": changeHead,
};

it(`names the first event that does not fit after each of ${TIMES} random tamperings`, async () => {
  const dir = tempDir();
  const store = await openSqliteStore({ dir, clock });
  const runs: RunId[] = [];
  for (let i = 0; i < 5; i += 1) {
    const run = await createRun(store.journal, { more: EVENTS - 3 });
    await store.journal.append(run, EVENTS, [buildFinished()]);
    runs.push(run);
  }
  await store.close();
  const db = (await loadDriver()).open(`${dir}/pawl.db`, { timeout: 0 });
  onTestFinished(() => db.close());
  const reader = createEventReader(db, "pawl.db");
  const roll = dice(20_26);
  const kinds = Object.entries(TAMPERINGS);
  const missed: unknown[] = [];
  for (let i = 0; i < TIMES; i += 1) {
    const [kind, tamper] = kinds[i % kinds.length] as (typeof kinds)[0];
    const run = runs[roll(runs.length)] as RunId;
    db.exec("BEGIN");
    const id = db.prepare<{ id: number }>("SELECT id FROM runs WHERE run = ?1").get(run)?.id ?? 0;
    const seq = tamper({ db, id, roll });
    const report = reader.verify(run);
    if (report.intact || report.seq !== seq) missed.push({ kind, run, seq, report });
    db.exec("ROLLBACK");
  }
  expect(missed).toEqual([]);
  for (const run of runs) expect(reader.verify(run)).toMatchObject({ intact: true, events: EVENTS });
});

it("notices a changed plan, status, or plan of a run", async () => {
  const dir = tempDir();
  const store = await openSqliteStore({ dir, clock });
  onTestFinished(() => store.close());
  const run = await createRun(store.journal);
  const db = (await loadDriver()).open(`${dir}/pawl.db`, { timeout: 1000 });
  onTestFinished(() => db.close());
  for (const [tamper, undo, seq] of [
    ["UPDATE runs SET status = 'succeeded'", "UPDATE runs SET status = 'running'", 2],
    ["UPDATE runs SET plan = 77", "UPDATE runs SET plan = 1", 1],
    ["UPDATE plans SET body = replace(body, 'L1', 'L3')", "UPDATE plans SET body = replace(body, 'L3', 'L1')", 1],
    ["UPDATE plans SET body = '{'||body", "UPDATE plans SET body = substr(body, 2)", 1],
  ] as const) {
    db.exec(tamper);
    expect(await store.journal.verify(run), tamper).toMatchObject({ intact: false, seq });
    db.exec(undo);
    expect(await store.journal.verify(run)).toMatchObject({ intact: true });
  }
});

it("says which event cannot be read", async () => {
  const dir = tempDir();
  const store = await openSqliteStore({ dir, clock });
  onTestFinished(() => store.close());
  const run = await createRun(store.journal);
  const db = (await loadDriver()).open(`${dir}/pawl.db`, { timeout: 1000 });
  onTestFinished(() => db.close());
  db.exec("UPDATE events SET body = '{' WHERE seq = 2");
  await expect(store.journal.read(run, 0, 9)).rejects.toThrow(`event 2 of ${run} is not JSON`);
});
