/** What `pawl.yaml` says that the runs of a loop take. */
import { NO_WEIGHT, type Weight } from "../../limits/admission/admission.ts";
import { loadProject } from "../loops/load-project.ts";

export interface LoopWeight {
  readonly weight: Weight;
  /** What all runs of this machine may take together; null: as much as there is. */
  readonly total: Weight | null;
}

/** `loop`: its name, or its blueprint as written there. A file that cannot be read says nothing here: whoever compiles the loop tells what is wrong with it. */
export async function loopWeight(root: string, loop: string): Promise<LoopWeight> {
  const { file } = await loadProject(root);
  if (file === null || !file.ok) return { weight: NO_WEIGHT, total: null };
  const found = file.value.loops.find(({ name, source }) => name === loop || source === loop);
  return { weight: found?.weight ?? NO_WEIGHT, total: file.value.machine };
}
