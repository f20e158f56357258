/** Load: throughput, latency, CPU and bytes of short runs at one concurrency. */
import { createStageMeter, type StageMeter } from "../meter.ts";
import { quantile } from "../statistics.ts";
import type { RunRequest, Session, System } from "../system.ts";
import { driveLoad } from "./drive-load.ts";
import type { LoadReport, TaskOf } from "./task.ts";

const WARM_UP_STAGES = 5000;

export async function performLoad(system: System<Session>, task: TaskOf<"load">): Promise<LoadReport> {
  const meter = createStageMeter();
  const session = await system.open({ dir: task.dir, variant: task.variant, concurrency: task.concurrency, meter });
  const request: RunRequest = { stages: task.stages, shape: "line", end: "succeeded" };
  await warmUp(session, meter, task, request);
  const warmUpStages = meter.stages();
  meter.reset();

  const cpu = process.cpuUsage();
  const start = performance.now();
  const runs = await driveLoad(session, meter, {
    concurrency: task.concurrency,
    request,
    goOn: (started) => started < task.concurrency || performance.now() - start < task.durationMs,
  });
  const wallMs = performance.now() - start;
  const used = process.cpuUsage(cpu);

  await session.close();
  const latencies = meter.latencies();
  return {
    facts: session.facts,
    runs,
    stages: meter.stages(),
    wallMs,
    cpuUs: used.user + used.system,
    p50Us: quantile(latencies, 0.5),
    p99Us: quantile(latencies, 0.99),
    storedStages: warmUpStages + meter.stages(),
  };
}

/** Until the code is compiled: by time, and longer on a busy machine, where little was run in that time. */
async function warmUp(session: Session, meter: StageMeter, task: TaskOf<"load">, request: RunRequest): Promise<void> {
  const start = performance.now();
  const concurrency = Math.min(task.concurrency, 16);
  const goOn = (): boolean => {
    const spentMs = performance.now() - start;
    return spentMs < task.warmUpMs || (meter.stages() < WARM_UP_STAGES && spentMs < 3 * task.warmUpMs);
  };
  await driveLoad(session, meter, { concurrency, request, goOn });
}
