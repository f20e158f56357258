/** An engine whose runs keep files of other systems true, where they came from one. Others pay nothing for it. */
import { isPawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Engine, Hosted, NewRun } from "../../ports/engine.ts";
import type { Store } from "../../ports/store/store.ts";
import { isTerminal } from "../../run/reasons.ts";
import type { ProjectionParts } from "./project.ts";

interface EngineParts extends Omit<ProjectionParts, "journal"> {
  readonly clock: Pick<Clock, "now">;
}

export function projectedEngine(engine: Engine, store: Store, parts: EngineParts): Engine {
  const whole = { ...parts, journal: store.journal };
  const watched = async (hosted: Hosted, plan: Plan | undefined): Promise<Hosted> =>
    plan?.origin === undefined ? hosted : (await import("./project.ts")).projectHosted(whole, hosted, plan);
  const planOf = async (run: RunId): Promise<Plan | undefined> => {
    const row = await store.runs.get(run);
    return row === undefined ? undefined : store.journal.plan(row.plan);
  };
  /** Nobody hosted it, so nobody else makes its files true. */
  const endedHere = async (run: RunId): Promise<void> => {
    const row = await store.runs.get(run);
    const plan = row === undefined || !isTerminal(row.status) ? undefined : await store.journal.plan(row.plan);
    if (plan?.origin !== undefined) await (await import("./project.ts")).rebuild(whole, run, plan);
  };
  return {
    ...engine,
    async start(run) {
      const isTick = run.plan.origin?.door === "pattern";
      const hosted = await engine.start(run).catch(async (error: unknown) => {
        if (isTick && isPawlError(error) && error.code === "RUN_KILL_SWITCH") await refused(parts, run, error.message);
        throw error;
      });
      if (isTick) await settle(store, parts, run);
      return watched(hosted, run.plan);
    },
    async resume(run, options) {
      const hosted = await engine.resume(run, options).catch(async (error: unknown) => {
        // Only a tick: of other systems the files may be those of a newer run by now.
        if ((await planOf(run))?.origin?.door === "pattern") await endedHere(run);
        throw error;
      });
      return watched(hosted, await planOf(run));
    },
    wake: async (run, options) => watched(await engine.wake(run, options), await planOf(run)),
    answer: async (run, answer) => engine.answer(run, answer).then(() => endedHere(run)),
    tend: async (run) => engine.tend(run).then(() => endedHere(run)),
    kill: async (run, request) => engine.kill(run, request).then(() => endedHere(run)),
    async cancel(run, by) {
      const answer = await engine.cancel(run, by);
      if (answer === "ended") await endedHere(run);
      return answer;
    },
  };
}

/** What ticks before this one have left to be written. It does not keep this one from going on. */
async function settle(store: Store, parts: EngineParts, { run, plan }: NewRun): Promise<void> {
  try {
    await (await import("./pattern/settle-past.ts")).settlePast(store, parts.texts, plan.name, run);
  } catch (error) {
    parts.onNote(run, error instanceof Error ? error.message : String(error));
  }
}

/** A tick that may not begin leaves its line too. */
async function refused(parts: EngineParts, { run, plan }: NewRun, why: string): Promise<void> {
  try {
    await (await import("./pattern/projector.ts")).writeRefused(parts.texts, plan, run, why, parts.clock.now());
  } catch (error) {
    parts.onNote(run, error instanceof Error ? error.message : String(error));
  }
}

/** Makes the files of a run again, where it keeps some. */
export async function rebuildFiles(
  { runs, journal }: Store,
  run: RunId,
  parts: Omit<ProjectionParts, "journal">,
): Promise<boolean> {
  const row = await runs.get(run);
  const plan = row === undefined ? undefined : await journal.plan(row.plan);
  return plan?.origin !== undefined && (await import("./project.ts")).rebuild({ ...parts, journal }, run, plan);
}
