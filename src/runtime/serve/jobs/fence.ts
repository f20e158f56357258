/**
 * The fence around what this process has claimed: checked before every effect of a run. A claim that was not renewed in time may be
 * another's by now, whoever that is has ended this process or is about to; so nothing more begins.
 */
import { pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import type { KillSwitch } from "../../../ports/stop/kill-switch.ts";
import { SERVE_ERRORS } from "../errors.ts";

export interface Fence {
  /** Until then, on the clock of leases, nobody else can have the run. */
  hold(run: RunId, until: number): void;
  release(run: RunId): void;
  /** Throws SERVE_CLAIM_LATE. A run without a claim of its own is a child of one that has: it is judged by all of them. */
  check(run: string): void;
  /** The kill switch is asked before every effect; so is the fence then. */
  around(killSwitch: KillSwitch): KillSwitch;
}

export function createFence(uptime: () => number): Fence {
  const held = new Map<string, number>();
  const check = (run: string): void => {
    const until = held.get(run) ?? Math.min(...held.values());
    if (uptime() >= until) throw pawlError(SERVE_ERRORS, "SERVE_CLAIM_LATE", { run });
  };
  return {
    hold: (run, until) => void held.set(run, until),
    release: (run) => void held.delete(run),
    check,
    around: (killSwitch) => ({
      ...killSwitch,
      pulled(scope) {
        check(scope);
        return killSwitch.pulled(scope);
      },
    }),
  };
}
