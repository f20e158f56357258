/** Goes on with a run that has just been answered. */
import { setTimeout as wait } from "node:timers/promises";
import { isPawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Runtime } from "../../runtime/runtime.ts";

const TRIES = 40;
const PAUSE_MS = 50;

/** Whoever answers too late has the run for a moment to find that out: nobody would go on with it if that stopped us. */
export async function goOn(runtime: Pick<Runtime, "resume">, run: RunId, by: string): ReturnType<Runtime["resume"]> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await runtime.resume(run, { by });
    } catch (error) {
      if (left === 0 || !isPawlError(error) || error.code !== "RUN_HELD") throw error;
    }
    await wait(PAUSE_MS);
  }
}
