/** Clears away what runs that are over left behind; nothing of a run that may go on is touched. */
import type { AgentHomes } from "../ports/agents/agent-homes.ts";
import type { Clock } from "../ports/clock.ts";
import type { Executor } from "../ports/executor.ts";
import type { Store } from "../ports/store/store.ts";
import type { SweepReport, SweepRequest, Trees } from "../ports/trees.ts";
import { isTerminal } from "../run/reasons.ts";

export interface SweepParts {
  readonly trees: Trees;
  readonly executor: Pick<Executor, "kept" | "leave">;
  readonly agentHomes: Pick<AgentHomes, "kept" | "leave">;
  readonly clock: Clock;
}

export const NOTHING_SWEPT: SweepReport = {
  ...{ workspaces: 0, stuck: 0, refs: 0 },
  ...{ objectsBefore: 0, objectsAfter: 0, bytesBefore: 0, bytesAfter: 0 },
};

export async function sweepAll(
  { trees, executor, agentHomes, clock }: SweepParts,
  store: Store,
  options: Pick<SweepRequest, "before" | "dryRun">,
): Promise<SweepReport> {
  const known = statusIn(store);
  const report = await trees.sweep({ ...options, known, at: clock.now() });
  if (options.dryRun === true) return report;
  for (const part of [executor, agentHomes])
    for (const run of await part.kept()) if ((await known(run)) !== "open") await part.leave(run);
  return report;
}

function statusIn(store: Store): SweepRequest["known"] {
  return async (run) => {
    const row = await store.runs.get(run);
    if (row === undefined) return "unknown";
    return isTerminal(row.status) && row.holder === null ? "ended" : "open";
  };
}
