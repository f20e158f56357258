/** What a SQLite store does when its disk, its file or its process fails: a clear refusal, and nothing acknowledged is lost. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Driver, loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { sizeOf } from "../../src/adapters/sqlite/file/state-files.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { RunId } from "../../src/base/ids.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { buildFinished, buildRunId, buildStageStarted, createRun } from "../support/events-builder.ts";
import { startStoreProcess } from "../support/store-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const clock = createSystemClock();
const ALL = Number.MAX_SAFE_INTEGER;

async function open(dir: string, options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const store = await openSqliteStore({ dir, clock, ...options });
  onTestFinished(() => store.close());
  return store;
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no error",
    (error: { code?: string }) => error.code,
  );

/** A state directory that a process has filled with one ended run of three events, and left. */
async function filledDir(): Promise<{ dir: string; file: string; run: RunId }> {
  const dir = join(tempDir(), "state");
  const run = buildRunId();
  const writer = startStoreProcess(dir, "finish", run);
  await writer.ended;
  expect(writer.lines).toEqual(["done"]);
  return { dir, file: join(dir, "pawl.db"), run };
}

/** A state directory whose writer was killed while it wrote; `acknowledged` is the last seq it was told of. */
async function killedDir(least = 20): Promise<{ dir: string; file: string; run: RunId; acknowledged: number }> {
  const dir = join(tempDir(), "state");
  const run = buildRunId();
  const writer = startStoreProcess(dir, "write", run);
  await writer.said(least);
  writer.child.kill("SIGKILL");
  await writer.ended;
  return { dir, file: join(dir, "pawl.db"), run, acknowledged: Number(writer.lines.at(-1)) };
}

/** What every file holds, but for those that SQLite makes for readers. */
function bytesOf(dir: string): Record<string, string> {
  const files = readdirSync(dir, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith("-shm"),
  );
  const held = files.map(({ name }) => [name, readFileSync(join(dir, name), "latin1")] as const);
  return Object.fromEntries(held.filter(([name, bytes]) => !name.endsWith("-wal") || bytes !== ""));
}

describe("a full disk", () => {
  /** Room for about 2 MB: a file system of that size where one can be mounted, else a cap inside SQLite. */
  async function scarce(): Promise<{ store: Store; makeRoom: () => void }> {
    const dir = tempDir();
    if (isRoot) {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", dir]);
      onTestFinished(() => execFileSync("umount", ["-l", dir]) as never);
      return {
        store: await open(join(dir, "state")),
        makeRoom: () => execFileSync("mount", ["-o", "remount,size=64m", dir]) as never,
      };
    }
    const real = await loadDriver();
    let raise = (): void => {};
    const driver: Driver = {
      open(path, options) {
        const db = real.open(path, options);
        if (String(path).endsWith("pawl.db")) {
          db.exec("PRAGMA max_page_count=200");
          raise = () => db.exec("PRAGMA max_page_count=100000");
        }
        return db;
      },
    };
    return { store: await open(join(dir, "state"), { driver }), makeRoom: () => raise() };
  }

  it("rejects what does not fit, keeps what was acknowledged, and goes on when there is room", async () => {
    const { store, makeRoom } = await scarce();
    const runs = await Promise.all([1, 2, 3].map(() => createRun(store.journal)));
    const heads = new Map(runs.map((run) => [run, 2]));
    const big = { ...buildStageStarted(1), rule: "x".repeat(20_000) };
    const codes = new Set<unknown>();
    for (let turn = 0; turn < 200 && codes.size === 0; turn += 1) {
      await Promise.all(
        runs.map(async (run) => {
          const seq = (heads.get(run) ?? 0) + 1;
          await store.journal.append(run, seq, [big]).then(
            () => heads.set(run, seq),
            (error: { code: string }) => codes.add(error.code),
          );
        }),
      );
    }
    expect([...codes]).toEqual(["JOURNAL_DISK_FULL"]);
    for (const [run, seq] of heads)
      expect(await store.journal.verify(run)).toMatchObject({ intact: true, events: seq });
    makeRoom();
    for (const [run, seq] of heads) {
      expect(await store.journal.append(run, seq + 1, [big, buildFinished()])).toEqual({
        appended: true,
        seq: seq + 2,
      });
      expect(await store.journal.verify(run)).toMatchObject({ intact: true, events: seq + 2 });
    }
    expect(await store.integrity()).toEqual([]);
  });
});

