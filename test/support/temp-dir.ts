/** Directories for tests, removed when the test is over. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new empty directory; to be called inside a test. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "pawl-"));
  // A hundred thousand files take their time on a busy machine.
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }), 600_000);
  return dir;
}
