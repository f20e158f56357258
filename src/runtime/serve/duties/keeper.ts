/** The keeper: goes on with runs whose time has come, and records what has become due of questions. */
import type { RunId } from "../../../base/ids.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Runtime } from "../../runtime.ts";
import type { SweptApprovals } from "../../trust/approvals.ts";
import type { Tell } from "../news.ts";
import { problemOf } from "../problem.ts";
import type { Duty } from "./duty.ts";

export interface KeeperParts {
  readonly runtime: Pick<
    Runtime,
    "autoResume" | "parked" | "onWaiting" | "wake" | "pause" | "sweepApprovals" | "coordination" | "holdAgain"
  >;
  /** Names this process in the queue of merges. */
  readonly worker: string;
  /** Whether runs that rest may go on by themselves; the project has its say too. */
  readonly autoResume: boolean;
  readonly clock: Clock;
  readonly by: string;
  readonly tell: Tell;
  /** Looks at pawl.yaml again. */
  readonly reread: () => Promise<void>;
}

export interface Keeper extends Duty {
  /** A run that was hosted here rests until a time. */
  poke(): void;
}

/** A timer does not count the time in which a machine sleeps. */
const EVERY_MS = 15_000;
/** Between two looks. */
const SPACE_MS = 100;

export function createKeeper({ runtime, autoResume, clock, by, tell, reread, worker }: KeeperParts): Keeper {
  const stop = new AbortController();
  const waking = new Map<string, Promise<void>>();
  let cancel = (): void => undefined;
  let unwatch = (): void => undefined;
  let tending: Promise<boolean> | null = null;
  const merge = createMerger({ runtime, worker, tell });

  const tellFailed = createFailureNews(tell);
  const early = createEarlyLook({ runtime, clock }, autoResume, () => void work());
  const wake = createWaker({ runtime, by, tell }, stop.signal);

  async function wakeDue(): Promise<boolean> {
    const due = (await runtime.parked({ by: clock.now() })).filter(({ run }) => !waking.has(run));
    for (const { run, blueprint } of due)
      waking.set(
        run,
        wake(run, blueprint).finally(() => rested(run)),
      );
    return due.length > 0;
  }

  function rested(run: RunId): void {
    waking.delete(run);
    early.arrange();
  }

  async function tend(): Promise<boolean> {
    early.looks();
    try {
      await reread();
      tellFailed(await runtime.sweepApprovals());
      return autoResume && (await runtime.autoResume()) ? await wakeDue() : false;
    } catch (error) {
      tell({ type: "serve.problem", ...problemOf(error) });
      return false;
    }
  }

  function work(): Promise<boolean> {
    void merge.work();
    tending ??= tend().finally(() => {
      tending = null;
      cancel();
      if (stop.signal.aborted) return;
      cancel = clock.after(EVERY_MS, () => void work());
      early.arrange();
    });
    return tending;
  }

  return {
    name: "keeper",
    async start() {
      unwatch = await runtime.onWaiting(early.arrange);
      await work();
    },
    async once() {
      const any = await work();
      await merge.work();
      await Promise.all(waking.values());
      return any;
    },
    async stop() {
      stop.abort();
      for (const end of [unwatch, cancel, early.stop]) end();
      await tending;
      await merge.underWay();
      await Promise.all(waking.values());
    },
    poke: early.arrange,
  };
}

/** Tells of a run whose questions could not be seen to, once for each reason: it is found again at every look. */
function createFailureNews(tell: Tell) {
  let known: ReadonlyMap<RunId, string> = new Map();
  return ({ failed }: SweptApprovals): void => {
    for (const { run, code, what } of failed)
      if (known.get(run) !== what) tell({ type: "serve.problem", code, message: what });
    known = new Map(failed.map(({ run, what }) => [run, what]));
  };
}

/** A look at the time of the next run that rests: a wait is as long as it was said, and does not end with the next regular look. */
function createEarlyLook(
  { runtime, clock }: Pick<KeeperParts, "runtime" | "clock">,
  isWanted: boolean,
  look: () => void,
) {
  /** Of the newest look. What is later than this is still to come, whatever became of what was due. */
  let lookedAt = 0;
  let isOver = false;
  let cancel = (): void => undefined;

  async function arrange(): Promise<void> {
    const [next] = await runtime.parked({ after: lookedAt, limit: 1 }).catch(() => []);
    const leftMs = (next?.until ?? Number.POSITIVE_INFINITY) - clock.now();
    cancel();
    if (leftMs < EVERY_MS && !isOver) cancel = clock.after(Math.max(SPACE_MS, leftMs), look);
  }

  return {
    /** A look begins. */
    looks(): void {
      lookedAt = clock.now();
    },
    /** Another run may rest. */
    arrange(): void {
      if (isWanted) void arrange();
    },
    stop(): void {
      isOver = true;
      cancel();
    },
  };
}

/** Goes on with a run when its paths are free; nothing is thrown. */
function createWaker({ runtime, by, tell }: Pick<KeeperParts, "runtime" | "by" | "tell">, signal: AbortSignal) {
  async function hold(run: RunId, blueprint: string): ReturnType<Runtime["holdAgain"]> {
    return runtime.holdAgain(run, {
      signal,
      onWait: (why) => tell({ type: "run.put-off", loop: blueprint, run, why }),
      // This process stood still: its run rests before its next stage.
      onLost: () => void runtime.pause(run, by).catch(() => undefined),
    });
  }
  async function goOn(run: RunId, blueprint: string): Promise<void> {
    const held = await hold(run, blueprint);
    if (held === null) return;
    try {
      const handle = await runtime.wake(run, { by, signal });
      tell({ type: "run.woken", run, blueprint });
      await handle.ended;
    } finally {
      await held.leave();
    }
  }
  return async (run: RunId, blueprint: string): Promise<void> => {
    try {
      await goOn(run, blueprint);
    } catch (error) {
      const problem = problemOf(error);
      // Another process was quicker.
      if (signal.aborted || problem.code === "RUN_HELD" || problem.code === "RUN_ENDED") return;
      tell({ type: "loop.failed", loop: blueprint, ...problem });
    }
  };
}

/** One look at the merges at a time. Gates judge there, for as long as they need: nothing else waits for that. */
function createMerger({ runtime, worker, tell }: Pick<KeeperParts, "runtime" | "worker" | "tell">) {
  let merging: Promise<void> | null = null;
  async function mergeAll(): Promise<void> {
    const merged = await (await runtime.coordination()).work({ worker, onStep: () => undefined });
    if (merged > 0) tell({ type: "serve.merged", changes: merged });
  }
  return {
    work(): Promise<void> {
      merging ??= mergeAll()
        .catch((error: unknown) => tell({ type: "serve.problem", ...problemOf(error) }))
        .finally(() => {
          merging = null;
        });
      return merging;
    },
    underWay: async (): Promise<void> => (await merging) ?? undefined,
  };
}
