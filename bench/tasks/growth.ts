/** Growth: what a stage costs in runs of a given length, one run at a time. */
import { createStageMeter } from "../meter.ts";
import { median, sum } from "../statistics.ts";
import type { Session, System } from "../system.ts";
import { driveLoad, runsOf } from "./drive-load.ts";
import type { GrowthReport, TaskOf } from "./task.ts";

const WARM_UP_STAGES = 2000;

export async function performGrowth(system: System<Session>, task: TaskOf<"growth">): Promise<GrowthReport> {
  const meter = createStageMeter();
  const session = await system.open({ dir: task.dir, variant: task.variant, concurrency: 1, meter });
  const warmUp = runsOf(WARM_UP_STAGES / 10, 1, { stages: 10, shape: task.shape, end: "succeeded" });
  await driveLoad(session, meter, warmUp);
  meter.reset();
  const cpu = process.cpuUsage();
  await driveLoad(session, meter, runsOf(task.runs, 1, { stages: task.stages, shape: task.shape, end: "succeeded" }));
  const used = process.cpuUsage(cpu);
  const stages = meter.stages();
  const latencies = meter.latencies();
  await session.close();
  const tenth = Math.max(1, Math.floor(latencies.length / 10));
  return {
    stages,
    meanUs: sum(latencies) / latencies.length,
    p50Us: median(latencies),
    cpuUs: (used.user + used.system) / stages,
    lastOverFirst: median(latencies.slice(-tenth)) / median(latencies.slice(0, tenth)),
  };
}
