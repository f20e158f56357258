/** Runs the contracts of journal, run index, lease, control, evidence and ledger against every store, and what SQLite adds to them. */
import { rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryState } from "../../src/adapters/memory/state.ts";
import { createMemoryStore } from "../../src/adapters/memory/store.ts";
import { type Driver, loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { EVIDENCE_SQL } from "../../src/adapters/sqlite/evidence.ts";
import { BOOKS_SQL } from "../../src/adapters/sqlite/ledger/books.ts";
import { ENTRIES_SQL } from "../../src/adapters/sqlite/ledger/entries.ts";
import { ENDED_SQL, LIST_SQL, NEXT_NAME_SQL } from "../../src/adapters/sqlite/run-index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { StoredEvent } from "../../src/run/events.ts";
import { buildPlan, buildRunId, createRun } from "../support/events-builder.ts";
import { startStoreProcess } from "../support/store-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { breakersContract, QUICK_RULES } from "./breakers.contract.ts";
import { controlContract } from "./control.contract.ts";
import { buildDrill, evidenceContract } from "./evidence.contract.ts";
import { journalContract } from "./journal.contract.ts";
import { leaseContract } from "./lease.contract.ts";
import { buildReservation, LOOP, ledgerContract, NOON } from "./ledger.contract.ts";
import { runIndexContract } from "./run-index.contract.ts";
import type { OpenStore } from "./store-fixture.ts";
import { waitingRunsContract } from "./waiting-runs.contract.ts";

const clock = createSystemClock();

function closing(store: Store): Store {
  onTestFinished(() => store.close());
  return store;
}

const openSqlite = async (dir: string): Promise<Store> => closing(await openSqliteStore({ dir, clock }));

const STORES: Record<string, OpenStore> = {
  memory: async () => {
    const state = createMemoryState();
    const another = async (): Promise<Store> => closing(createMemoryStore({ clock, state }));
    return { store: await another(), another };
  },
  sqlite: async () => {
    const dir = tempDir();
    return { store: await openSqlite(dir), another: () => openSqlite(dir) };
  },
};

for (const [name, open] of Object.entries(STORES)) {
  journalContract(name, open);
  runIndexContract(name, open);
  waitingRunsContract(name, open);
  leaseContract(name, open);
  controlContract(name, open);
  evidenceContract(name, open);
  breakersContract(name, open);
  ledgerContract(name, open);

  it(`finds no problem in a sound ${name} store`, async () => {
    const { store } = await open();
    await createRun(store.journal);
    expect(await store.integrity()).toEqual([]);
  });
}

describe("processes that share a SQLite store", () => {
  it("have one winner for each seq, and one chain", async () => {
    const dir = tempDir();
    const store = await openSqlite(dir);
    const run = await createRun(store.journal);
    const rivals = [1, 2].map(() => startStoreProcess(dir, "race", run, { count: 60 }));
    await Promise.all(rivals.map(({ ended }) => ended));
    const won = rivals.flatMap(({ lines }) => lines.filter((line) => typeof line === "number"));
    expect(won.sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 58 }, (_, i) => i + 3));
    expect(await store.journal.verify(run)).toMatchObject({ intact: true, events: 60 });
  });

  it("follow and hear each other", async () => {
    const dir = tempDir();
    const store = await openSqlite(dir);
    const run = buildRunId();
    const heard: unknown[] = [];
    store.control.watch(run, (request) => heard.push(request));
    const followed = (async () => {
      const found: StoredEvent[] = [];
      for await (const stored of store.journal.follow(run, 0, new AbortController().signal)) found.push(stored);
      return found.map(({ event }) => event.type);
    })();
    startStoreProcess(dir, "finish", run);
    expect(await followed).toEqual(["run.created", "run.started", "run.finished"]);
    expect(heard).toEqual([{ kind: "cancel", by: "child" }]);
  });

  it("free their runs the instant they are killed", async () => {
    const dir = tempDir();
    const store = await openSqlite(dir);
    const run = await createRun(store.journal);
    await store.lease.release(run);
    const holder = startStoreProcess(dir, "hold", run);
    expect(await holder.said(1)).toEqual([{ claimed: true }]);
    expect(await store.lease.claim(run)).toMatchObject({ claimed: false, holder: { pid: holder.child.pid } });
    holder.child.kill("SIGKILL");
    await holder.ended;
    expect((await store.runs.get(run))?.holder).toBeNull();
    expect(await store.lease.claim(run)).toEqual({ claimed: true });
  });
});

