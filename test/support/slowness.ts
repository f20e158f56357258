/** Limits in time that hold on a busy machine too. */
import { spawnSync } from "node:child_process";

/** What `node -e 0` takes on an idle machine. */
const IDLE_START_MS = 50;

/**
 * How many times longer than on an idle machine a small process takes here and now; 1 at least. A limit in time is multiplied by it, because
 * a test cannot tell a slow program from a busy machine otherwise.
 */
export function slowness(): number {
  const took = Array.from({ length: 3 }, () => {
    const from = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    return performance.now() - from;
  });
  return Math.max(1, ...took.map((ms) => ms / IDLE_START_MS));
}

/** For what must happen at some time: only a test that hangs waits so long. */
export const PATIENCE_MS = 120_000;
