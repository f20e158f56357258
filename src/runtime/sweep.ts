/** Clears away what runs that are over left behind; nothing of a run that may go on is touched. */

import { pawlError } from "../base/errors.ts";
import type { RunId } from "../base/ids.ts";
import type { AgentHomes } from "../ports/agents/agent-homes.ts";
import type { Clock } from "../ports/clock.ts";
import { WORKSPACE_ERRORS } from "../ports/errors/workspace-errors.ts";
import type { Executor } from "../ports/executor.ts";
import type { RunPage } from "../ports/store/run-index.ts";
import type { Store } from "../ports/store/store.ts";
import type { SweepReport, SweepRequest, Trees } from "../ports/trees.ts";
import { isTerminal } from "../run/reasons.ts";

export interface SweepParts {
  readonly trees: Trees;
  readonly executor: Pick<Executor, "kept" | "leave">;
  readonly agentHomes: Pick<AgentHomes, "kept" | "leave">;
  readonly clock: Clock;
}

const PAGE = 500;

export interface Swept extends SweepReport {
  /** Runs that are listed as over and whose journal does not hold: everything of them is kept. */
  readonly damaged: readonly RunId[];
}

export const NOTHING_SWEPT: Swept = {
  ...{ workspaces: 0, stuck: 0, refs: 0, found: 0, unknown: [], damaged: [] },
  ...{ objectsBefore: 0, objectsAfter: 0, bytesBefore: 0, bytesAfter: 0 },
};

export async function sweepAll(
  { trees, executor, agentHomes, clock }: SweepParts,
  store: Store,
  options: Pick<SweepRequest, "before" | "dryRun">,
): Promise<Swept> {
  const { known, damaged } = createStandings(store);
  await requireVault(trees, store);
  const report = await trees.sweep({ ...options, known, at: clock.now() });
  const unknown = new Map(report.unknown.map((each) => [each.run, each]));
  for (const part of [executor, agentHomes])
    for (const run of await part.kept()) {
      const status = await known(run);
      if (status === "unknown" && !unknown.has(run)) unknown.set(run, { run, workspaces: 0, refs: 0 });
      if (status === "ended" && options.dryRun !== true) await part.leave(run);
    }
  return { ...report, unknown: [...unknown.values()], damaged: [...damaged].sort() };
}

/** Where a run has recorded a tree there was a vault. Throws WORKSPACE_VAULT_MISSING. */
async function requireVault(trees: Pick<Trees, "vault">, store: Store): Promise<void> {
  const { path, isThere } = await trees.vault();
  if (isThere) return;
  let cursor: string | null = null;
  do {
    const page: RunPage = await store.runs.list({ limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    for (const { run } of page.rows) {
      const [first] = await store.journal.read(run, 0, 1);
      if (first?.event.type === "run.created" && first.event.tree != null)
        throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_VAULT_MISSING", { path, run });
    }
    cursor = page.next;
  } while (cursor !== null);
}

type Standing = Awaited<ReturnType<SweepRequest["known"]>>;

/** That a run is over is believed of its events, not of the row that lists it: what it left may be the only copy of its work. */
function createStandings({ journal, runs }: Pick<Store, "journal" | "runs">) {
  const told = new Map<RunId, Promise<Standing>>();
  const damaged = new Set<RunId>();

  async function look(run: RunId): Promise<Standing> {
    const row = await runs.get(run);
    if (row === undefined) return "unknown";
    if (!isTerminal(row.status) || row.holder !== null) return "open";
    if ((await journal.verify(run)).intact) return "ended";
    damaged.add(run);
    return "open";
  }

  function known(run: RunId): Promise<Standing> {
    const answer = told.get(run) ?? look(run);
    told.set(run, answer);
    return answer;
  }

  return { known, damaged };
}
