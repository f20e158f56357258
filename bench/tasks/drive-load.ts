/** driveLoad: keeps `concurrency` runs under way, each lane starting its next run when the one before has ended. */
import type { StageMeter } from "../meter.ts";
import type { RunRequest, Session } from "../system.ts";

export interface LoadPlan {
  readonly concurrency: number;
  readonly request: RunRequest;
  /** Asked before each start with the number of runs started so far. */
  readonly goOn: (started: number) => boolean;
}

/** Resolves with the number of runs when all that were started have ended. */
export async function driveLoad(session: Session, meter: StageMeter, plan: LoadPlan): Promise<number> {
  let started = 0;
  const lane = async (): Promise<void> => {
    while (plan.goOn(started)) {
      started += 1;
      meter.ended(await session.run(plan.request));
    }
  };
  await Promise.all(Array.from({ length: plan.concurrency }, lane));
  return started;
}

/** The plan that runs a fixed number of runs. */
export function runsOf(count: number, concurrency: number, request: RunRequest): LoadPlan {
  return { concurrency, request, goOn: (started) => started < count };
}
