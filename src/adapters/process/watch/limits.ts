/** What a stage may use, held against what it was seen to use. */
import { formatDuration } from "../../../base/duration.ts";
import { formatBytes } from "../../../base/size.ts";
import type { Resources } from "../../../plan/plan.ts";
import type { Ending } from "../classify.ts";
import type { Tree, TreeSample } from "./tree.ts";

/** Why the stage must end now; null: it keeps its limits. What a second look at the tree says costs more and is asked only when it matters. */
export function exceeded(
  limits: Resources,
  sample: TreeSample,
  tree: Pick<Tree, "together" | "sharedMemory">,
): Ending | null {
  const { memoryBytes, cpuMs, processes } = limits;
  if (processes !== null && sample.processes > processes && tree.together() > processes)
    return tooManyProcesses(processes);
  if (cpuMs !== null && sample.cpuMs > cpuMs) {
    const used = formatDuration(Math.round(sample.cpuMs));
    return overused("resource", `${formatDuration(cpuMs)} of processor time, ${used} so far`);
  }
  if (memoryBytes === null || sample.memoryBytes <= memoryBytes) return null;
  const used = tree.sharedMemory();
  return used <= memoryBytes ? null : tooMuchMemory(memoryBytes, used);
}

export function tooMuchMemory(limit: number, used: number): Ending {
  return overused("oom", `${formatBytes(limit)} of memory, ${formatBytes(used)} at the end`);
}

export function tooManyProcesses(limit: number): Ending {
  return overused("resource", `${limit} ${limit === 1 ? "process" : "processes"} at the same time`);
}

export function tooMuchOutput(limit: number): Ending {
  return overused("resource", `${formatBytes(limit)} of output`);
}

/** Whoever breaks a limit is killed without being asked: it would only use more. */
function overused(cause: "oom" | "resource", what: string): Ending {
  return { cause, what: `was ended: it used more than ${what}`, isSudden: true };
}
