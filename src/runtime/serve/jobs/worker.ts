/** The worker: claims jobs of every lane, keeps its claims, and hosts their runs. */
import { isPawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import { RENEWALS } from "../../../limits/lane/lateness.ts";
import { isResumeJob } from "../../../loops/lane/resume-job.ts";
import { noteRefusal } from "../../../loops/lane/resume-refusal.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Board } from "../../../ports/loops/board.ts";
import type { Claim, Jobs } from "../../../ports/loops/jobs.ts";
import type { Slots } from "../../../ports/loops/slots.ts";
import type { Holder } from "../../../ports/store/run-index.ts";
import type { Runtime } from "../../runtime.ts";
import type { Duty } from "../duties/duty.ts";
import type { Tell } from "../news.ts";
import { problemOf } from "../problem.ts";
import { type ServedLoop, slotOf } from "../served-loop.ts";
import type { Admission } from "./admission.ts";
import type { Fence } from "./fence.ts";
import { hostJob, type JobEnd } from "./host-job.ts";

export interface WorkerParts {
  readonly runtime: Pick<Runtime, "compile" | "start" | "resume" | "row" | "evict">;
  readonly jobs: Jobs;
  readonly slots: Pick<Slots, "over" | "standing">;
  readonly board: Board;
  readonly loops: () => ReadonlyMap<string, ServedLoop>;
  readonly clock: Clock;
  readonly uptime: () => number;
  readonly fence: Fence;
  readonly leaseMs: number;
  readonly admission: Admission;
  readonly by: string;
  readonly tell: Tell;
  /** The loop of a job is free again. */
  readonly onFree: (loop: string) => void;
  /** A run rests until a time. */
  readonly onParked: () => void;
}

export interface Worker extends Duty {
  /** There may be a job. */
  poke(): void;
}

/** The run of a process that was killed is gone on with within a second. A look that finds nothing writes nothing. */
const POLL_MS = 500;
/** What must wait for others is tried again then. */
const PUT_OFF_MS = 5000;
/** Of a lease, where one has failed. */
const HURRIED_RENEWALS = 10;
/** A run that another process has for a moment is tried again then. */
const SOON_MS = 300;
/** Nothing begins while the kill switch is on. */
const KILLED_MS = 60_000;

export function createWorker(parts: WorkerParts): Worker {
  const { jobs, clock, leaseMs, tell } = parts;
  /** By the id of the job. */
  const hosted = new Map<string, Promise<void>>();
  /** A run may have two jobs: the one that began it, and one for each answer. */
  const runs = new Set<RunId>();
  let cancel: (() => void) | null = null;
  let claiming: Promise<boolean> | null = null;
  let again = false;
  let stopped = false;

  function work(): Promise<boolean> {
    again = true;
    claiming ??= claimAll().finally(() => {
      claiming = null;
      cancel?.();
      if (!stopped) cancel = clock.after(Math.min(POLL_MS, leaseMs / 3), () => void work());
    });
    return claiming;
  }

  /** Resolves to whether anything was claimed. */
  async function claimAll(): Promise<boolean> {
    let any = false;
    while (again && !stopped) {
      again = false;
      const worksOn = [...hosted.keys()];
      const found = await jobs.claim({ at: clock.now(), leaseMs, worksOn }).catch((error: unknown) => {
        tell({ type: "serve.problem", ...problemOf(error) });
        return null;
      });
      if (found === null) break;
      const { id } = found.job;
      hosted.set(
        id,
        work1(found).finally(() => hosted.delete(id)),
      );
      any = again = true;
    }
    return any;
  }

  async function work1(claim: Claim): Promise<void> {
    const { id, run } = claim.job;
    const isBusy = runs.has(run);
    runs.add(run);
    const work = isBusy ? jobs.giveBack(id, claim.token, PUT_OFF_MS) : workOn(parts, claim);
    await work.catch((error: unknown) => tell({ type: "serve.problem", ...problemOf(error) }));
    if (!isBusy) runs.delete(run);
  }

  return {
    name: "worker",
    async start() {
      await work();
    },
    async once() {
      const any = await work();
      const busy = hosted.size > 0;
      await Promise.all(hosted.values());
      return any || busy;
    },
    async stop() {
      stopped = true;
      cancel?.();
      await claiming;
      await Promise.all(hosted.values());
    },
    poke: () => void work(),
  };
}

async function workOn(parts: WorkerParts, claim: Claim): Promise<void> {
  const { jobs, fence, uptime, leaseMs, admission, tell, clock } = parts;
  const { job, token } = claim;
  const { run, loop } = job;
  const keeper = keepClaim(parts, claim);
  fence.hold(run, uptime() + leaseMs);
  try {
    for (const holder of claim.evict) await evict(parts, holder, run);
    if (await isTaken(parts, claim)) {
      await jobs.finish(job.id, token, clock.now());
      return;
    }
    const why = await whyNotNow(parts, claim);
    if (why !== null) {
      tell({ type: "run.put-off", loop, run, why });
      await jobs.giveBack(job.id, token, PUT_OFF_MS);
      return;
    }
    tell({ type: "run.began", loop, run, again: claim.isAgain || isResumeJob(job) });
    const { renew } = keeper;
    await settle(parts, claim, await hostJob({ ...parts, renew }, job));
  } catch (error) {
    await failed(parts, claim, error);
  } finally {
    keeper.stop();
    fence.release(run);
    await admission.leave(claim);
  }
}

async function failed(parts: WorkerParts, claim: Claim, error: unknown): Promise<void> {
  const { jobs, tell, clock } = parts;
  const { job, token } = claim;
  const againMs = againAfter(error);
  const isRefused = againMs === null && isResumeJob(job);
  if (isRefused) await refuse(parts, claim, problemOf(error));
  else tell({ type: "loop.failed", loop: job.loop, ...problemOf(error) });
  if (againMs !== null) await jobs.giveBack(job.id, token, againMs);
  else if (await jobs.finish(job.id, token, clock.now())) await free(parts, claim);
}

/** Said once: the job is over. What is stored says it to whoever asks why nothing happens. */
async function refuse(
  { runtime, board, tell, clock }: WorkerParts,
  { job }: Claim,
  { code, message }: ReturnType<typeof problemOf>,
): Promise<void> {
  const { loop, run } = job;
  tell({ type: "run.refused", loop, run, code, message });
  const row = await runtime.row(run);
  if (row !== undefined) await noteRefusal(board, run, { events: row.events, code, what: message, at: clock.now() });
}

/** Somebody else has taken up the answered run since: it is theirs, also when their process is gone by now. */
async function isTaken({ runtime }: WorkerParts, { job, isAgain }: Claim): Promise<boolean> {
  if (!isResumeJob(job)) return false;
  const row = await runtime.row(job.run);
  return row?.status === "running" && (row.holder !== null || !isAgain);
}

/** What is in the way and passes (another process has the store, whoever had the run lives) leaves what was due still due; null: it is over. */
function againAfter(error: unknown): number | null {
  if (!isPawlError(error)) return null;
  if (error.code === "RUN_KILL_SWITCH") return KILLED_MS;
  return error.problems.every(({ retry }) => retry === "safe") ? PUT_OFF_MS : null;
}

/** null: it may begin. Of a loop one slot is open; what a person asked for besides waits in the queue until it is the one. */
async function whyNotNow({ slots, loops, admission }: WorkerParts, claim: Claim): Promise<string | null> {
  const { job } = claim;
  // Its slot is over since it began to wait.
  if (isResumeJob(job)) return admission.enterAgain(claim);
  const served = loops().get(job.loop);
  if (served === undefined) return null;
  const open = (await slots.standing(job.loop))?.open ?? null;
  if (open !== null && open.slot !== slotOf(job)) return "another run of this loop is open";
  return admission.enter(claim, served);
}

async function settle(parts: WorkerParts, claim: Claim, end: JobEnd): Promise<void> {
  const { jobs, tell, clock, onParked } = parts;
  const { job, token } = claim;
  const { run, loop } = job;
  if (end.kind === "lost" && isResumeJob(job)) {
    await jobs.giveBack(job.id, token, SOON_MS);
    return;
  }
  if (end.kind === "drained") {
    await jobs.giveBack(job.id, token, 0);
    return;
  }
  const isOurs = end.kind === "ended" && (await jobs.finish(job.id, token, clock.now()));
  if (end.kind === "lost" || !isOurs) {
    tell({ type: "run.lost", loop, run });
    // Whoever hosts it may have no claim to it, as a person who resumes it: then the job is still ours, and looked at again.
    await jobs.giveBack(job.id, token, PUT_OFF_MS);
    return;
  }
  tell({ type: "run.ended", loop, run, status: end.status, reason: end.reason });
  // What rests until a time goes on by itself: it is not over.
  if (end.isParked) onParked();
  else await free(parts, claim);
}

async function free({ slots, onFree }: WorkerParts, { job }: Claim): Promise<void> {
  if (isResumeJob(job)) return;
  await slots.over(job.loop, slotOf(job));
  onFree(job.loop);
}

/** Whoever had the run and stands still is ended, and only then does anything happen for it here. */
async function evict({ runtime, tell }: WorkerParts, holder: Holder, run: string): Promise<void> {
  if (await runtime.evict(holder)) tell({ type: "host.ended", pid: holder.pid, run });
}

interface Keeping {
  renew(): Promise<boolean>;
  stop(): void;
}

function keepClaim({ jobs, fence, uptime, leaseMs, clock, admission }: WorkerParts, claim: Claim): Keeping {
  const { job, token } = claim;
  let stopped = false;
  let cancel: () => void = () => undefined;
  const renew = async (): Promise<boolean> => {
    const from = uptime();
    const isOurs = (await jobs.renew(job.id, token, leaseMs)) && (await admission.renew(claim));
    if (isOurs && !stopped) fence.hold(job.run, from + leaseMs);
    return isOurs;
  };
  const next = (ms: number): void => {
    cancel = clock.after(ms, () => void again());
  };
  /** Soon again where the store could not be written, or only after a while: the fence stands from when it was asked. */
  const again = async (): Promise<void> => {
    const from = uptime();
    const isKept = await renew().catch(() => false);
    const isInTime = isKept && uptime() - from < leaseMs / RENEWALS;
    if (!stopped) next(isInTime ? leaseMs / RENEWALS : leaseMs / HURRIED_RENEWALS);
  };
  next(leaseMs / RENEWALS);
  return {
    renew,
    stop() {
      stopped = true;
      cancel();
    },
  };
}
