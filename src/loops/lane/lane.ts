/** A lane inside one process: so much work at once, callers take turns, and each knows where it stands. */
import { pawlError } from "../../base/errors.ts";
import { createFairQueue } from "../../limits/lane/fair-queue.ts";
import { etaMs, MEAN_OF, PACE_MS } from "../../limits/lane/forecast.ts";
import { jobProblem, sizeProblem } from "../../limits/lane/requests.ts";
import { LANE_ERRORS } from "../../ports/loops/lane-errors.ts";

export interface LaneOptions {
  /** How much work at once, from 1 to 1000. */
  readonly maxConcurrent: number;
}

export interface WorkOptions {
  /** Whose work it is; all who are not told apart share their turns. */
  readonly caller?: string;
  /** Among the work of one caller, the higher is first. */
  readonly priority?: number;
  /** Turns of the caller for each one of a caller with a share of 1, from 1 to 16. */
  readonly share?: number;
}

export interface Ticket<T> {
  readonly id: string;
  /** How much is served until this is, counted from 1; 0: it has begun. */
  readonly position: number;
  /** Rejects with what the work throws, and with LANE_WORK_CANCELLED. */
  readonly result: Promise<T>;
}

export interface LaneStats {
  readonly maxConcurrent: number;
  readonly running: number;
  readonly queued: number;
  /** How much ended in the last hour. */
  readonly perHour: number;
  /** How long the last took; null: none has ended. */
  readonly meanMs: number | null;
}

export interface Lane {
  /** Queues the work and says where it stands. Throws LANE_JOB_INVALID. */
  submit<T>(work: () => Promise<T> | T, options?: WorkOptions): Ticket<T>;
  /** Queues the work and waits for its result. */
  submitWait<T>(work: () => Promise<T> | T, options?: WorkOptions): Promise<T>;
  /** Takes work out that waits. Throws LANE_WORK_RUNNING and LANE_WORK_OVER. */
  cancel(id: string): void;
  /** As on its ticket, now; null: it is over. */
  position(id: string): number | null;
  /** In how many milliseconds it is likely to begin; null: it is over, or nobody knows. */
  eta(id: string): number | null;
  stats(): LaneStats;
  /** Counts from the next that begins. Throws LANE_SIZE_INVALID. */
  setMaxConcurrent(max: number): void;
}

interface Work {
  readonly id: string;
  begin(): Promise<void>;
  drop(): void;
}

const NOBODY = "nobody";
const MOST_ENDS = 10_000;

/** `now` is a clock that nobody sets. */
export function createLaneOn({ maxConcurrent }: LaneOptions, now: () => number): Lane {
  const queue = createFairQueue<Work>();
  const running = new Set<string>();
  const ended: { readonly at: number; readonly tookMs: number }[] = [];
  let max = checkedSize(maxConcurrent, 1);
  let count = 0;

  function pump(): void {
    while (running.size < max) {
      const next = queue.take();
      if (next === null) return;
      void perform(next.value);
    }
  }

  async function perform(work: Work): Promise<void> {
    const begun = now();
    running.add(work.id);
    await work.begin();
    running.delete(work.id);
    ended.push({ at: now(), tookMs: now() - begun });
    if (ended.length > 2 * MOST_ENDS) ended.splice(0, MOST_ENDS);
    pump();
  }

  function stats(): LaneStats {
    const last = ended.slice(-MEAN_OF);
    const sum = last.reduce((ms, { tookMs }) => ms + tookMs, 0);
    const perHour = ended.filter(({ at }) => at > now() - PACE_MS).length;
    const meanMs = last.length === 0 ? null : sum / last.length;
    return { maxConcurrent: max, running: running.size, queued: queue.size(), perHour, meanMs };
  }

  function submit<T>(work: () => Promise<T> | T, options: WorkOptions = {}): Ticket<T> {
    const { caller = NOBODY, priority = 0, share } = options;
    count += 1;
    const id = `w${count}`;
    const problem = jobProblem({ id, lane: "here", caller, priority, ...(share === undefined ? {} : { share }) });
    if (problem !== null) throw pawlError(LANE_ERRORS, "LANE_JOB_INVALID", { job: id, problem });
    const { promise, value } = workOf(id, work);
    queue.push({ id, caller, priority, value }, share);
    pump();
    return { id, position: positionOf(id) as number, result: promise };
  }

  const positionOf = (id: string): number | null => (running.has(id) ? 0 : queue.position(id));

  return {
    submit,
    submitWait: (work, options) => submit(work, options).result,
    cancel(id) {
      if (running.has(id)) throw pawlError(LANE_ERRORS, "LANE_WORK_RUNNING", { work: id });
      const found = queue.remove(id);
      if (found === null) throw pawlError(LANE_ERRORS, "LANE_WORK_OVER", { work: id });
      found.value.drop();
    },
    position: positionOf,
    eta(id) {
      const position = positionOf(id);
      return position === null ? null : etaMs(position, { ...stats(), max });
    },
    stats,
    setMaxConcurrent(wanted) {
      max = checkedSize(wanted, 0);
      pump();
    },
  };
}

function checkedSize(max: number, least: number): number {
  if (sizeProblem(max) || max < least) throw pawlError(LANE_ERRORS, "LANE_SIZE_INVALID", { lane: "here", max });
  return max;
}

function workOf<T>(id: string, work: () => Promise<T> | T): { promise: Promise<T>; value: Work } {
  let resolve: (value: T) => void;
  let reject: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  // Whoever holds the ticket looks at its result when it likes.
  promise.catch(() => undefined);
  return {
    promise,
    value: {
      id,
      async begin() {
        try {
          // Not before the caller has its ticket.
          await null;
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      },
      drop: () => reject(pawlError(LANE_ERRORS, "LANE_WORK_CANCELLED", { work: id })),
    },
  };
}
