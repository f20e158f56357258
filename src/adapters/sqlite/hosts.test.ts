import { cpSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { buildStageStarted, createRun } from "../../../test/support/events-builder.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { createSystemClock } from "../system/clock.ts";
import { openSqliteStore } from "./store.ts";

const clock = createSystemClock();

it("notes its first event, also when it has claimed the run in a commit before", async () => {
  const [dir, copy] = [tempDir(), tempDir()];
  const first = await openSqliteStore({ dir, clock });
  const run = await createRun(first.journal);
  await first.lease.release(run);
  await first.close();
  const next = await openSqliteStore({ dir, clock });
  onTestFinished(() => next.close());
  await next.lease.claim(run);
  await next.journal.append(run, 3, [buildStageStarted(1)]);
  // What it would leave behind if it were killed now and its -wal and -shm were taken away.
  cpSync(dir, copy, { recursive: true, filter: (path) => !/-wal$|-shm$|\.lock$/.test(path) });
  await expect(openSqliteStore({ dir: copy, clock })).rejects.toThrow("at least 1 acknowledged events are lost");
});
