/** T15: processes on one state directory. A run has one host, by a lock of the kernel: no file, no pid and no time is believed. */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { createFileLocks } from "../../src/adapters/sqlite/file/hold-file.ts";
import { openSqliteLoops } from "../../src/adapters/sqlite/loops/loop-store.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { RunId } from "../../src/base/ids.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { createRun } from "../support/events-builder.ts";
import { PATIENCE_MS, slowness } from "../support/slowness.ts";
import { type StoreProcess, startStoreProcess } from "../support/store-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROUNDS = process.env["PAWL_FULL"] === "1" ? 15 : 5;
const TAKEOVER_MS = 1000;
const STARTERS = 3;
const NFS = 0x6969;
const FUSE = 0x65735546;

type Said = { readonly claimed: boolean; readonly holder?: { readonly pid: number } };

/** A run that nobody hosts. */
async function freeRun(): Promise<{ dir: string; run: RunId; store: Store }> {
  const dir = join(tempDir(), "state");
  const store = await openSqliteStore({ dir, clock: createSystemClock() });
  onTestFinished(() => store.close());
  const run = await createRun(store.journal);
  await store.lease.release(run);
  return { dir, run, store };
}

const last = ({ lines }: StoreProcess): Said | undefined => lines.at(-1) as Said | undefined;
const isHost = (starter: StoreProcess): boolean => last(starter)?.claimed === true;

async function end({ child, ended }: StoreProcess): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

describe("T15: processes on one state directory", () => {
  it("T15: of three starters one is the host, and when it is killed another is within a second, round after round", async () => {
    const { dir, run } = await freeRun();
    let starters = Array.from({ length: STARTERS }, () => startStoreProcess(dir, "contend", run));
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(starters.map((starter) => starter.said(1)));
      await expect.poll(() => starters.some(isHost), { timeout: PATIENCE_MS }).toBe(true);
      const [host, ...more] = starters.filter(isHost) as [StoreProcess, ...StoreProcess[]];
      expect(more).toEqual([]);
      const others = starters.filter((starter) => starter !== host);
      const from = performance.now();
      host.child.kill("SIGKILL");
      await expect.poll(() => others.some(isHost), { timeout: PATIENCE_MS, interval: 5 }).toBe(true);
      took.push(performance.now() - from);
      expect(others.filter(isHost)).toHaveLength(1);
      starters = [...others, startStoreProcess(dir, "contend", run)];
      await starters.at(-1)?.said(1);
      // Whoever comes later is told who it is.
      const now = starters.find(isHost);
      expect(last(starters.at(-1) as StoreProcess)).toMatchObject({ claimed: false, holder: { pid: now?.child.pid } });
    }
    expect(Math.max(...took)).toBeLessThanOrEqual(TAKEOVER_MS * slowness());
  });

  it("T15: a host that stands still keeps its run, and has it when it goes on", async () => {
    const { dir, run, store } = await freeRun();
    const host = startStoreProcess(dir, "contend", run);
    await host.said(1);
    host.child.kill("SIGSTOP");
    for (let tries = 0; tries < 20; tries += 1) {
      expect(await store.lease.claim(run)).toMatchObject({ claimed: false, holder: { pid: host.child.pid } });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    host.child.kill("SIGCONT");
    expect(await store.lease.claim(run)).toMatchObject({ claimed: false });
    await end(host);
    expect(await store.lease.claim(run)).toEqual({ claimed: true });
  });

  it("T15: what a host has started does not hold its run when it is gone, and does not free it when that ends", async () => {
    const { dir, run, store } = await freeRun();
    const host = startStoreProcess(dir, "fork", run);
    const [pid] = (await host.said(1)) as [number];
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    const other = startStoreProcess(dir, "fork", run);
    const [ended] = (await other.said(1)) as [number];
    process.kill(ended, "SIGKILL");
    await end(other);
    expect(await store.lease.claim(run)).toMatchObject({ claimed: false, holder: { pid: host.child.pid } });
    await end(host);
    expect(process.kill(pid, 0)).toBe(true);
    expect(await store.lease.claim(run)).toEqual({ claimed: true });
  });

  it("T15: a dead host whose number another process has now is dead", async () => {
    const { dir, run, store } = await freeRun();
    const host = startStoreProcess(dir, "contend", run);
    await host.said(1);
    await end(host);
    const db = (await loadDriver()).open(join(dir, "pawl.db"), { timeout: 5000 });
    db.prepare("UPDATE hosts SET pid = ?1").run(process.pid);
    db.close();
    expect(await store.lease.claim(run)).toEqual({ claimed: true });
  });

  it("T15: nothing is written to a network file system, where a lock of one machine is none for another", async () => {
    const dir = join(tempDir(), "state");
    const remote = { dir, clock: createSystemClock(), fileSystem: () => NFS };
    const refused = { code: "JOURNAL_FOLDER_REMOTE", message: expect.stringContaining("(NFS)") };
    await expect(openSqliteStore(remote)).rejects.toMatchObject(refused);
    await expect(openSqliteLoops(remote)).rejects.toMatchObject(refused);
    await expect(createFileLocks(() => NFS).hold(join(dir, "r"))).rejects.toMatchObject(refused);
    // What may be local after all is not kept from anybody; `pawl doctor` warns of it.
    await (await openSqliteStore({ ...remote, fileSystem: () => FUSE })).close();
    // Reading changes nothing.
    await (await openSqliteStore({ ...remote, readOnly: true })).close();
  });
});
