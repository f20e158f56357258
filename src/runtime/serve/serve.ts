/** Serving: the duties of one process for all loops of a project. Any number of such processes share what is stored. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pawlError } from "../../base/errors.ts";
import type { ProjectFile } from "../../blueprint/project/project-file.ts";
import type { Weight } from "../../limits/admission/admission.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LoopStore } from "../../ports/loops/loop-store.ts";
import { loadProject, PROJECT_FILE } from "../loops/load-project.ts";
import type { Machine } from "../machine/machine.ts";
import { statePaths } from "../paths.ts";
import type { Runtime } from "../runtime.ts";
import { createAnsweredDuty } from "./duties/answered-duty.ts";
import type { Duty } from "./duties/duty.ts";
import { createKeeper } from "./duties/keeper.ts";
import { createUnblocker } from "./duties/unblocker.ts";
import { SERVE_ERRORS } from "./errors.ts";
import { createFiring } from "./firing.ts";
import { giveBackMemory } from "./give-back.ts";
import { createAdmission } from "./jobs/admission.ts";
import type { Fence } from "./jobs/fence.ts";
import { createWorker } from "./jobs/worker.ts";
import type { News, Tell } from "./news.ts";
import { announceServer, withdrawServer } from "./presence.ts";
import { problemOf, problemsError } from "./problem.ts";
import { createScheduler } from "./scheduler.ts";
import { createLoopReader, type ServedLoop } from "./served-loop.ts";
import { createHooks } from "./triggers/hooks.ts";
import { readOwnWrites } from "./triggers/own-writes.ts";
import { readFilesState } from "./triggers/read-files.ts";
import { createWatcher } from "./triggers/watcher.ts";

export interface ServeParts {
  readonly root: string;
  readonly runtime: Runtime;
  readonly loops: LoopStore;
  readonly clock: Clock;
  /** The clock of leases. */
  readonly uptime: () => number;
  readonly fence: Fence;
  readonly readRef: (ref: string) => Promise<string | null>;
  /** What runs on this machine and has said what it takes. */
  readonly machine: (total: () => Weight | null) => Promise<Machine>;
}

export interface ServeOptions {
  /** Of webhooks; 0: any that is free. */
  readonly port: number;
  /** For so long a process that stands still keeps its runs. */
  readonly leaseMs: number;
  /** Whether it goes on with runs that rest until a time, where the project wants that. */
  readonly autoResume: boolean;
  readonly by: string;
  readonly tell: (news: News) => void;
}

export interface Serve {
  /** Rejects when pawl.yaml cannot be read or names no loop. */
  start(): Promise<void>;
  /** Fires what is due, runs it, and what it makes due; resolves when nothing is left to do now. */
  once(): Promise<void>;
  /** Begins nothing more, leaves every run resumable, and closes everything. Idempotent. */
  stop(): Promise<void>;
}

