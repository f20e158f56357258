/**
 * The ends of the chains that this process writes to, kept in memory. What is kept is exact: a transaction that finds
 * another connection's commit since the last one forgets everything first.
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

interface HeadRow {
  readonly id: number;
  readonly seq: number;
  readonly hash: string;
  readonly owner: string | null;
}

/** Runs that are written to at the same time. Beyond it, the oldest is looked up again when it is needed. */
const MOST_HEADS = 20_000;

export function createHeads(db: Database, hosts: Hosts): Heads {
  const select = db.prepare<HeadRow>("SELECT id, head_seq AS seq, head_hash AS hash, owner FROM runs WHERE run = ?1");
  const version = db.prepare<{ data_version: number }>("PRAGMA data_version");
  const heads = new Map<RunId, Head>();
  let seen = -1;

  function set(run: RunId, head: Head): void {
    if (heads.size >= MOST_HEADS) heads.delete(heads.keys().next().value as RunId);
    heads.set(run, head);
  }

  return {
    begin() {
      const now = version.get()?.data_version ?? 0;
      if (now !== seen) heads.clear();
      seen = now;
    },
    get(run) {
      const known = heads.get(run);
      if (known !== undefined) return known;
      const row = select.get(run);
      if (row === undefined) return undefined;
      const head = { id: row.id, seq: row.seq, hash: row.hash, owner: row.owner };
      set(run, head);
      return head;
    },
    set,
    forget: (run) => heads.delete(run),
    clear: () => heads.clear(),
    isOwn: (run) => heads.get(run)?.owner === hosts.self() && hosts.self() !== null,
  };
}
