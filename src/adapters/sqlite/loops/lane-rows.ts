/** The lanes and their callers on SQLite: who is next is one place of an index. */
import { type Caller, costOf, tagOnArrival } from "../../../limits/lane/fair-share.ts";
import { MEAN_OF, PACE_MS, USUAL_MAX } from "../../../limits/lane/forecast.ts";
import type { LaneRow } from "../../../ports/loops/jobs.ts";
import type { Database } from "../driver.ts";

/** What a claim reads; a test explains them. */
export const LANES_SQL = {
  waiting: `SELECT caller AS name, tag, share, queued, since FROM lane_callers
    WHERE lane = ?1 AND queued > 0 ORDER BY tag, since`,
  running: "SELECT count(*) AS n FROM jobs WHERE lane = ?1 AND state = 'running'",
} as const;

/** More of an hour are not counted. */
const MOST_COUNTED = 10_000;

export interface LaneRows {
  /** Makes the lane if it is not there. */
  open(lane: string): void;
  names(): readonly string[];
  /** How many more may begin. */
  room(lane: string): number;
  setMax(lane: string, max: number): void;
  declare(lane: string, max: number): void;
  /** Those with something queued, who is next first. */
  waiting(lane: string): readonly Caller[];
  /** One more waits; `seq` is the number of its job. */
  join(lane: string, name: string, seq: number, share?: number): void;
  /** One less waits. */
  leave(lane: string, name: string): void;
  /** The caller has its turn; those that were passed over do not save theirs. */
  serve(lane: string, caller: Caller, passed: readonly Caller[]): void;
  /** Takes back what the last turn cost. */
  refund(lane: string, name: string): void;
  row(lane: string, at: number): LaneRow;
}

export function createLaneRows(db: Database): LaneRows {
  const open = db.prepare(
    "INSERT INTO lanes(lane, max, declared, tag) VALUES(?1, ?2, NULL, 0) ON CONFLICT(lane) DO NOTHING",
  );
  const find = db.prepare<{ max: number; declared: number | null; tag: number }>(
    "SELECT max, declared, tag FROM lanes WHERE lane = ?1",
  );
  const names = db.prepare<{ lane: string }>("SELECT lane FROM lanes ORDER BY lane");
  const setMax = db.prepare("UPDATE lanes SET max = ?2 WHERE lane = ?1");
  const setDeclared = db.prepare("UPDATE lanes SET declared = ?2, max = ?2 WHERE lane = ?1 AND declared IS NOT ?2");
  const setTag = db.prepare("UPDATE lanes SET tag = max(tag, ?2) WHERE lane = ?1");
  const running = db.prepare<{ n: number }>(LANES_SQL.running);
  const waiting = db.prepare<Caller>(LANES_SQL.waiting);
  const callerOf = db.prepare<Caller>(
    "SELECT caller AS name, tag, share, queued, since FROM lane_callers WHERE lane = ?1 AND caller = ?2",
  );
  const put = db.prepare(
    `INSERT INTO lane_callers(lane, caller, tag, share, queued, since) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT(lane, caller) DO UPDATE SET
       tag = excluded.tag, share = excluded.share, queued = excluded.queued, since = excluded.since`,
  );
  const paceOf = createPace(db);
  const save = (lane: string, { name, tag, share, queued, since }: Caller): void => {
    put.run(lane, name, tag, share, queued, since);
  };
  const change = (lane: string, name: string, by: (caller: Caller) => Caller): void => {
    const caller = callerOf.get(lane, name);
    if (caller !== undefined) save(lane, by(caller));
  };
  const countRunning = (lane: string): number => running.get(lane)?.n ?? 0;
  const maxOf = (lane: string): number => find.get(lane)?.max ?? USUAL_MAX;
  const tagOf = (lane: string): number => find.get(lane)?.tag ?? 0;

  return {
    open: (lane) => open.run(lane, USUAL_MAX),
    names: () => names.all().map(({ lane }) => lane),
    room: (lane) => maxOf(lane) - countRunning(lane),
    setMax: (lane, max) => setMax.run(lane, max),
    declare: (lane, max) => setDeclared.run(lane, max),
    waiting: (lane) => waiting.all(lane),
    join(lane, name, seq, share) {
      const before = callerOf.get(lane, name) ?? { name, tag: 0, share: 1, queued: 0, since: seq };
      const arrived = { tag: tagOnArrival(before.tag, tagOf(lane)), since: seq };
      save(lane, {
        ...before,
        ...(before.queued === 0 ? arrived : {}),
        share: share ?? before.share,
        queued: before.queued + 1,
      });
    },
    leave: (lane, name) => change(lane, name, (caller) => ({ ...caller, queued: caller.queued - 1 })),
    serve(lane, caller, passed) {
      save(lane, { ...caller, tag: caller.tag + costOf(caller.share), queued: caller.queued - 1 });
      for (const other of passed) save(lane, { ...other, tag: tagOnArrival(other.tag, caller.tag) });
      setTag.run(lane, caller.tag);
    },
    refund: (lane, name) => change(lane, name, (caller) => ({ ...caller, tag: caller.tag - costOf(caller.share) })),
    row: (lane, at) => ({ lane, max: maxOf(lane), running: countRunning(lane), ...paceOf(lane, at) }),
  };
}

type Pace = Omit<LaneRow, "lane" | "max" | "running">;

function createPace(db: Database): (lane: string, at: number) => Pace {
  const queued = db.prepare<{ n: number | null }>("SELECT sum(queued) AS n FROM lane_callers WHERE lane = ?1");
  const pace = db.prepare<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM jobs
       WHERE lane = ?1 AND state = 'done' AND ended_at > ?2 AND ended_at <= ?3 LIMIT ${MOST_COUNTED})`,
  );
  const mean = db.prepare<{ ms: number | null }>(
    `SELECT avg(took_ms) AS ms FROM (SELECT took_ms FROM jobs
       WHERE lane = ?1 AND state = 'done' ORDER BY ended_at DESC LIMIT ${MEAN_OF})`,
  );
  return (lane, at) => {
    const ms = mean.get(lane)?.ms ?? null;
    return {
      queued: queued.get(lane)?.n ?? 0,
      perHour: pace.get(lane, at - PACE_MS, at)?.n ?? 0,
      meanMs: ms === null ? null : Math.round(ms),
    };
  };
}
