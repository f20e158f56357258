/** Jobs in memory. */
import { pawlError } from "../../../base/errors.ts";
import { etaMs, MEAN_OF, PACE_MS } from "../../../limits/lane/forecast.ts";
import { keepOf } from "../../../limits/lane/lateness.ts";
import { jobProblem, sizeProblem } from "../../../limits/lane/requests.ts";
import type { Claim, ClaimAsk, JobRow, Jobs, LaneRow, Queue, QueueQuery, QueueRow } from "../../../ports/loops/jobs.ts";
import { LANE_ERRORS } from "../../../ports/loops/lane-errors.ts";
import { holderOf, type LoopState, laneOf, type MemoryJob, type MemoryLane, type Worker } from "./loop-state.ts";

interface JobsParts {
  readonly state: LoopState;
  readonly self: Worker;
  readonly guarded: <T>(work: () => T) => Promise<T>;
  readonly uptime: () => number;
}

const LONGEST_DELAY_MS = 60_000;

export function createMemoryJobs(parts: JobsParts): Jobs {
  const { state, guarded, uptime } = parts;

  const setLane = (lane: string, max: number, set: (lane: MemoryLane) => void): Promise<void> =>
    guarded(() => {
      if (sizeProblem(max)) throw pawlError(LANE_ERRORS, "LANE_SIZE_INVALID", { lane, max });
      set(laneOf(state, lane));
    });

  return {
    submit: (submission, at) =>
      guarded(() => {
        const problem = jobProblem(submission);
        if (problem !== null) throw pawlError(LANE_ERRORS, "LANE_JOB_INVALID", { job: submission.id, problem });
        const { share, ...job } = submission;
        const { queue } = laneOf(state, job.lane);
        const isNew = !state.jobs.has(job.id);
        if (isNew) {
          const made = newJob({ ...job, paths: [...job.paths], queuedAt: at });
          state.jobs.set(job.id, made);
          made.seq = queue.push(entryOf(made), share);
        }
        const { state: now } = state.jobs.get(job.id) as MemoryJob;
        return { isNew, state: now, position: queue.position(job.id) };
      }),
    claim: (ask) => guarded(() => claim(parts, ask)),
    renew: (id, token, leaseMs) =>
      guarded(() =>
        withHeld(parts, id, token, (job) => {
          Object.assign(job, { lease: uptime() + leaseMs, late: null });
        }),
      ),
    finish: (id, token, at) =>
      guarded(() =>
        withHeld(parts, id, token, (job) => {
          job.state = "done";
          job.worker = null;
          laneOf(state, job.job.lane).ended.push({ at, tookMs: Math.max(0, uptime() - job.begun) });
        }),
      ),
    giveBack: (id, token, delayMs) =>
      guarded(() =>
        withHeld(parts, id, token, (job) => {
          job.state = "queued";
          job.worker = null;
          job.ready = uptime() + Math.min(delayMs, LONGEST_DELAY_MS);
          laneOf(state, job.job.lane).queue.putBack(entryOf(job), job.seq);
        }),
      ),
    cancel: (id) => guarded(() => cancel(state, id)),
    get: (id) =>
      guarded(() => {
        const job = state.jobs.get(id);
        return job === undefined ? null : rowOf(job);
      }),
    ofRun: (run) =>
      guarded(() => [...state.jobs.values()].map(({ job }) => job).find((job) => job.run === run) ?? null),
    queue: (query) => guarded(() => queueOf(state, query)),
    declare: (name, max) =>
      setLane(name, max, (lane) => {
        if (lane.declared === max) return;
        lane.declared = max;
        lane.max = max;
      }),
    resize: (name, max) =>
      setLane(name, max, (lane) => {
        lane.max = max;
      }),
  };
}

const entryOf = (value: MemoryJob) => ({
  id: value.job.id,
  caller: value.job.caller,
  priority: value.job.priority,
  value,
});

function newJob(job: MemoryJob["job"]): MemoryJob {
  const times = { lease: 0, late: null, ready: 0, begun: 0, begunAt: null };
  return { job, seq: 0, state: "queued", token: 0, worker: null, evicted: [], ...times };
}

