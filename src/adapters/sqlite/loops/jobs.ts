/** Jobs on SQLite. Each claim is decided inside one transaction: of any number of processes that ask, one has the job. */
import { pawlError } from "../../../base/errors.ts";
import { type Caller, nextTurns, servedBefore } from "../../../limits/lane/fair-share.ts";
import { etaMs } from "../../../limits/lane/forecast.ts";
import { type Keep, keepOf } from "../../../limits/lane/lateness.ts";
import { jobProblem, sizeProblem } from "../../../limits/lane/requests.ts";
import type {
  Claim,
  ClaimAsk,
  JobRow,
  Jobs,
  Queue,
  QueueQuery,
  QueueRow,
  Submission,
  Submitted,
} from "../../../ports/loops/jobs.ts";
import { LANE_ERRORS } from "../../../ports/loops/lane-errors.ts";
import { createJobRows, type JobRecord, type JobRows, jobOf, LONGEST_DELAY_MS } from "./job-rows.ts";
import { createLaneRows, type LaneRows } from "./lane-rows.ts";
import type { LoopParts } from "./loop-parts.ts";

interface Kept extends LoopParts {
  readonly rows: JobRows;
  readonly lanes: LaneRows;
}

export function createSqliteJobs(parts: LoopParts): Jobs {
  const { db, commits, guarded, becomeHost, uptime } = parts;
  const kept: Kept = { ...parts, rows: createJobRows(db), lanes: createLaneRows(db) };
  const { rows, lanes } = kept;

  const setLane = (lane: string, max: number, set: (lane: string, max: number) => void): Promise<void> =>
    commits.run(() => {
      if (sizeProblem(max)) throw pawlError(LANE_ERRORS, "LANE_SIZE_INVALID", { lane, max });
      return () => {
        lanes.open(lane);
        set(lane, max);
      };
    });

  return {
    submit: (job, at) =>
      commits.run(() => {
        const problem = jobProblem(job);
        if (problem !== null) throw pawlError(LANE_ERRORS, "LANE_JOB_INVALID", { job: job.id, problem });
        return () => submit(kept, job, at);
      }),
    claim: (ask) =>
      commits.run(() => {
        becomeHost();
        return () => claim(kept, ask);
      }),
    renew: (id, token, leaseMs) =>
      commits.run(() => () => rows.renew(id, token, parts.hosts.self() ?? "", uptime() + leaseMs)),
    finish: (id, token, at) =>
      commits.run(
        () => () => withHeld(kept, id, token, (row) => rows.end(row.id, at, Math.max(0, uptime() - row.begun))),
      ),
    giveBack: (id, token, delayMs) =>
      commits.run(() => () => withHeld(kept, id, token, (row) => giveBack(kept, row, delayMs))),
    cancel: (id) => commits.run(() => () => cancel(kept, id)),
    get: (id) =>
      guarded(() => {
        const row = rows.find(id);
        return row === undefined ? null : jobRow(kept, row);
      }),
    ofRun: (run) =>
      guarded(() => {
        const row = rows.firstOf(run);
        return row === undefined ? null : jobOf(row);
      }),
    queue: (query) => guarded(() => queueOf(kept, query)),
    declare: (lane, max) => setLane(lane, max, lanes.declare),
    resize: (lane, max) => setLane(lane, max, lanes.setMax),
  };
}

function submit({ rows, lanes }: Kept, job: Submission, at: number): Submitted {
  const seq = rows.insert(job, at);
  if (seq !== null) {
    lanes.open(job.lane);
    lanes.join(job.lane, job.caller, seq, job.share);
  }
  const row = rows.find(job.id) as JobRecord;
  const position = row.state === "queued" ? positionOf(rows, lanes, row) : null;
  return { isNew: seq !== null, state: row.state, position };
}

function positionOf(rows: JobRows, lanes: LaneRows, row: JobRecord): number {
  const callers = lanes.waiting(row.lane);
  const own = callers.find(({ name }) => name === row.caller) as Caller;
  return 1 + servedBefore(callers, own, rows.ahead(row, own.queued));
}

function claim(kept: Kept, ask: ClaimAsk): Claim | null {
  const { hosts, lanes } = kept;
  hosts.register();
  const names = ask.lanes ?? lanes.names();
  const lost = takeOver(kept, ask);
  if (lost !== null) return lost;
  for (const lane of names) {
    const next = lanes.room(lane) > 0 ? takeNext(kept, ask, lane) : null;
    if (next !== null) return next;
  }
  return null;
}

/** A job whose worker is gone, has not renewed in time, or is this process and not at it. */
function takeOver(kept: Kept, ask: ClaimAsk): Claim | null {
  const { hosts, rows, uptime } = kept;
  const lives = remembered(hosts.isAlive);
  for (const row of rows.running()) {
    if (ask.lanes?.includes(row.lane) === false) continue;
    const keep = keepIn(row, ask, { self: hosts.self(), lives, now: uptime() });
    if (keep === "suspect") rows.suspect(row.id, uptime());
    if (keep === "free") return hold(kept, row, ask);
  }
  return null;
}