describe("a state directory that may only be read", () => {
  /** Root may write anywhere, so as root the store is used by another user. */
  const asReader = isRoot ? { uid: NOBODY } : {};

  function lockUp(dir: string): void {
    chmodSync(join(dir, ".."), 0o755);
    const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
    const paths = entries.map((entry) => ({ path: join(entry.parentPath, entry.name), isFolder: entry.isDirectory() }));
    const folders = [...paths.filter(({ isFolder }) => isFolder).map(({ path }) => path), dir];
    for (const { path, isFolder } of paths) if (!isFolder) chmodSync(path, 0o444);
    for (const path of folders) chmodSync(path, 0o555);
    onTestFinished(() => {
      for (const path of folders) chmodSync(path, 0o700);
    });
  }

  it("is refused for writing and served for reading", async () => {
    const { dir, run } = await filledDir();
    lockUp(dir);
    const before = bytesOf(dir);
    expect(await startStoreProcess(dir, "probe", buildRunId(), asReader).said(1)).toEqual([
      { error: "JOURNAL_READ_ONLY" },
    ]);
    expect(await startStoreProcess(dir, "probe:readonly", buildRunId(), asReader).said(1)).toEqual([
      { rows: [run], written: "JOURNAL_READ_ONLY" },
    ]);
    expect(bytesOf(dir)).toEqual(before);
  });

  it("is served for reading after its writer was killed", async () => {
    const { dir, run } = await killedDir();
    lockUp(dir);
    expect(await startStoreProcess(dir, "probe:readonly", buildRunId(), asReader).said(1)).toEqual([
      { rows: [run], written: "JOURNAL_READ_ONLY" },
    ]);
  });

  it("cannot be made where nothing may be made", async () => {
    const dir = join(tempDir(), "state");
    mkdirSync(dir);
    lockUp(dir);
    expect(await startStoreProcess(dir, "probe", buildRunId(), asReader).said(1)).toEqual([
      { error: "JOURNAL_READ_ONLY" },
    ]);
  });

  it("is one without runs when there is no journal in it", async () => {
    const dir = join(tempDir(), "state");
    const store = await open(dir, { readOnly: true });
    expect(await store.runs.list({ limit: 5 })).toEqual({ rows: [], next: null });
    expect(await store.integrity()).toEqual([]);
    expect(existsSync(dir)).toBe(false);
  });

  it("refuses every kind of write when it was opened for reading, though it could be written", async () => {
    const { dir, run } = await filledDir();
    const store = await open(dir, { readOnly: true });
    const writes = [
      createRun(store.journal),
      store.journal.append(run, 4, [buildFinished()]),
      store.lease.claim(run),
      store.control.request(run, { kind: "cancel", by: "ann" }),
    ];
    expect(await Promise.all(writes.map(codeOf))).toEqual(Array(4).fill("JOURNAL_READ_ONLY"));
    expect(await store.journal.verify(run)).toMatchObject({ intact: true, events: 3 });
  });
});

