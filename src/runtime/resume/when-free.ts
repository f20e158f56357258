/** Work on a run that another process may have for a moment. */
import { setTimeout as wait } from "node:timers/promises";
import { isPawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { RunIndex } from "../../ports/store/run-index.ts";

const TRIES = 40;
const PAUSE_MS = 50;

/**
 * Tries again while another process holds a run that rests: it records a reminder, or learns that its own answer came too late, and lets
 * go. A run that is under way belongs to its host, so that error is passed on at once.
 */
export async function whenFree<T>(runs: Pick<RunIndex, "get">, run: RunId, work: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !isPawlError(error) || error.code !== "RUN_HELD") throw error;
      if ((await runs.get(run))?.status === "running") throw error;
    }
    await wait(PAUSE_MS);
  }
}