describe("processes that share the breakers of a SQLite store", () => {
  it("get one trial between them, and another when the one that has it is killed", async () => {
    const dir = tempDir();
    const { breakers } = await openSqlite(dir);
    const target = "action:git.push";
    await breakers.park(target, 1, "used up", 0);
    const rivals = [1, 2, 3].map(() => startStoreProcess(dir, "try", target));
    const said = (await Promise.all(rivals.map((rival) => rival.said(1)))).flat();
    expect(said.filter((line) => line === "trial")).toHaveLength(1);
    expect(await breakers.admit(target, QUICK_RULES, 100)).toMatchObject({ go: false });
    for (const rival of rivals) rival.child.kill("SIGKILL");
    await Promise.all(rivals.map(({ ended }) => ended));
    expect(await breakers.admit(target, QUICK_RULES, 101)).toMatchObject({ go: true, isTrial: true });
  });
});

describe("lists of a SQLite store with 10,000 runs", () => {
  it("walk one index from one place, whatever the filter", async () => {
    const dir = tempDir();
    const store = await openSqlite(dir);
    const plan = buildPlan();
    const created = await Promise.all(Array.from({ length: 10_000 }, () => createRun(store.journal, { plan })));
    expect((await store.runs.list({ limit: 20 })).rows.map(({ run }) => run)).toEqual(created.slice(-20).reverse());
    const db = (await loadDriver()).open(`${dir}/pawl.db`, { readOnly: true, timeout: 0 });
    onTestFinished(() => db.close());
    for (const [filter, sql] of Object.entries(LIST_SQL)) {
      const plan = db.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
      const details = plan.map(({ detail }) => detail).filter((detail) => /\bruns\b|TEMP/.test(detail));
      expect(details, filter).toEqual([
        expect.stringMatching(/^SEARCH runs USING INDEX runs_by_\w+ \(parent=\?.* rowid<\?\)$/),
      ]);
    }
    const next = db.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${NEXT_NAME_SQL}`).all();
    expect(next.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^SEARCH runs USING COVERING INDEX runs_by_\w+ \(parent=\? AND blueprint>\?\)$/),
    ]);
    const ended = db.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${ENDED_SQL}`).all();
    expect(ended.map(({ detail }) => detail).filter((detail) => /\bruns\b|TEMP/.test(detail))).toEqual([
      "SEARCH runs USING INDEX runs_by_end (parent=? AND (updated_at,rowid)>(?,?) AND updated_at<?)",
    ]);
  });
});

