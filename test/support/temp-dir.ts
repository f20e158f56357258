/** Directories for tests, removed when the test is over. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

const TRIES = 100;

/** A new empty directory; to be called inside a test. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "pawl-"));
  // A hundred thousand files take their time on a busy machine.
  onTestFinished(() => removeTree(dir), 600_000);
  return dir;
}

/** What a program that is just ending still writes is looked for anew each time; the tries of `rmSync` itself do not look again. */
export async function removeTree(dir: string): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return rmSync(dir, { recursive: true, force: true });
    } catch (error) {
      if (left === 0) throw error;
    }
    await sleep(50);
  }
}
