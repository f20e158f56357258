/** What the store of loops does when its file cannot be trusted: a clear refusal, as the journal does. */
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Driver, loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { openSqliteLoops, type SqliteLoopsOptions } from "../../src/adapters/sqlite/loops/loop-store.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { LoopStore } from "../../src/ports/loops/loop-store.ts";
import { buildJob } from "../contract/jobs.contract.ts";
import { tempDir } from "../support/temp-dir.ts";

const clock = createSystemClock();

async function open(dir: string, options: Partial<SqliteLoopsOptions> = {}): Promise<LoopStore> {
  const loops = await openSqliteLoops({ dir, clock, ...options });
  onTestFinished(() => loops.close());
  return loops;
}

const refused = (dir: string, code: string, options: Partial<SqliteLoopsOptions> = {}) =>
  expect(openSqliteLoops({ dir, clock, ...options }), code).rejects.toMatchObject({ code });

it("refuses what a newer Pawl, another program or an accident has written, and changes nothing", async () => {
  const dir = tempDir();
  const file = join(dir, "loops.db");
  await (await openSqliteLoops({ dir, clock })).close();
  expect(statSync(file).mode & 0o077).toBe(0);
  const db = (await loadDriver()).open(file, { timeout: 0 });
  db.exec("PRAGMA user_version=999");
  db.close();
  await refused(dir, "JOURNAL_SCHEMA_NEWER");
  const foreign = tempDir();
  const other = (await loadDriver()).open(join(foreign, "loops.db"), { timeout: 0 });
  other.exec("CREATE TABLE mine(x)");
  other.close();
  await refused(foreign, "JOURNAL_CORRUPT");
  const broken = tempDir();
  writeFileSync(join(broken, "loops.db"), "no database at all, and long enough to be none".repeat(40));
  await refused(broken, "JOURNAL_CORRUPT");
});

it("does not take a journal for loops, nor loops for a journal", async () => {
  const dir = tempDir();
  await (await openSqliteStore({ dir, clock })).close();
  rmSync(join(dir, "loops.db"), { force: true });
  const { renameSync } = await import("node:fs");
  renameSync(join(dir, "pawl.db"), join(dir, "loops.db"));
  await refused(dir, "JOURNAL_CORRUPT");
});

it("syncs every commit, or is not opened", async () => {
  const real = await loadDriver();
  const deaf: Driver = {
    open(path, options) {
      const db = real.open(path, options);
      db.exec("PRAGMA synchronous=NORMAL");
      return {
        ...{ isOpen: true, isTransaction: false, close: () => db.close() },
        exec: (sql) => db.exec(sql.replace("synchronous=FULL", "synchronous")),
        prepare: (sql) => db.prepare(sql),
      };
    },
  };
  await refused(tempDir(), "JOURNAL_NOT_DURABLE", { driver: deaf });
});

it("only looks where it may only look", async () => {
  const dir = tempDir();
  const empty = await open(dir, { readOnly: true });
  expect(await empty.jobs.queue({ at: 0, limit: 5 })).toEqual({ lanes: [], jobs: [] });
  expect(existsSync(join(dir, "loops.db"))).toBe(false);
  await expect(empty.jobs.submit(buildJob("1"), 0)).rejects.toMatchObject({ code: "JOURNAL_READ_ONLY" });
});

it("says that the disk is full, and keeps what was queued before", async () => {
  const dir = tempDir();
  const real = await loadDriver();
  const small: Driver = {
    open(path, options) {
      const db = real.open(path, options);
      if (String(path).endsWith("loops.db")) db.exec("PRAGMA max_page_count=40");
      return db;
    },
  };
  const { jobs } = await open(dir, { driver: small });
  let queued = 0;
  const fill = async (): Promise<void> => {
    for (; queued < 10_000; queued += 1) await jobs.submit(buildJob(`j${queued}`, { paths: ["x".repeat(500)] }), 0);
  };
  await expect(fill()).rejects.toMatchObject({ code: "JOURNAL_DISK_FULL" });
  expect(queued).toBeGreaterThan(0);
  expect((await jobs.queue({ at: 0, limit: 0 })).lanes).toMatchObject([{ queued }]);
});
