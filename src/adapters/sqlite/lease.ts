/** The lease on SQLite: the row of a run names its host, and the operating system says whether that host lives. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { JOURNAL_ERRORS } from "../../ports/errors/journal-errors.ts";
import type { Claimed, Lease } from "../../ports/store/lease.ts";
import type { Database } from "./driver.ts";
import type { EventRows } from "./events/event-rows.ts";
import type { GroupCommit } from "./group-commit.ts";
import { type Heads, NEWEST_SQL, UPDATED_SQL } from "./heads.ts";
import type { Hosts } from "./hosts.ts";

interface LeaseParts {
  readonly db: Database;
  readonly commits: GroupCommit;
  readonly heads: Heads;
  readonly rows: Pick<EventRows, "flush">;
  readonly hosts: Hosts;
  readonly guarded: <T>(work: () => T) => Promise<T>;
  readonly isClosed: () => boolean;
  /** Makes this process a host; see `Hosts.lock`. */
  readonly becomeHost: () => void;
}

/** A host that lives but is not in the table. */
const UNNAMED = { pid: 0, hostname: "unknown", since: 0 };

export function createSqliteLease(parts: LeaseParts): Lease {
  const { db, commits, heads, rows, hosts, guarded, isClosed, becomeHost } = parts;
  const select = db.prepare<{ owner: string | null }>("SELECT owner FROM runs WHERE run = ?1");
  const own = db.prepare("UPDATE runs SET owner = ?2 WHERE run = ?1");

  const letGo = db.prepare(`UPDATE runs SET owner = NULL, head_seq = coalesce((SELECT seq ${NEWEST_SQL}), head_seq),
    head_hash = coalesce((SELECT hash ${NEWEST_SQL}), head_hash), updated_at = ${UPDATED_SQL} WHERE run = ?1`);

  function setOwner(run: RunId, owner: string | null): void {
    if (owner === null) {
      rows.flush();
      letGo.run(run);
    } else {
      own.run(run, owner);
    }
    heads.forget(run);
  }

  function claim(run: RunId): Claimed {
    hosts.register();
    const head = heads.get(run);
    if (head === undefined) throw pawlError(JOURNAL_ERRORS, "JOURNAL_RUN_UNKNOWN", { run });
    const { owner } = head;
    const self = hosts.self();
    if (owner === self) return { claimed: true };
    if (owner !== null && hosts.isAlive(owner)) return { claimed: false, holder: hosts.holder(owner) ?? UNNAMED };
    setOwner(run, self);
    return { claimed: true };
  }

  function isHeldHere(run: RunId): boolean {
    return hosts.self() !== null && select.get(run)?.owner === hosts.self();
  }

  return {
    async claim(run) {
      if (heads.isOwn(run) && !isClosed()) return { claimed: true };
      return commits.run(() => {
        becomeHost();
        return () => claim(run);
      });
    },
    async release(run) {
      if (isClosed() || !(await guarded(() => isHeldHere(run)))) return;
      await commits.run(() => () => {
        if (isHeldHere(run)) setOwner(run, null);
      });
    },
  };
}
