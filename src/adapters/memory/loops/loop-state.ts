/** What the stores of loops of one memory share: it outlives each store that is opened on it. */
import type { Waiting } from "../../../limits/admission/admission.ts";
import { createFairQueue, type FairQueue } from "../../../limits/lane/fair-queue.ts";
import { USUAL_MAX } from "../../../limits/lane/forecast.ts";
import type { Job, JobState } from "../../../ports/loops/jobs.ts";
import type { Holder } from "../../../ports/store/run-index.ts";
import type { MemorySchedule } from "./slots.ts";

/** One open store. */
export interface Worker extends Holder {
  alive: boolean;
}

export interface MemoryJob {
  readonly job: Job;
  /** Its number in the order of arrival. */
  seq: number;
  state: JobState;
  token: number;
  worker: Worker | null;
  evicted: readonly Worker[];
  /** On the clock of leases, as `ready` and `begun`. */
  lease: number;
  /** When it was first seen late since it was renewed last. */
  late: number | null;
  ready: number;
  begun: number;
  begunAt: number | null;
}

export interface MemoryLane {
  max: number;
  declared: number | null;
  readonly queue: FairQueue<MemoryJob>;
  /** In the order they ended. */
  readonly ended: { readonly at: number; readonly tookMs: number }[];
}

export interface MemoryAdmission extends Waiting {
  readonly key: string;
  readonly worker: Worker;
  isHeld: boolean;
  passed: number;
  /** When it asked last, on the clock of leases. */
  seen: number;
}

export interface LoopState {
  readonly jobs: Map<string, MemoryJob>;
  readonly lanes: Map<string, MemoryLane>;
  /** Documents of the board, as text. */
  readonly pages: Map<string, string>;
  readonly schedules: Map<string, MemorySchedule>;
  /** Each store that was opened. */
  readonly workers: Worker[];
  /** In the order they came. */
  admissions: readonly MemoryAdmission[];
}

export function holderOf({ pid, hostname, since }: Worker): Holder {
  return { pid, hostname, since };
}

export function createLoopState(): LoopState {
  return { jobs: new Map(), lanes: new Map(), pages: new Map(), schedules: new Map(), workers: [], admissions: [] };
}

/** Makes the lane if it is not there. */
export function laneOf({ lanes }: LoopState, name: string): MemoryLane {
  const lane = lanes.get(name) ?? { max: USUAL_MAX, declared: null, queue: createFairQueue(), ended: [] };
  lanes.set(name, lane);
  return lane;
}
