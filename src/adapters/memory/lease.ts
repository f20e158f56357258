/** The lease in memory: a host is an open store, and dies when it is closed. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Claimed, Lease } from "../../ports/store/lease.ts";
import type { MemoryHost, MemoryState } from "./state.ts";

interface LeaseParts {
  readonly state: MemoryState;
  readonly self: MemoryHost;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

export function createMemoryLease({ state, self, guarded }: LeaseParts): Lease {
  function claim(run: RunId): Claimed {
    const found = state.runs.get(run);
    if (found === undefined) throw pawlError(JOURNAL_ERRORS, "JOURNAL_RUN_UNKNOWN", { run });
    const { owner } = found;
    if (owner !== null && owner !== self && owner.alive) {
      return { claimed: false, holder: { pid: owner.pid, hostname: owner.hostname, since: owner.since } };
    }
    found.owner = self;
    return { claimed: true };
  }

  return {
    claim: (run) => guarded(() => claim(run)),
    async release(run) {
      const found = state.runs.get(run);
      if (found?.owner === self) found.owner = null;
    },
  };
}