describe("a file that is not a sound journal", () => {
  const foreign = async (file: string): Promise<void> => {
    rmSync(file);
    const db = (await loadDriver()).open(file, { timeout: 0 });
    db.exec("CREATE TABLE bookmarks(url)");
    db.close();
  };

  it.each<[string, (file: string) => void | Promise<void>]>([
    ["garbage", (file) => writeFileSync(file, "not a database at all ".repeat(500))],
    ["cut off inside its first page", (file) => truncateSync(file, 1000)],
    ["the database of another program", foreign],
    ["empty beside its -wal", (file) => [truncateSync(file, 0), writeFileSync(`${file}-wal`, "frames")] as never],
    ["missing beside its -wal", (file) => [rmSync(file), writeFileSync(`${file}-wal`, "frames")] as never],
  ])("is refused and left as it is: %s", async (_, spoil) => {
    const { dir, file } = await filledDir();
    await spoil(file);
    const before = bytesOf(dir);
    for (const readOnly of [false, true]) {
      const refused = openSqliteStore({ dir, clock, readOnly });
      await expect(refused).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
      await expect(refused).rejects.toThrow(file);
    }
    expect(bytesOf(dir)).toEqual(before);
  });

  it("is refused when it is missing although a killed writer noted events in it", async () => {
    const { dir, file } = await killedDir();
    for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name);
    await expect(openSqliteStore({ dir, clock })).rejects.toThrow(/is missing, although \d+ events were stored in it/);
    const store = await open(dir, { acceptLoss: true });
    expect((await store.runs.list({ limit: 1 })).rows).toEqual([]);
  });

  it("names the damage inside a file that still opens", async () => {
    const { dir, file, run } = await filledDir();
    const bytes = readFileSync(file);
    for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xff, at, at + 64);
    writeFileSync(file, bytes);
    // Opening reads enough of it to see that.
    expect(await codeOf(open(dir, { readOnly: true }).then((store) => store.journal.read(run, 0, ALL)))).toBe(
      "JOURNAL_CORRUPT",
    );
  });

  it("is refused untouched when a newer Pawl wrote it", async () => {
    const { dir, file } = await filledDir();
    const db = (await loadDriver()).open(file, { timeout: 0 });
    db.exec("PRAGMA user_version=99");
    db.close();
    const before = bytesOf(dir);
    for (const readOnly of [false, true]) {
      await expect(openSqliteStore({ dir, clock, readOnly })).rejects.toMatchObject({
        code: "JOURNAL_SCHEMA_NEWER",
        problems: [{ data: { file, version: 99, known: expect.any(Number) } }],
      });
    }
    expect(bytesOf(dir)).toEqual(before);
  });

  it("is a new journal when it is empty and nothing tells of events", async () => {
    const dir = tempDir();
    writeFileSync(join(dir, "pawl.db"), "");
    const store = await open(dir);
    expect(await store.journal.verify(await createRun(store.journal))).toMatchObject({ intact: true });
  });
});

describe("a killed writer", () => {
  it("leaves every acknowledged event, however often it is killed", async () => {
    for (const least of [1, 15, 60]) {
      const { dir, run, acknowledged } = await killedDir(least);
      const store = await open(dir);
      const report = await store.journal.verify(run);
      expect(report).toMatchObject({ intact: true });
      expect(report.intact && report.events).toBeGreaterThanOrEqual(acknowledged);
      expect((await store.runs.get(run))?.holder).toBeNull();
      await store.close();
      expect(sizeOf(join(dir, "pawl.db-wal"))).toBe(0);
    }
  });

  it.each([
    ["the -wal", ["-wal"]],
    ["-wal and -shm", ["-wal", "-shm"]],
  ])("makes the loss of %s known, once", async (_, suffixes) => {
    const { dir, file, acknowledged } = await killedDir();
    for (const suffix of suffixes) rmSync(file + suffix);
    for (const readOnly of [false, true]) {
      const refused = openSqliteStore({ dir, clock, readOnly });
      await expect(refused).rejects.toMatchObject({ code: "JOURNAL_WAL_MISSING" });
      await expect(refused).rejects.toThrow(
        suffixes.length === 1 ? /may be lost/ : new RegExp(`at least ${acknowledged}|at least \\d+ ack`),
      );
      expect(sizeOf(`${file}-wal`)).toBe(0);
    }
    const store = await open(dir, { acceptLoss: true });
    const run = await createRun(store.journal);
    await store.close();
    const again = await open(dir);
    expect(await again.journal.verify(run)).toMatchObject({ intact: true });
    expect(readdirSync(join(dir, "hosts"))).toEqual([]);
  });

  it("is no alarm for those who close cleanly after it, in whatever order", async () => {
    const { dir, run } = await killedDir();
    const [reader, writer] = [await open(dir, { readOnly: true }), await open(dir)];
    const child = startStoreProcess(dir, "write", buildRunId());
    await child.said(3);
    await createRun(writer.journal);
    child.child.kill("SIGKILL");
    await child.ended;
    await writer.close();
    await reader.close();
    const next = await open(dir);
    expect(await next.journal.verify(run)).toMatchObject({ intact: true });
  });

  it("does not let a second process write beside one whose -wal was taken away", async () => {
    const dir = join(tempDir(), "state");
    const writer = startStoreProcess(dir, "write", buildRunId());
    await writer.said(3);
    rmSync(join(dir, "pawl.db-wal"));
    for (const acceptLoss of [false, true]) {
      await expect(openSqliteStore({ dir, clock, acceptLoss })).rejects.toThrow("a process still uses the journal");
    }
  });

  it("leaves files of its lock that the next host sweeps", async () => {
    const { dir } = await killedDir();
    expect(readdirSync(join(dir, "hosts"))).toHaveLength(2);
    const store = await open(dir);
    await createRun(store.journal);
    expect(readdirSync(join(dir, "hosts"))).toHaveLength(2);
    await store.close();
    expect(readdirSync(join(dir, "hosts"))).toEqual([]);
  });
});

