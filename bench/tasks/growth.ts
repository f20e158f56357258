/**
 * Growth: what a stage costs in runs of several lengths, one run at a time. All lengths are measured in one process and in
 * both orders, short to long and back, so that a machine that grows slower or faster meanwhile favours none.
 */
import { createStageMeter, type StageMeter } from "../meter.ts";
import { median, sum } from "../statistics.ts";
import type { Session, System } from "../system.ts";
import { driveLoad, runsOf } from "./drive-load.ts";
import type { GrowthReport, TaskOf } from "./task.ts";

const WARM_UP_STAGES = 5000;

interface Pass {
  readonly stages: number;
  readonly latencies: readonly number[];
  readonly cpuUs: number;
}

export async function performGrowth(system: System<Session>, task: TaskOf<"growth">): Promise<readonly GrowthReport[]> {
  const meter = createStageMeter();
  const session = await system.open({ dir: task.dir, variant: task.variant, concurrency: 1, meter });
  await driveLoad(session, meter, runsOf(WARM_UP_STAGES / 10, 1, { stages: 10, shape: task.shape, end: "succeeded" }));
  const passes: Pass[] = [];
  for (const stages of [...task.lengths, ...task.lengths.toReversed()]) {
    passes.push(await measurePass(session, meter, task, stages));
  }
  await session.close();
  return task.lengths.map((stages) =>
    summarize(
      stages,
      passes.filter((pass) => pass.stages === stages),
    ),
  );
}

async function measurePass(session: Session, meter: StageMeter, task: TaskOf<"growth">, stages: number): Promise<Pass> {
  await session.prepare({ stages, shape: task.shape, end: "succeeded" });
  meter.reset();
  const runs = Math.max(1, Math.round(task.stagesPerPass / stages));
  const cpu = process.cpuUsage();
  await driveLoad(session, meter, runsOf(runs, 1, { stages, shape: task.shape, end: "succeeded" }));
  const used = process.cpuUsage(cpu);
  return { stages, latencies: meter.latencies(), cpuUs: (used.user + used.system) / meter.stages() };
}

function summarize(stages: number, passes: readonly Pass[]): GrowthReport {
  const latencies = passes.flatMap((pass) => pass.latencies);
  const tenth = Math.max(1, Math.floor(stages / 10));
  const lastOverFirst = passes.map(
    (pass) => median(pass.latencies.slice(-tenth)) / median(pass.latencies.slice(0, tenth)),
  );
  return {
    stages,
    meanUs: sum(latencies) / latencies.length,
    p50Us: median(latencies),
    cpuUs: sum(passes.map((pass) => pass.cpuUs)) / passes.length,
    lastOverFirst: sum(lastOverFirst) / passes.length,
  };
}