interface Looking {
  readonly self: string | null;
  readonly lives: (worker: string) => boolean;
  readonly now: number;
}

function keepIn({ job, worker, lease, late }: JobRecord, ask: ClaimAsk, { self, lives, now }: Looking): Keep {
  if (worker === self) return ask.worksOn?.includes(job) === false ? "free" : "kept";
  return keepOf({ isAlive: worker !== null && lives(worker), lease, late }, now, ask.leaseMs);
}

/** To ask the system whether a process lives takes a while. */
function remembered(ask: (worker: string) => boolean): (worker: string) => boolean {
  const known = new Map<string, boolean>();
  return (worker) => {
    const answer = known.get(worker) ?? ask(worker);
    known.set(worker, answer);
    return answer;
  };
}

function takeNext(kept: Kept, ask: ClaimAsk, lane: string): Claim | null {
  const { rows, lanes, uptime } = kept;
  const passed: Caller[] = [];
  for (const caller of lanes.waiting(lane)) {
    const row = rows.next(lane, caller.name, uptime());
    if (row === undefined) {
      passed.push(caller);
      continue;
    }
    lanes.serve(lane, caller, passed);
    return hold(kept, row, ask);
  }
  return null;
}

function hold({ rows, hosts, uptime }: Kept, row: JobRecord, ask: ClaimAsk): Claim {
  const now = uptime();
  const before = [...(JSON.parse(row.evicted) as readonly string[]), ...(row.worker === null ? [] : [row.worker])];
  const evicted = before.filter((worker) => worker !== hosts.self() && hosts.isAlive(worker));
  rows.hold(row.id, { worker: hosts.self() ?? "", evicted, lease: now + ask.leaseMs, begun: now, begunAt: ask.at });
  const evict = evicted.map((id) => hosts.holder(id)).filter((holder) => holder !== null);
  return { job: jobOf(row), token: row.token + 1, isAgain: row.token > 0, evict };
}

/** Only for the worker that has it, with its token. */
function withHeld({ rows, hosts }: Kept, id: string, token: number, work: (row: JobRecord) => void): boolean {
  const row = rows.find(id);
  if (row?.state !== "running" || row.token !== token || row.worker !== hosts.self()) return false;
  work(row);
  return true;
}

function giveBack({ rows, lanes, uptime }: Kept, row: JobRecord, delayMs: number): void {
  rows.queueAgain(row.id, uptime() + Math.min(delayMs, LONGEST_DELAY_MS));
  lanes.refund(row.lane, row.caller);
  lanes.join(row.lane, row.caller, row.id);
}

function cancel({ rows, lanes }: Kept, id: string): void {
  const row = rows.find(id);
  if (row === undefined) throw pawlError(LANE_ERRORS, "LANE_JOB_UNKNOWN", { job: id });
  if (row.state === "running") throw pawlError(LANE_ERRORS, "LANE_JOB_RUNNING", { job: id, run: jobOf(row).run });
  if (row.state !== "queued") throw pawlError(LANE_ERRORS, "LANE_JOB_OVER", { job: id });
  rows.cancel(row.id);
  lanes.leave(row.lane, row.caller);
}

function jobRow({ hosts }: Kept, row: JobRecord): JobRow {
  const { state, token, worker, begun_at: begunAt } = row;
  const holder = worker !== null && hosts.isAlive(worker) ? hosts.holder(worker) : null;
  return { ...jobOf(row), state, token, begunAt, holder };
}

function queueOf(kept: Kept, { lane: only, at, limit }: QueueQuery): Queue {
  const { lanes } = kept;
  const names = lanes.names().filter((lane) => only === undefined || lane === only);
  const found = names.map((lane) => lanes.row(lane, at));
  const jobs = found.flatMap((lane) => {
    const running = kept.rows.runningIn(lane.lane).slice(0, limit);
    const waiting = waitingIn(kept, lane.lane, limit - running.length);
    return [
      ...running.map((row): QueueRow => ({ ...jobRow(kept, row), position: null, etaMs: null })),
      ...waiting.map((row, i): QueueRow => ({ ...jobRow(kept, row), position: i + 1, etaMs: etaMs(i + 1, lane) })),
    ];
  });
  return { lanes: found, jobs };
}

/** In the order they will be served. */
function waitingIn({ rows, lanes }: Kept, lane: string, most: number): readonly JobRecord[] {
  const turns = nextTurns(lanes.waiting(lane), most);
  const queued = new Map<string, readonly JobRecord[]>();
  for (const { name, index } of turns.toReversed())
    if (!queued.has(name)) queued.set(name, rows.queuedOf(lane, name, index + 1));
  return turns.flatMap(({ name, index }) => queued.get(name)?.[index] ?? []);
}