export function createServe(parts: ServeParts, options: ServeOptions): Serve {
  const { clock, runtime, loops } = parts;
  const project = createProject(parts);
  const tell: Tell = (news) => options.tell({ ...news, at: clock.now() });
  const unblocker = createUnblocker({ ...parts, ...options, writers: loops.writers, tell });
  const { duties, scheduler, hooks, admission, endTime } = createDuties(parts, options, project, tell);
  let stopping: Promise<void> | null = null;

  async function stop(): Promise<void> {
    await withdrawServer(loops.admissions).catch(() => undefined);
    const stops = [unblocker, ...duties].map((duty) => duty.stop());
    await runtime.drain();
    await Promise.allSettled(stops);
    for (const each of [admission, loops, runtime]) await each.close();
    tell({ type: "serve.stopped" });
  }

  return {
    async start() {
      await unblocker.start();
      await project.read();
      if (project.loops().size === 0) throw pawlError(SERVE_ERRORS, "SERVE_NO_LOOPS", { file: PROJECT_FILE });
      await announceServer(loops.admissions);
      for (const duty of duties) await duty.start();
      tell({ type: "serve.ready", loops: project.loops().size, url: hooks.url(), next: scheduler.next() });
      giveBackMemory();
    },
    async once() {
      // What comes due while it runs is for whoever comes next: a loop that is always due would never let it end.
      endTime();
      for (let any = true; any; ) {
        any = false;
        for (const duty of duties) any = (await duty.once()) || any;
      }
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function createDuties(
  parts: ServeParts,
  { port, leaseMs, autoResume, by }: ServeOptions,
  project: Project,
  tell: Tell,
) {
  const { root, runtime, clock, uptime, fence, readRef } = parts;
  const { jobs, slots, board } = parts.loops;
  const { coordination } = runtime;
  const admission = createAdmission({ coordination, machine: parts.machine, total: project.machine });
  let horizon = Number.POSITIVE_INFINITY;
  const now = (): number => Math.min(clock.now(), horizon);
  const endTime = (): void => {
    horizon = clock.now();
  };
  const { loops } = project;
  const firing = createFiring({ slots, jobs, now, tell, row: runtime.row, onSubmitted: () => worker.poke() });
  const scheduler = createScheduler({ slots, firing, now, tell, clock, loops });
  const worker = createWorker({
    ...{ runtime, jobs, slots, board, loops, clock, uptime, fence, leaseMs, admission, by, tell },
    onFree: scheduler.poke,
    onParked: () => keeper.poke(),
  });
  const hooks = createHooks({ root, port, firing, now, tell, loops });
  const readFiles = async (globs: readonly string[]): Promise<string> =>
    readFilesState(root, globs, await readOwnWrites(statePaths(root).state));
  const watcher = createWatcher({ slots, firing, clock, tell, loops, readRef, readFiles });
  const reread = async (): Promise<void> => {
    if (!(await project.hasChanged())) return;
    try {
      await project.read();
      await scheduler.reload();
      await watcher.reload();
      await hooks.reload();
      tell({ type: "serve.reloaded", loops: loops().size, url: hooks.url() });
      giveBackMemory();
    } catch (error) {
      // What was read before stands.
      tell({ type: "serve.problem", ...problemOf(error) });
    }
  };
  const keeper = createKeeper({ runtime, autoResume, clock, by, tell, reread, worker: `serve ${process.pid}` });
  const answered = createAnsweredDuty({ runtime, jobs, loops, clock, tell, onSubmitted: () => worker.poke() });
  const duties: readonly Duty[] = [scheduler, watcher, hooks, worker, answered, keeper];
  return { duties, scheduler, hooks, admission, endTime };
}

interface Project {
  machine(): Weight | null;
  loops(): ReadonlyMap<string, ServedLoop>;
  read(): Promise<void>;
  hasChanged(): Promise<boolean>;
}

function createProject({ root, loops: { jobs } }: ServeParts): Project {
  let found: ReadonlyMap<string, ServedLoop> = new Map();
  let machine: Weight | null = null;
  let state = "";
  const stateOf = async (): Promise<string> => {
    const { size, mtimeMs, ino } = await stat(join(root, PROJECT_FILE)).catch(() => ({ size: 0, mtimeMs: 0, ino: 0 }));
    return `${size} ${mtimeMs} ${ino}`;
  };
  return {
    machine: () => machine,
    loops: () => found,
    async read() {
      state = await stateOf();
      const file = await projectFile(root);
      for (const { name, max } of file.lanes) await jobs.declare(name, max);
      machine = file.machine;
      const served = createLoopReader();
      found = new Map(file.loops.map((loop) => [loop.name, served(loop)]));
    },
    hasChanged: async () => state !== (await stateOf()),
  };
}

async function projectFile(root: string): Promise<Pick<ProjectFile, "loops" | "lanes" | "machine">> {
  const { file } = await loadProject(root);
  if (file === null) return { loops: [], lanes: [], machine: null };
  if (!file.ok) throw problemsError(file.problems);
  return file.value;
}