describe("evidence of a SQLite store", () => {
  it("is read by one walk over one index, whatever there is", async () => {
    const dir = tempDir();
    const store = await openSqlite(dir);
    await Promise.all(Array.from({ length: 5000 }, (_, i) => store.evidence.add(buildDrill(`e_${i}`))));
    const page = await store.evidence.list({ blueprint: "demo", kind: "drill", limit: 1 });
    expect(page).toEqual({ records: [buildDrill("e_4999")], next: "5000" });
    const db = (await loadDriver()).open(`${dir}/pawl.db`, { readOnly: true, timeout: 0 });
    onTestFinished(() => db.close());
    const plan = db.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${EVIDENCE_SQL}`).all();
    expect(plan.map(({ detail }) => detail)).toEqual([
      "SEARCH evidence USING INDEX evidence_by_blueprint (blueprint=? AND kind=? AND rowid<?)",
    ]);
  });

  it("comes to a journal of the version before, and a reader of it sees its runs and no evidence", async () => {
    const dir = tempDir();
    const old = await openSqliteStore({ dir, clock });
    const run = await createRun(old.journal);
    await old.close();
    const db = (await loadDriver()).open(`${dir}/pawl.db`, { timeout: 0 });
    db.exec("DROP TABLE evidence; DROP TABLE breakers; DROP TABLE chain; DROP TABLE store");
    for (const name of ["entries", "pages", "quarters", "line"]) db.exec(`DROP TABLE ledger_${name}`);
    db.exec("DROP INDEX runs_by_end; DROP TABLE waits; PRAGMA user_version=1");
    db.close();
    // A version that old noted nothing beside its journal.
    for (const name of ["ids", "pawl.pin"]) rmSync(`${dir}/${name}`, { recursive: true });
    const reader = closing(await openSqliteStore({ dir, clock, readOnly: true }));
    expect(await reader.chain.standing()).toMatchObject({ runs: 1, isChained: false, problems: [] });
    expect((await reader.runs.ended({ from: 0, until: 10_000, limit: 5 })).rows).toEqual([]);
    expect((await reader.runs.list({ limit: 5 })).rows.map((row) => row.run)).toEqual([run]);
    const none = { records: [], next: null };
    expect(await reader.evidence.list({ blueprint: "demo", kind: "drill", limit: 1 })).toEqual(none);
    const writer = await openSqlite(dir);
    // The run was entered in the chain of runs with its newest event.
    expect(await writer.chain.standing()).toMatchObject({ runs: 1, isChained: true, problems: [] });
    expect([await writer.chain.check(null), await writer.chain.migratedUntil(run)]).toEqual([
      { faults: [], next: null },
      (await writer.journal.read(run, 0, 99)).length,
    ]);
    await writer.evidence.add(buildDrill("e_1"));
    expect((await writer.evidence.list({ blueprint: "demo", kind: "drill", limit: 1 })).records).toHaveLength(1);
    expect((await writer.runs.list({ limit: 5 })).rows.map((row) => row.run)).toEqual([run]);
  });
});

describe("the ledger of a SQLite store", () => {
  it("is read and written at a few places of an index, whatever there is", async () => {
    const dir = tempDir();
    const store = await openSqlite(dir);
    await Promise.all(
      Array.from({ length: 5000 }, (_, i) =>
        store.ledger.reserve(buildReservation(`r_${i}/a/1/1`, { tokens: 1 }, { caps: [] })),
      ),
    );
    expect((await store.ledger.standing([LOOP], NOON))[0]).toMatchObject({ reserved: 5000 });
    const db = (await loadDriver()).open(`${dir}/pawl.db`, { readOnly: true, timeout: 0 });
    onTestFinished(() => db.close());
    const details = Object.entries({ ...BOOKS_SQL, ...ENTRIES_SQL }).map(([name, sql]) => {
      const plan = db.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
      return [name, plan.map(({ detail }) => detail.replace(/ \(.*/, "")).join("; ")];
    });
    expect(Object.fromEntries(details)).toEqual({
      total: "SEARCH ledger_pages USING INDEX sqlite_autoindex_ledger_pages_1",
      before: "SEARCH ledger_quarters USING PRIMARY KEY",
      reaching: "SEARCH ledger_quarters USING PRIMARY KEY",
      entry: "SEARCH ledger_entries USING PRIMARY KEY",
      below: "SEARCH ledger_entries USING PRIMARY KEY",
      open: "SEARCH ledger_entries USING INDEX ledger_open",
    });
  });

  it("knows nothing of what a full disk refused", async () => {
    const real = await loadDriver();
    let makeRoom = (): void => undefined;
    const driver: Driver = {
      open(path, options) {
        const db = real.open(path, options);
        if (!String(path).endsWith("pawl.db")) return db;
        db.exec("PRAGMA max_page_count=200");
        makeRoom = () => db.exec("PRAGMA max_page_count=100000");
        return db;
      },
    };
    const store = closing(await openSqliteStore({ dir: tempDir(), clock, driver }));
    const reserve = (key: string): Promise<unknown> =>
      store.ledger.reserve(buildReservation(key + "x".repeat(20_000), { tokens: 1 }, { caps: [] }));
    let held = 0;
    let refused: PromiseSettledResult<unknown>[] = [];
    while (refused.length === 0) {
      const asked = await Promise.allSettled([1, 2, 3].map((each) => reserve(`${held}/${each}/`)));
      refused = asked.filter(({ status }) => status === "rejected");
      held += asked.length - refused.length;
    }
    expect(refused).toMatchObject(refused.map(() => ({ reason: { code: "JOURNAL_DISK_FULL" } })));
    makeRoom();
    await reserve("last/");
    expect(await store.ledger.standing([LOOP], NOON)).toMatchObject([{ unit: "tokens", reserved: held + 1 }]);
    expect(await store.integrity()).toEqual([]);
  });

  it("is found out when its books were changed, and what is lost of it too", async () => {
    const dir = tempDir();
    const store = await openSqlite(dir);
    await store.ledger.reserve(buildReservation("a", { tokens: 5 }));
    await store.ledger.settle("a", { tokens: 5 }, NOON);
    const db = (await loadDriver()).open(`${dir}/pawl.db`, { timeout: 1000 });
    onTestFinished(() => db.close());
    db.exec("UPDATE ledger_pages SET spent = 1 WHERE scope = 'loop'; DELETE FROM ledger_quarters WHERE page = 3");
    db.exec("DELETE FROM ledger_pages WHERE scope = 'run'");
    const quarter = NOON / 900_000;
    expect(await store.integrity()).toEqual([
      `the ledger of loop:sweeper tokens says 1 spent, 0 reserved [${quarter}=5], its entries say 5 spent, 0 reserved [${quarter}=5]`,
      `the ledger of fleet:* tokens says 5 spent, 0 reserved [], its entries say 5 spent, 0 reserved [${quarter}=5]`,
      "the ledger of run:r_1 tokens is missing; its entries say 5 spent, 0 reserved []",
    ]);
  });
});
