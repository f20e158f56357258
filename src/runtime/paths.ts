/** Where things live below a project root. `.pawl/` is ours; nothing else is written unless a stage's effect says so. */
import { join } from "node:path";

export interface StatePaths {
  readonly state: string;
  readonly artifacts: string;
  readonly temp: string;
}

export function statePaths(root: string): StatePaths {
  const state = join(root, ".pawl");
  return { state, artifacts: join(state, "artifacts"), temp: join(state, "tmp") };
}
