import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { type Driver, loadDriver } from "../driver.ts";
import { holdHostLock, hostIds, isHostAlive, removeDeadHost } from "./host-lock.ts";

test("a host whose file is swept before it is locked lives under another name, which a late sweeper cannot take away", async () => {
  const dir = tempDir();
  const driver = await loadDriver();
  let swept = "";
  const raced: Driver = {
    open(path, options) {
      // Another host takes the file for that of a dead one, just now.
      if (swept === "") {
        swept = hostIds(dir)[0] ?? "";
        expect(removeDeadHost(driver, dir, swept)).toBe(true);
      }
      return driver.open(path, options);
    },
  };
  const lock = holdHostLock(raced, dir);
  onTestFinished(() => lock.release(true));
  expect(swept).toMatch(/^h_/);
  expect(lock.id).not.toBe(swept);
  // A third one has seen that the file was gone, and cleans up only now.
  rmSync(join(dir, `${swept}.lock`), { force: true });
  expect(isHostAlive(driver, dir, lock.id)).toBe(true);
});
