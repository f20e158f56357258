/** Writes runs and their events. Every function here runs inside a transaction of the group commit. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { canonical } from "../../base/json.ts";
import type { Plan, PlanJson } from "../../plan/plan.ts";
import type { Appended } from "../../ports/journal.ts";
import { JOURNAL_ERRORS } from "../../ports/journal-errors.ts";
import { chainNext, chainStart } from "../../run/chain.ts";
import type { EventOf } from "../../run/events.ts";
import { isAtRest, type RowChange } from "../../run/row.ts";
import type { Database, SqlValue, Statement } from "./driver.ts";
import type { EventReader } from "./event-reader.ts";
import type { Hosts } from "./hosts.ts";

/** Events made ready before the transaction: their canonical text, and what they change in the row of the run. */
export interface Entry {
  readonly bodies: readonly string[];
  readonly at: number;
  readonly change: RowChange | undefined;
}

/** The end of a chain that this process writes to. */
interface Head {
  readonly id: number;
  seq: number;
  hash: string;
  owned: boolean;
}

interface HeadRow {
  readonly id: number;
  readonly head_seq: number;
  readonly head_hash: string;
  readonly owner: string | null;
}

export interface EventWriter {
  create(run: RunId, created: EventOf<"run.created">, plan: Plan, entry: Entry): boolean;
  append(run: RunId, expectedSeq: number, entry: Entry): Appended;
  /** Takes the run if nobody or a dead host has it. The id of the living host that has it, else null. */
  claim(run: RunId): string | null;
  release(run: RunId): void;
  /** Whether the run is held here, as far as can be told without asking the store. */
  owns(run: RunId): boolean;
  /** The same, asking the store. Needs no transaction. */
  isHeldHere(run: RunId): boolean;
  /** Before a commit; completes what the calls above have begun. */
  committing(): void;
  /** After a commit; tells the hosts how far the journal has come. */
  committed(): void;
  rolledBack(): void;
}

/** Runs that are written to at the same time. Beyond it, the oldest is looked up again when it is needed. */
const MOST_HEADS = 20_000;
const MOST_PLANS = 1000;
const ROWS_AT_ONCE = 8;

interface WriterParts {
  readonly db: Database;
  readonly hosts: Hosts;
  readonly reader: EventReader;
  /** The events of this run will have changed when the transaction is over. */
  readonly wake: (run: RunId) => void;
}

export function createEventWriter({ db, hosts, reader, wake }: WriterParts): EventWriter {
  const sql = prepare(db);
  const plans = createPlanIds(db);
  const heads = new Map<RunId, Head>();
  /** Events not yet inserted, four values each. */
  const rows: SqlValue[] = [];
  let newest = 0;

  function find(run: RunId): Head | undefined {
    const row = sql.head.get(run);
    if (row === undefined) return undefined;
    const head = {
      id: row.id,
      seq: row.head_seq,
      hash: row.head_hash,
      owned: row.owner !== null && row.owner === hosts.self(),
    };
    return remember(run, head);
  }

  function remember(run: RunId, head: Head): Head {
    if (heads.size >= MOST_HEADS) heads.delete(heads.keys().next().value as RunId);
    heads.set(run, head);
    return head;
  }

  function insert(id: number, seq: number, bodies: readonly string[], hashes: readonly string[]): void {
    for (let i = 0; i < bodies.length; i += 1) {
      rows.push(id, seq + i, bodies[i] as string, hashes[i] as string);
      if (rows.length === ROWS_AT_ONCE * 4) newest = Number(sql.insertMany.run(...rows.splice(0)).lastInsertRowid);
    }
  }

  /** Events of many calls are inserted together: a call into SQLite costs about as much as the row itself. */
  function insertRest(): void {
    for (let i = 0; i < rows.length; i += 4)
      newest = Number(sql.insertOne.run(...rows.slice(i, i + 4)).lastInsertRowid);
    rows.length = 0;
  }

  function conflict(run: RunId, expectedSeq: number): Appended {
    const seq = sql.head.get(run)?.head_seq;
    if (seq === undefined) throw pawlError(JOURNAL_ERRORS, "JOURNAL_RUN_UNKNOWN", { run });
    if (expectedSeq > seq + 1)
      throw pawlError(JOURNAL_ERRORS, "JOURNAL_SEQ_AHEAD", { run, expected: expectedSeq, next: seq + 1 });
    insertRest();
    return { appended: false, winner: reader.read(run, expectedSeq - 1, Number.MAX_SAFE_INTEGER) };
  }

  /** Moves the pinned head if it still is where this writer believes it to be. */
  function advance(head: Head, seq: number, hash: string, { at, change }: Entry): boolean {
    const moved =
      change === undefined
        ? sql.advance.run(head.id, head.seq, seq, hash, at)
        : sql.advanceAndList.run(
            head.id,
            head.seq,
            seq,
            hash,
            at,
            change.status,
            change.reason,
            isAtRest(change.status) ? 1 : 0,
          );
    return Number(moved.changes) === 1;
  }

  return {
    create(run, created, plan, entry) {
      hosts.register();
      if (sql.head.get(run) !== undefined) return false;
      const status = entry.change?.status ?? "queued";
      const owner = isAtRest(status) ? null : hosts.self();
      const planId = plans.idOf(plan.fingerprint, () => canonical(plan as PlanJson));
      const reason = entry.change?.reason ?? null;
      const parent = created.parent?.run ?? null;
      const hashes = chain(chainStart(run), entry.bodies);
      const seq = hashes.length;
      const hash = hashes[seq - 1] as string;
      const row: SqlValue[] = [
        run,
        created.blueprint,
        planId,
        status,
        reason,
        parent,
        created.at,
        entry.at,
        seq,
        hash,
        owner,
      ];
      const id = Number(sql.create.run(...row).lastInsertRowid);
      insert(id, 1, entry.bodies, hashes);
      if (owner !== null) remember(run, { id, seq, hash, owned: true });
      wake(run);
      return true;
    },
    append(run, expectedSeq, entry) {
      hosts.register();
      let head = heads.get(run);
      if (head?.seq !== expectedSeq - 1) head = find(run);
      if (head?.seq !== expectedSeq - 1) return conflict(run, expectedSeq);
      const hashes = chain(head.hash, entry.bodies);
      const seq = head.seq + hashes.length;
      const hash = hashes[hashes.length - 1] as string;
      if (!advance(head, seq, hash, entry)) {
        heads.delete(run);
        return conflict(run, expectedSeq);
      }
      insert(head.id, expectedSeq, entry.bodies, hashes);
      head.seq = seq;
      head.hash = hash;
      if (entry.change !== undefined && isAtRest(entry.change.status)) heads.delete(run);
      wake(run);
      return { appended: true, seq };
    },
    claim(run) {
      hosts.register();
      const row = sql.head.get(run);
      if (row === undefined) throw pawlError(JOURNAL_ERRORS, "JOURNAL_RUN_UNKNOWN", { run });
      const self = hosts.self();
      if (row.owner !== null && row.owner !== self && hosts.isAlive(row.owner)) return row.owner;
      if (row.owner !== self) sql.own.run(row.id, self);
      remember(run, { id: row.id, seq: row.head_seq, hash: row.head_hash, owned: true });
      return null;
    },
    release(run) {
      heads.delete(run);
      const row = sql.head.get(run);
      if (row !== undefined && row.owner === hosts.self()) sql.own.run(row.id, null);
    },
    isHeldHere: (run) => hosts.self() !== null && sql.head.get(run)?.owner === hosts.self(),
    owns: (run) => heads.get(run)?.owned === true,
    committing: insertRest,
    committed() {
      if (newest > 0) hosts.note(newest);
      newest = 0;
    },
    rolledBack() {
      newest = 0;
      rows.length = 0;
      heads.clear();
      plans.forget();
    },
  };
}

