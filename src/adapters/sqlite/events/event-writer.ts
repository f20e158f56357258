/** Writes runs and their events. Every function here runs inside a transaction of the group commit. */
import { pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import type { Plan } from "../../../plan/plan.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import type { Appended } from "../../../ports/store/journal.ts";
import type { EventOf } from "../../../run/events.ts";
import { chainNext, chainStart } from "../../../run/record/chain.ts";
import type { PlacedEvent } from "../../../run/record/record-waiting.ts";
import { isAtRest, listedUnder, type RowChange } from "../../../run/record/row.ts";
import type { Database, SqlValue } from "../driver.ts";
import type { Head, Heads } from "../heads.ts";
import type { Hosts } from "../hosts.ts";
import type { PlanIds } from "../plan-ids.ts";
import type { WaitingWriter } from "../waiting/waiting-rows.ts";
import type { EventReader } from "./event-reader.ts";
import type { EventRows } from "./event-rows.ts";
import type { RunChain } from "./run-chain.ts";

/** Events made ready before the transaction: their canonical text, and what they change in the row of the run. */
export interface Entry {
  readonly bodies: readonly string[];
  readonly at: number;
  readonly change: RowChange | undefined;
  /** Those that can change what the run waits for; `seq` counts from the first of the entry. */
  readonly waits: readonly PlacedEvent[];
}

export interface EventWriter {
  create(run: RunId, created: EventOf<"run.created">, plan: Plan, entry: Entry): boolean;
  append(run: RunId, expectedSeq: number, entry: Entry): Appended;
}

interface WriterParts {
  readonly db: Database;
  readonly heads: Heads;
  readonly rows: EventRows;
  readonly plans: PlanIds;
  readonly hosts: Hosts;
  readonly reader: EventReader;
  readonly waiting: WaitingWriter;
  readonly chain: Pick<RunChain, "add">;
  /** The events of this run will have changed when the transaction is over. */
  readonly wake: (run: RunId) => void;
}

export function createEventWriter(parts: WriterParts): EventWriter {
  const { db, heads, rows, plans, hosts, reader, waiting, chain, wake } = parts;
  const insertRun = db.prepare(`INSERT INTO runs(
    run, blueprint, plan, status, reason, parent, created_at, updated_at, head_seq, head_hash, owner)
    VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`);
  const advance = db.prepare("UPDATE runs SET head_seq = ?2, head_hash = ?3, updated_at = ?4 WHERE id = ?1");
  const advanceAndList = db.prepare(`UPDATE runs SET head_seq = ?2, head_hash = ?3, updated_at = ?4,
    status = ?5, reason = ?6, owner = ?7 WHERE id = ?1`);

  /**
   * The head is exact (heads.ts), so no condition on it is needed; the index on (run, seq) would catch a defect. While a host
   * has the run, the row says where its chain ended when it last rested or changed its status: one page less to write.
   */
  function store(run: RunId, head: Head, { bodies, at, change, waits }: Entry): void {
    const { seq: before } = head;
    const hashes = hashesOf(head.hash, bodies);
    rows.add(head.id, head.seq + 1, bodies, hashes);
    head.seq += bodies.length;
    head.hash = hashes[hashes.length - 1] as string;
    if (change === undefined) {
      if (head.owner === null) advance.get(head.id, head.seq, head.hash, at);
    } else {
      if (isAtRest(change.status)) head.owner = null;
      advanceAndList.get(head.id, head.seq, head.hash, at, change.status, change.reason, head.owner);
      if (isAtRest(change.status)) {
        heads.forget(run);
        chain.add("rested", run, head.seq, head.hash);
      }
    }
    waiting.record(run, before, waits);
    wake(run);
  }

  function lost(run: RunId, expectedSeq: number, seq: number): Appended {
    if (expectedSeq > seq + 1) {
      throw pawlError(JOURNAL_ERRORS, "JOURNAL_SEQ_AHEAD", { run, expected: expectedSeq, next: seq + 1 });
    }
    rows.flush();
    return { appended: false, winner: reader.read(run, expectedSeq - 1, Number.MAX_SAFE_INTEGER) };
  }

  return {
    create(run, created, plan, { bodies, at, change, waits }) {
      hosts.register();
      if (heads.get(run) !== undefined) return false;
      const { status, reason } = change ?? { status: "queued", reason: null };
      const owner = isAtRest(status) ? null : hosts.self();
      const hashes = hashesOf(chainStart(run), bodies);
      const seq = bodies.length;
      const hash = hashes[seq - 1] as string;
      const planId = plans.idOf(plan);
      const under = listedUnder(created);
      const row: SqlValue[] = [run, created.blueprint, planId, status, reason, under, created.at, at, seq, hash, owner];
      const id = Number(insertRun.run(...row).lastInsertRowid);
      rows.add(id, 1, bodies, hashes);
      chain.add("created", run, seq, hash);
      if (owner !== null) heads.set(run, { id, seq, hash, owner });
      waiting.record(run, 0, waits);
      wake(run);
      return true;
    },
    append(run, expectedSeq, entry) {
      hosts.register();
      const head = heads.get(run);
      if (head === undefined) throw pawlError(JOURNAL_ERRORS, "JOURNAL_RUN_UNKNOWN", { run });
      if (head.seq !== expectedSeq - 1) return lost(run, expectedSeq, head.seq);
      store(run, head, entry);
      return { appended: true, seq: head.seq };
    },
  };
}

/** The chain value of each event. */
function hashesOf(previous: string, bodies: readonly string[]): readonly string[] {
  let hash = previous;
  return bodies.map((body) => {
    hash = chainNext(hash, body);
    return hash;
  });
}
