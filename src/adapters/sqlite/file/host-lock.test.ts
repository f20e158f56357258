import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { type Driver, loadDriver } from "../driver.ts";
import { tryHold } from "./hold-file.ts";
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

test.runIf(process.platform === "linux")(
  "a lock is held until it is let go, also when nobody has it in hand any more",
  async () => {
    const dir = tempDir();
    const driver = await loadDriver();
    const { id } = holdHostLock(driver, dir);
    tryHold(driver, join(dir, "run"));
    setFlagsFromString("--expose-gc");
    for (let time = 0; time < 5; time += 1) {
      (runInNewContext("gc") as () => void)();
      await turn();
    }
    for (const name of [`${id}.lock`, "run.lock"])
      expect(readFileSync("/proc/locks", "utf8")).toContain(`:${statSync(join(dir, name)).ino} `);
  },
);
