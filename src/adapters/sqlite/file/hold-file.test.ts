import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import type { RunLock } from "../../../ports/agents/run-lock.ts";
import { type Driver, loadDriver } from "../driver.ts";
import { FILE_LOCKS, tryHold } from "./hold-file.ts";

async function held(path: string): Promise<RunLock> {
  const found = await FILE_LOCKS.hold(path);
  if (!("lock" in found)) throw new Error(found.holder);
  onTestFinished(() => found.lock.release());
  return found.lock;
}

test("whoever does not say its name still holds it", async () => {
  const path = join(tempDir(), "r");
  await held(path);
  rmSync(`${path}.holder`);
  expect(await FILE_LOCKS.hold(path)).toEqual({ holder: "another process" });
});

test("a file that its holder takes away before it is locked is not the one that the next has", async () => {
  const path = join(tempDir(), "r");
  const driver = await loadDriver();
  const first = await held(path);
  const raced: Driver = {
    open(file, options) {
      const db = driver.open(file, options);
      first.release();
      return db;
    },
  };
  expect(tryHold(raced, path)).toBe("gone");
  await held(path);
});