describe("a connection", () => {
  it("is refused when SQLite does not sync every commit, or does not write ahead", async () => {
    const real = await loadDriver();
    const deaf = (setting: RegExp): Driver => ({
      open(path, options) {
        const db = real.open(path, options);
        db.exec("PRAGMA synchronous=NORMAL");
        return {
          isOpen: true,
          isTransaction: false,
          exec: (sql) => db.exec(sql.replace(setting, "")),
          prepare: (sql) => db.prepare(sql.replace(setting, "")),
          close: () => db.close(),
        };
      },
    });
    for (const setting of [/(?<=synchronous)=FULL/, /(?<=journal_mode)=WAL/]) {
      await expect(openSqliteStore({ dir: tempDir(), clock, driver: deaf(setting) })).rejects.toMatchObject({
        code: "JOURNAL_NOT_DURABLE",
      });
    }
  });

  it("says that another process keeps the journal locked, and works when it is free", async () => {
    const dir = tempDir();
    const store = await open(dir, { patienceMs: 60 });
    const run = await createRun(store.journal);
    const rude = (await loadDriver()).open(join(dir, "pawl.db"), { timeout: 0 });
    onTestFinished(() => rude.close());
    rude.exec("BEGIN IMMEDIATE");
    expect(await codeOf(store.journal.append(run, 3, [buildStageStarted(1)]))).toBe("JOURNAL_BUSY");
    expect(await codeOf(createRun(store.journal))).toBe("JOURNAL_BUSY");
    rude.exec("ROLLBACK");
    expect(await store.journal.append(run, 3, [buildFinished()])).toEqual({ appended: true, seq: 3 });
  });

  it("waits for another process that has the journal, and lets everything else go on meanwhile", async () => {
    const dir = tempDir();
    const store = await open(dir);
    const run = await createRun(store.journal);
    const rude = (await loadDriver()).open(join(dir, "pawl.db"), { timeout: 0 });
    onTestFinished(() => rude.close());
    rude.exec("BEGIN IMMEDIATE");
    const seen: string[] = [];
    const appended = store.journal
      .append(run, 3, [buildStageStarted(1)])
      .then((result) => seen.push("appended") && result);
    const charged = store.ledger.withdraw("r_1/a").then(() => seen.push("withdrawn"));
    await sleep(100);
    const later = store.ledger.withdraw("r_1/b").then(() => seen.push("asked meanwhile"));
    await sleep(100);
    seen.push("free");
    rude.exec("ROLLBACK");
    expect(await appended).toEqual({ appended: true, seq: 3 });
    await Promise.all([charged, later]);
    expect(seen).toEqual(["free", "appended", "withdrawn", "asked meanwhile"]);
  });

  it("that is closed while its writes wait does them first", async () => {
    const dir = tempDir();
    const store = await open(dir, { patienceMs: 60_000 });
    const run = await createRun(store.journal);
    const rude = (await loadDriver()).open(join(dir, "pawl.db"), { timeout: 0 });
    onTestFinished(() => rude.close());
    rude.exec("BEGIN IMMEDIATE");
    const appended = store.journal.append(run, 3, [buildStageStarted(1)]);
    await sleep(100);
    rude.exec("ROLLBACK");
    await store.close();
    expect(await appended).toEqual({ appended: true, seq: 3 });
  });

  it("keeps everything from other users", async () => {
    const { dir, file } = await filledDir();
    chmodSync(dir, 0o755);
    chmodSync(file, 0o644);
    const store = await open(dir);
    await createRun(store.journal);
    const modes = readdirSync(dir, { recursive: true }).map((name) => statSync(join(dir, String(name))).mode & 0o077);
    expect([statSync(dir).mode & 0o077, ...modes]).toEqual(Array(modes.length + 1).fill(0));
    expect(modes.length).toBe(9);
  });

  it("opens a new directory from many processes at once", async () => {
    const dir = join(tempDir(), "state");
    const runs = [1, 2, 3].map(() => buildRunId());
    const children = runs.map((run) => startStoreProcess(dir, "finish", run));
    expect(await Promise.all(children.map((child) => child.said(1)))).toEqual([["done"], ["done"], ["done"]]);
    const store = await open(dir);
    for (const run of runs) expect(await store.journal.verify(run)).toMatchObject({ intact: true, events: 3 });
  });
});