function claim(parts: JobsParts, ask: ClaimAsk): Claim | null {
  const { state, self, uptime } = parts;
  const isAsked = (name: string): boolean => ask.lanes?.includes(name) !== false;
  const isFree = (job: MemoryJob): boolean => {
    if (job.worker === null || !isAsked(job.job.lane)) return false;
    if (job.worker === self) return ask.worksOn?.includes(job.job.id) === false;
    const keep = keepOf({ isAlive: job.worker.alive, lease: job.lease, late: job.late }, uptime(), ask.leaseMs);
    if (keep === "suspect") job.late = uptime();
    return keep === "free";
  };
  const lost = [...state.jobs.values()].find(isFree);
  if (lost !== undefined) return hold(parts, lost, ask);
  for (const name of ask.lanes ?? [...state.lanes.keys()].sort()) {
    const { max, queue } = laneOf(state, name);
    const next = runningIn(state, name).length < max ? queue.take(({ value }) => value.ready <= uptime()) : null;
    if (next !== null) return hold(parts, next.value, ask);
  }
  return null;
}

function hold({ self, uptime }: JobsParts, job: MemoryJob, { at, leaseMs }: ClaimAsk): Claim {
  const isAgain = job.token > 0;
  const before = [...job.evicted, ...(job.worker === null ? [] : [job.worker])];
  job.evicted = before.filter((worker) => worker !== self && worker.alive);
  const now = uptime();
  Object.assign(job, { state: "running", worker: self, lease: now + leaseMs, late: null, begun: now, begunAt: at });
  job.token += 1;
  return { job: job.job, token: job.token, isAgain, evict: job.evicted.map(holderOf) };
}

/** Only for the store that has it, with its token. */
function withHeld({ state, self }: JobsParts, id: string, token: number, work: (job: MemoryJob) => void): boolean {
  const job = state.jobs.get(id);
  if (job?.worker !== self || job.token !== token) return false;
  work(job);
  return true;
}

function cancel(state: LoopState, id: string): void {
  const job = state.jobs.get(id);
  if (job === undefined) throw pawlError(LANE_ERRORS, "LANE_JOB_UNKNOWN", { job: id });
  if (job.state === "running") throw pawlError(LANE_ERRORS, "LANE_JOB_RUNNING", { job: id, run: job.job.run });
  if (laneOf(state, job.job.lane).queue.remove(id) === null) throw pawlError(LANE_ERRORS, "LANE_JOB_OVER", { job: id });
  job.state = "cancelled";
}

function rowOf({ job, state, token, worker, begunAt }: MemoryJob): JobRow {
  return { ...job, state, token, begunAt, holder: worker?.alive === true ? holderOf(worker) : null };
}

function runningIn({ jobs }: LoopState, lane: string): readonly MemoryJob[] {
  return [...jobs.values()].filter(({ job, state }) => state === "running" && job.lane === lane);
}

function queueOf(state: LoopState, { lane: only, at, limit }: QueueQuery): Queue {
  const names = [...state.lanes.keys()].filter((name) => only === undefined || name === only).sort();
  const lanes = names.map((name) => laneRow(state, name, at));
  const jobs = lanes.flatMap((lane) => {
    const running = runningIn(state, lane.lane).slice(0, limit);
    const waiting = laneOf(state, lane.lane).queue.first(limit - running.length);
    return [
      ...running.map((job): QueueRow => ({ ...rowOf(job), position: null, etaMs: null })),
      ...waiting.map(({ value }, i): QueueRow => ({ ...rowOf(value), position: i + 1, etaMs: etaMs(i + 1, lane) })),
    ];
  });
  return { lanes, jobs };
}

function laneRow(state: LoopState, name: string, at: number): LaneRow {
  const { max, queue, ended } = laneOf(state, name);
  const last = ended.slice(-MEAN_OF);
  const sum = last.reduce((ms, { tookMs }) => ms + tookMs, 0);
  return {
    lane: name,
    max,
    running: runningIn(state, name).length,
    queued: queue.size(),
    perHour: ended.filter((end) => end.at > at - PACE_MS && end.at <= at).length,
    meanMs: last.length === 0 ? null : Math.round(sum / last.length),
  };
}
