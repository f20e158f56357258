/** The lease on SQLite: the row of a run names its host, and the operating system says whether that host lives. */
import type { Claimed, Lease } from "../../ports/lease.ts";
import type { EventWriter } from "./event-writer.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Hosts } from "./hosts.ts";

interface LeaseParts {
  readonly commits: GroupCommit;
  readonly writer: EventWriter;
  readonly hosts: Hosts;
  readonly guarded: <T>(work: () => T) => Promise<T>;
  readonly isClosed: () => boolean;
  /** Makes this process a host; see `Hosts.lock`. */
  readonly becomeHost: () => void;
}

/** A host that is alive but not yet, or no longer, in the table. */
const UNNAMED = { pid: 0, hostname: "unknown", since: 0 };

export function createSqliteLease({ commits, writer, hosts, guarded, isClosed, becomeHost }: LeaseParts): Lease {
  return {
    async claim(run) {
      if (writer.owns(run)) return { claimed: true };
      return commits.run(() => {
        becomeHost();
        return (): Claimed => {
          const owner = writer.claim(run);
          return owner === null ? { claimed: true } : { claimed: false, holder: hosts.holder(owner) ?? UNNAMED };
        };
      });
    },
    async release(run) {
      if (isClosed()) return;
      if (await guarded(() => writer.isHeldHere(run))) await commits.run(() => () => writer.release(run));
    },
  };
}
