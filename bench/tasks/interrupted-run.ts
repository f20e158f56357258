/** An interrupted run: one process dies in the body of its last stage, another goes on with it. */
import { createStageMeter } from "../meter.ts";
import type { StoreSession, System } from "../system.ts";
import type { ResumeReport, TaskOf } from "./task.ts";

export async function performCrash(system: System<StoreSession>, task: TaskOf<"crash">): Promise<never> {
  const inner = createStageMeter();
  const meter = {
    body(run: string): string {
      if (inner.stages() === task.stages - 1) process.kill(process.pid, "SIGKILL");
      return inner.body(run);
    },
  };
  const session = await system.open({ dir: task.dir, variant: task.variant, concurrency: 1, meter });
  await session.run({ stages: task.stages, shape: task.shape, end: "succeeded" });
  throw new Error("the run ended although its process had to die");
}

export async function performResume(system: System<StoreSession>, task: TaskOf<"resume">): Promise<ResumeReport> {
  const inner = createStageMeter();
  let bodyAt = Number.NaN;
  const meter = {
    body(run: string): string {
      if (Number.isNaN(bodyAt)) bodyAt = performance.now();
      return inner.body(run);
    },
  };
  const start = performance.now();
  const session = await system.open({ dir: task.dir, variant: task.variant, concurrency: 1, meter });
  const run = await session.resume();
  const events = await session.show(run);
  await session.close();
  return { resumeMs: bodyAt - start, events };
}
