/**
 * Jobs: the durable queue of the runs that shall be, for every process of a project. Callers of a lane take turns (src/limits/lane),
 * priority decides among the jobs of one caller, and of each lane no more run at once than its bound allows.
 *
 *   submit ──▶ queued ──── claim ────▶ running ── finish ──▶ done
 *                │  ▲                   │    │
 *             cancel └──── giveBack ────┘    └── its worker is gone, or late: the next claim has it, with a higher token
 *                ▼
 *            cancelled
 */
import type { RunId } from "../../base/ids.ts";
import type { Weight } from "../../limits/admission/admission.ts";
import type { Holder } from "../store/run-index.ts";

export interface Job {
  /** Names the job for ever: what is submitted again under it is the same job. */
  readonly id: string;
  readonly lane: string;
  readonly caller: string;
  readonly loop: string;
  /** Derived from the id: whoever is late finds that the run is there. */
  readonly run: RunId;
  /** Among the jobs of one caller, the higher is first. */
  readonly priority: number;
  readonly weight: Weight;
  readonly paths: readonly string[];
  readonly queuedAt: number;
}

export interface Submission extends Omit<Job, "queuedAt"> {
  /** How many turns the caller has for each one of a caller with a share of 1, from 1 to 16. */
  readonly share?: number;
}

export type JobState = "queued" | "running" | "done" | "cancelled";

export interface Submitted {
  /** false: it was there before, and is as it was. */
  readonly isNew: boolean;
  readonly state: JobState;
  /** How many are served until this one is, counted from 1; null unless it is queued. */
  readonly position: number | null;
}

export interface ClaimAsk {
  /** Only of these, those before others; every lane if not given. */
  readonly lanes?: readonly string[];
  readonly at: number;
  /** For so long it stays with this worker without `renew`, measured on a clock that nobody sets. */
  readonly leaseMs: number;
  /** Ids of the jobs that this process works on. What else it has was neither finished nor given back, and comes again. All that it has if not given. */
  readonly worksOn?: readonly string[];
}

export interface Claim {
  readonly job: Job;
  /** Rises with each claim of the job: whoever has an older one can neither renew nor finish. */
  readonly token: number;
  /** Somebody has had it before: its run may be there already. */
  readonly isAgain: boolean;
  /** Processes that had it, were late and live still: to be ended before anything is done for the run. */
  readonly evict: readonly Holder[];
}

export interface JobRow extends Job {
  readonly state: JobState;
  readonly token: number;
  /** When it was claimed last; null: never. */
  readonly begunAt: number | null;
  /** Who runs it; null unless it runs and that process lives. */
  readonly holder: Holder | null;
}

export interface QueueRow extends JobRow {
  /** null: it runs. */
  readonly position: number | null;
  /** In how many milliseconds it is likely to begin; null: it runs, or nobody knows. */
  readonly etaMs: number | null;
}

export interface LaneRow {
  readonly lane: string;
  readonly max: number;
  readonly running: number;
  readonly queued: number;
  /** Ended in the last hour. */
  readonly perHour: number;
  /** How long the last ones took; null: none has ended. */
  readonly meanMs: number | null;
}

export interface QueueQuery {
  readonly lane?: string;
  readonly at: number;
  /** Most jobs of each lane. */
  readonly limit: number;
}

export interface Queue {
  readonly lanes: readonly LaneRow[];
  /** Lane by lane: those that run, then those that wait in the order they will be served. */
  readonly jobs: readonly QueueRow[];
}

export interface Jobs {
  /** Queues the job durably; the first to submit an id wins. Rejects with LANE_JOB_INVALID, JOURNAL_*. */
  submit(job: Submission, at: number): Promise<Submitted>;
  /**
   * The next job that this process shall run, or null. What a process had that is gone comes first, at once; likewise what one that lives
   * has not renewed in time, nor in a third of the lease after a claim has seen that. Its cost does not grow with the jobs that are over.
   */
  claim(ask: ClaimAsk): Promise<Claim | null>;
  /** Keeps a claim for this long from now. false: it is another's, or over; nothing more may be done for it. */
  renew(id: string, token: number, leaseMs: number): Promise<boolean>;
  /** The job is over. false: it is another's, or was over; nothing changes. */
  finish(id: string, token: number, at: number): Promise<boolean>;
  /** Queues it again, and not to be claimed for this long (a minute at most); its caller gets the turn back. false: as `finish`. */
  giveBack(id: string, token: number, delayMs: number): Promise<boolean>;
  /** Takes a job out of the queue. Rejects with LANE_JOB_RUNNING, LANE_JOB_OVER, LANE_JOB_UNKNOWN. */
  cancel(id: string): Promise<void>;
  get(id: string): Promise<JobRow | null>;
  /** The first job of a run; null: it has none. */
  ofRun(run: RunId): Promise<Job | null>;
  queue(query: QueueQuery): Promise<Queue>;
  /** What the project file says. It counts when it says something else than before: until then what `resize` said stands. */
  declare(lane: string, max: number): Promise<void>;
  /** Changes how many run at once, from the next claim on; what runs goes on. 0: nothing begins. Rejects with LANE_SIZE_INVALID. */
  resize(lane: string, max: number): Promise<void>;
}
