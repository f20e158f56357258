/**
 * The ends of the chains that this process writes to, kept in memory. What is kept of another host's run is exact: a transaction
 * that finds another connection's commit since the last one forgets everything first. A run that this host has is written by
 * nobody else; were it written all the same, the place in its chain is taken, and the group commit begins again without memory.
 */
import type { RunId } from "../../base/ids.ts";
import type { Database } from "./driver.ts";
import type { Hosts } from "./hosts.ts";

export interface Head {
  readonly id: number;
  seq: number;
  hash: string;
  /** The host that has the run. */
  owner: string | null;
}

export interface Heads {
  /** At the beginning of each transaction. */
  begin(): void;
  /** The end of a chain inside a transaction; undefined for a run that does not exist. */
  get(run: RunId): Head | undefined;
  set(run: RunId, head: Head): void;
  forget(run: RunId): void;
  clear(): void;
  /** Whether this host has the run, as far as memory knows. */
  isOwn(run: RunId): boolean;
}

type HeadRow = Readonly<Head>;

/** Runs that are written to at the same time. Beyond it, the oldest is looked up again when it is needed. */
const MOST_HEADS = 20_000;

/** Where the chain of a run ends that a host has: its row says so again when the host lets go. */
export const NEWEST_SQL = "FROM events WHERE events.run = runs.id ORDER BY seq DESC LIMIT 1";

/** When the last event of such a run was recorded. */
export const UPDATED_SQL = `coalesce((SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$.at') END ${NEWEST_SQL}), updated_at)`;

/** `settle`: everything that was appended in this transaction can be read. */
export function createHeads(db: Database, hosts: Hosts, settle: () => void): Heads {
  const select = db.prepare<HeadRow>("SELECT id, head_seq AS seq, head_hash AS hash, owner FROM runs WHERE run = ?1");
  const newest = db.prepare<Pick<HeadRow, "seq" | "hash">>(
    "SELECT seq, hash FROM events WHERE run = ?1 ORDER BY seq DESC LIMIT 1",
  );
  const version = db.prepare<{ data_version: number }>("PRAGMA data_version");
  const heads = new Map<RunId, Head>();
  let seen = -1;
  let isExact = false;

  /** Asks, once in a transaction, whether another connection has written since the last. */
  function makeExact(): void {
    if (isExact) return;
    isExact = true;
    const now = version.get()?.data_version ?? 0;
    if (now !== seen) heads.clear();
    seen = now;
  }

  const isOwn = (head: Head | undefined): head is Head =>
    head !== undefined && head.owner !== null && head.owner === hosts.self();

  function set(run: RunId, head: Head): void {
    if (heads.size >= MOST_HEADS) heads.delete(heads.keys().next().value as RunId);
    heads.set(run, head);
  }

  return {
    begin() {
      isExact = false;
    },
    get(run) {
      const own = heads.get(run);
      if (isOwn(own)) return own;
      makeExact();
      const known = heads.get(run);
      if (known !== undefined) return known;
      const row = select.get(run);
      if (row === undefined) return undefined;
      if (row.owner !== null) settle();
      const { seq, hash } = (row.owner === null ? undefined : newest.get(row.id)) ?? row;
      const head = { id: row.id, seq, hash, owner: row.owner };
      set(run, head);
      return head;
    },
    set,
    forget: (run) => heads.delete(run),
    clear: () => heads.clear(),
    isOwn: (run) => isOwn(heads.get(run)),
  };
}
