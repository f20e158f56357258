/** The jobs on SQLite: one row each, kept when it is over, so that an id names one job for ever. */
import { canonical, type JsonObject } from "../../../base/json.ts";
import type { Job, JobState, Submission } from "../../../ports/loops/jobs.ts";
import type { Database } from "../driver.ts";

/** What a claim reads; a test explains them. */
export const JOBS_SQL = {
  next: `SELECT * FROM jobs WHERE lane = ?1 AND caller = ?2 AND state = 'queued' AND (ready <= ?3 OR ready > ?4)
    ORDER BY priority DESC, id LIMIT 1`,
  running: "SELECT * FROM jobs WHERE state = 'running' ORDER BY lane, id",
  last: `SELECT id FROM jobs WHERE lane = ?1 AND caller = ?2 AND state = 'queued' ORDER BY priority, id DESC LIMIT 1`,
} as const;

/** No job is kept back longer; what says more was written before the machine began anew. */
export const LONGEST_DELAY_MS = 60_000;

export interface JobRecord {
  /** Its number in the order of arrival. */
  readonly id: number;
  readonly job: string;
  readonly lane: string;
  readonly caller: string;
  readonly body: string;
  readonly priority: number;
  readonly queued_at: number;
  readonly state: JobState;
  readonly token: number;
  readonly worker: string | null;
  /** Workers that had it and were late, as a list in JSON. */
  readonly evicted: string;
  readonly lease: number;
  /** When it was first seen late since it was renewed last. */
  readonly late: number | null;
  /** On the clock of leases. */
  readonly begun: number;
  readonly begun_at: number | null;
}

export interface Held {
  readonly worker: string;
  readonly evicted: readonly string[];
  readonly lease: number;
  readonly begun: number;
  readonly begunAt: number;
}

export interface JobRows {
  find(job: string): JobRecord | undefined;
  /** The first job of the run. */
  firstOf(run: string): JobRecord | undefined;
  /** The number of the new row; null: the id is taken. */
  insert(job: Submission, at: number): number | null;
  /** The first job of the caller that may be claimed at `now`. */
  next(lane: string, caller: string, now: number): JobRecord | undefined;
  running(): readonly JobRecord[];
  runningIn(lane: string): readonly JobRecord[];
  queuedOf(lane: string, caller: string, most: number): readonly JobRecord[];
  /** How many of its caller are served before it. */
  ahead(row: JobRecord, queued: number): number;
  hold(id: number, held: Held): void;
  renew(job: string, token: number, worker: string, lease: number): boolean;
  suspect(id: number, now: number): void;
  end(id: number, at: number, tookMs: number): void;
  queueAgain(id: number, ready: number): void;
  cancel(id: number): void;
}

export function createJobRows(db: Database): JobRows {
  const find = db.prepare<JobRecord>("SELECT * FROM jobs WHERE job = ?1");
  const firstOf = db.prepare<JobRecord>(
    // In the words of the index.
    "SELECT * FROM jobs WHERE body ->> 'run' = ?1 ORDER BY id LIMIT 1",
  );
  const insert = db.prepare<{ id: number }>(
    `INSERT INTO jobs(job, lane, caller, body, priority, queued_at, state, ready, token, evicted, lease, begun)
     VALUES(?1, ?2, ?3, ?4, ?5, ?6, 'queued', 0, 0, '[]', 0, 0) ON CONFLICT(job) DO NOTHING RETURNING id`,
  );
  const next = db.prepare<JobRecord>(JOBS_SQL.next);
  const last = db.prepare<{ id: number }>(JOBS_SQL.last);
  const running = db.prepare<JobRecord>(JOBS_SQL.running);
  const runningIn = db.prepare<JobRecord>("SELECT * FROM jobs WHERE lane = ?1 AND state = 'running' ORDER BY id");
  const queuedOf = db.prepare<JobRecord>(
    "SELECT * FROM jobs WHERE lane = ?1 AND caller = ?2 AND state = 'queued' ORDER BY priority DESC, id LIMIT ?3",
  );
  const countAhead = db.prepare<{ n: number }>(
    `SELECT count(*) AS n FROM jobs WHERE lane = ?1 AND caller = ?2 AND state = 'queued'
       AND (priority > ?3 OR (priority = ?3 AND id < ?4))`,
  );
  const hold = db.prepare(
    `UPDATE jobs SET state = 'running', token = token + 1, worker = ?2, evicted = ?3, lease = ?4, begun = ?5, begun_at = ?6,
       late = NULL WHERE id = ?1`,
  );
  const renew = db.prepare(
    "UPDATE jobs SET lease = ?4, late = NULL WHERE job = ?1 AND state = 'running' AND token = ?2 AND worker = ?3",
  );
  const suspect = db.prepare("UPDATE jobs SET late = ?2 WHERE id = ?1");
  const end = db.prepare("UPDATE jobs SET state = 'done', worker = NULL, ended_at = ?2, took_ms = ?3 WHERE id = ?1");
  const again = db.prepare("UPDATE jobs SET state = 'queued', worker = NULL, ready = ?2 WHERE id = ?1");
  const cancel = db.prepare("UPDATE jobs SET state = 'cancelled' WHERE id = ?1");

  return {
    find: (job) => find.get(job),
    firstOf: (run) => firstOf.get(run),
    insert(job, at) {
      const { id, lane, caller, priority, loop, run, weight, paths } = job;
      const body = canonical({ loop, run, weight: weight as unknown as JsonObject, paths: [...paths] });
      return insert.get(id, lane, caller, body, priority, at)?.id ?? null;
    },
    next: (lane, caller, now) => next.get(lane, caller, now, now + LONGEST_DELAY_MS),
    running: () => running.all(),
    runningIn: (lane) => runningIn.all(lane),
    queuedOf: (lane, caller, most) => queuedOf.all(lane, caller, most),
    ahead({ id, lane, caller, priority }, queued) {
      const isLast = last.get(lane, caller)?.id === id;
      return isLast ? queued - 1 : (countAhead.get(lane, caller, priority, id)?.n ?? 0);
    },
    hold: (id, { worker, evicted, lease, begun, begunAt }) =>
      hold.run(id, worker, JSON.stringify(evicted), lease, begun, begunAt),
    renew: (job, token, worker, lease) => Number(renew.run(job, token, worker, lease).changes) > 0,
    suspect: (id, now) => suspect.run(id, now),
    end: (id, at, tookMs) => end.run(id, at, tookMs),
    queueAgain: (id, ready) => again.run(id, ready),
    cancel: (id) => cancel.run(id),
  };
}

export function jobOf({ job, lane, caller, body, priority, queued_at: queuedAt }: JobRecord): Job {
  const { loop, run, weight, paths } = JSON.parse(body) as Pick<Job, "loop" | "run" | "weight" | "paths">;
  return { id: job, lane, caller, loop, run, priority, weight, paths, queuedAt };
}