/** The chain value of each event. */
function chain(previous: string, bodies: readonly string[]): readonly string[] {
  let hash = previous;
  return bodies.map((body) => {
    hash = chainNext(hash, body);
    return hash;
  });
}

interface WriteStatements {
  readonly head: Statement<HeadRow>;
  readonly create: Statement<unknown>;
  readonly own: Statement<unknown>;
  readonly advance: Statement<unknown>;
  readonly advanceAndList: Statement<unknown>;
  readonly insertOne: Statement<unknown>;
  readonly insertMany: Statement<unknown>;
}

function prepare(db: Database): WriteStatements {
  return {
    head: db.prepare("SELECT id, head_seq, head_hash, owner FROM runs WHERE run = ?1"),
    create:
      db.prepare(`INSERT INTO runs(run, blueprint, plan, status, reason, parent, created_at, updated_at, head_seq, head_hash, owner)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`),
    own: db.prepare("UPDATE runs SET owner = ?2 WHERE id = ?1"),
    advance: db.prepare(
      "UPDATE runs SET head_seq = ?3, head_hash = ?4, updated_at = ?5 WHERE id = ?1 AND head_seq = ?2",
    ),
    advanceAndList:
      db.prepare(`UPDATE runs SET head_seq = ?3, head_hash = ?4, updated_at = ?5, status = ?6, reason = ?7,
      owner = CASE WHEN ?8 THEN NULL ELSE owner END WHERE id = ?1 AND head_seq = ?2`),
    insertOne: db.prepare("INSERT INTO events(run, seq, body, hash) VALUES(?1, ?2, ?3, ?4)"),
    insertMany: db.prepare(
      `INSERT INTO events(run, seq, body, hash) VALUES ${Array(ROWS_AT_ONCE).fill("(?, ?, ?, ?)").join(", ")}`,
    ),
  };
}

interface PlanIds {
  /** The row of the plan, stored now if it is new. */
  idOf(fingerprint: string, body: () => string): number;
  forget(): void;
}

function createPlanIds(db: Database): PlanIds {
  const select = db.prepare<{ id: number }>("SELECT id FROM plans WHERE fingerprint = ?1");
  const insert = db.prepare("INSERT INTO plans(fingerprint, body) VALUES(?1, ?2)");
  const known = new Map<string, number>();
  return {
    idOf(fingerprint, body) {
      const found =
        known.get(fingerprint) ??
        select.get(fingerprint)?.id ??
        Number(insert.run(fingerprint, body()).lastInsertRowid);
      if (known.size >= MOST_PLANS) known.clear();
      known.set(fingerprint, found);
      return found;
    },
    forget: () => known.clear(),
  };
}
