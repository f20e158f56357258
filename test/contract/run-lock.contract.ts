/** The contract of the RunLocks port. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunLock, RunLocks } from "../../src/ports/agents/run-lock.ts";
import { tempDir } from "../support/temp-dir.ts";

export interface RunLocksFixture {
  readonly locks: RunLocks;
  /** Another process that holds the file, and what ends it at once. */
  holdElsewhere(path: string): Promise<{ readonly pid: number; die(): Promise<void> }>;
}

async function held(locks: RunLocks, path: string): Promise<RunLock> {
  const found = await locks.hold(path);
  if (!("lock" in found)) throw new Error(found.holder);
  onTestFinished(() => found.lock.release());
  return found.lock;
}

export function runLocksContract(name: string, open: () => RunLocksFixture): void {
  describe(`RunLocks contract: ${name}`, () => {
    it("holds a file once, names its holder, and leaves nothing of it", async () => {
      const { locks } = open();
      const path = join(tempDir(), "below", "r");
      const lock = await held(locks, path);
      expect(await locks.hold(path)).toEqual({ holder: expect.stringContaining(`process ${process.pid}`) });
      lock.release();
      lock.release();
      expect([existsSync(`${path}.lock`), existsSync(`${path}.holder`)]).toEqual([false, false]);
      (await held(locks, path)).release();
    });

    it("holds two files apart", async () => {
      const { locks } = open();
      const dir = tempDir();
      await held(locks, join(dir, "a"));
      await held(locks, join(dir, "b"));
    });

    it("is free the instant its holder dies, however that ended", async () => {
      const { locks, holdElsewhere } = open();
      const path = join(tempDir(), "r");
      const holder = await holdElsewhere(path);
      expect(await locks.hold(path)).toEqual({ holder: expect.stringContaining(`process ${holder.pid}`) });
      await holder.die();
      await held(locks, path);
    });

    it("rejects where there can be no folder", async () => {
      const { locks } = open();
      const file = join(tempDir(), "file");
      writeFileSync(file, "");
      await expect(locks.hold(join(file, "r"))).rejects.toThrow(/EEXIST|ENOTDIR/);
    });
  });
}
