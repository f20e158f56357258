/** What every part of the store of loops stands on. */
import type { Database } from "../driver.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { Hosts } from "../hosts.ts";

export interface LoopParts {
  readonly db: Database;
  readonly commits: GroupCommit;
  readonly hosts: Hosts;
  /** Runs a read; rejects with JOURNAL_*. */
  readonly guarded: <T>(work: () => T) => Promise<T>;
  /** Makes this process a host, before the transaction in which it calls `hosts.register`. */
  readonly becomeHost: () => void;
  /** Whole milliseconds on a clock that nobody sets and that every process of this machine shares. It begins anew with the machine. */
  readonly uptime: () => number;
}
