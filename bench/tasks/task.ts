/** Task: what one measured process does, and what it reports. Everything is plain JSON: it crosses a process border. */
import type { Shape } from "../system.ts";

interface SystemChoice {
  /** Module of the system, relative to `bench/`. */
  readonly module: string;
  readonly variant: string;
  readonly dir: string;
}

export type Task = SystemChoice &
  (
    | {
        readonly kind: "load";
        readonly concurrency: number;
        readonly durationMs: number;
        readonly warmUpMs: number;
        readonly stages: number;
      }
    | { readonly kind: "memory"; readonly runs: number; readonly concurrency: number }
    | {
        readonly kind: "growth";
        readonly shape: Shape;
        /** Shortest first. */
        readonly lengths: readonly number[];
        /** Stages of each length and direction, at least one run. */
        readonly stagesPerPass: number;
      }
    | { readonly kind: "queries"; readonly sizes: readonly number[] }
    /** Never reports: the process kills itself in the body of the last stage. */
    | { readonly kind: "crash"; readonly stages: number; readonly shape: Shape }
    | { readonly kind: "resume" }
  );
export type TaskOf<K extends Task["kind"]> = Extract<Task, { kind: K }>;

export interface LoadReport {
  readonly facts: Readonly<Record<string, string>>;
  readonly runs: number;
  readonly stages: number;
  readonly wallMs: number;
  readonly cpuUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Stages the store holds, with those of the warm-up. */
  readonly storedStages: number;
}

export interface MemoryReport {
  readonly runs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

export interface GrowthReport {
  /** Stages in a run. */
  readonly stages: number;
  /** From a stage body to the next, creation of the run left out. */
  readonly meanUs: number;
  readonly p50Us: number;
  readonly cpuUs: number;
  /** Mean of the last tenth of the stages over that of the first tenth. */
  readonly lastOverFirst: number;
}

export interface QuerySample {
  readonly runs: number;
  readonly listMs: number;
  readonly listFailedMs: number;
  readonly listDeepMs: number;
  readonly showMs: number;
}

export interface ResumeReport {
  /** From loading and opening the system to the body of the stage that was interrupted. */
  readonly resumeMs: number;
  readonly events: number;
}

export interface Reports {
  readonly load: LoadReport;
  readonly memory: MemoryReport;
  readonly growth: readonly GrowthReport[];
  readonly queries: readonly QuerySample[];
  readonly crash: never;
  readonly resume: ResumeReport;
}
