/** The way back from a lost or damaged journal: what is wrong, what is saved all the same, and a journal that works again. Deletes nothing. */
import type { RunId } from "../../base/ids.ts";
import type { RestoredTree, SavedTree, SavedWork } from "../../ports/saved-work.ts";

export interface StoreProblem {
  readonly store: "journal" | "loops";
  readonly code: string;
  readonly what: string;
}

export interface SavedRun {
  /** null: what a run began with, and nobody knows which run. */
  readonly run: RunId | null;
  /** Whether the journal mentions it; null: there is no journal to ask. */
  readonly isMentioned: boolean | null;
  readonly trees: readonly SavedTree[];
  /** Its workspaces that still lie there, with what was not saved. */
  readonly workspace: string | null;
}

export interface Survey {
  /** Empty: nothing needs a repair. */
  readonly problems: readonly StoreProblem[];
  readonly runs: readonly SavedRun[];
}

export interface RepairReport {
  /** Empty: nothing was done. */
  readonly problems: readonly StoreProblem[];
  /** The folder with what was moved aside; null: nothing was. */
  readonly aside: string | null;
  readonly kept: readonly RunId[];
  readonly lost: readonly { readonly run: RunId; readonly why: string }[];
  readonly lostRecords: readonly string[];
  readonly unreadable: string | null;
}

export interface Recovery {
  survey(): Promise<Survey>;
  /** Of one run, or of all; the journal may be lost. */
  toBranches(run: RunId | null): Promise<readonly RestoredTree[]>;
  repair(): Promise<RepairReport>;
}

export interface RecoveryParts {
  readonly saved: SavedWork;
  problems(): Promise<readonly StoreProblem[]>;
  restart(request: {
    readonly journal: boolean;
    readonly loops: boolean;
    readonly why: string;
  }): Promise<Omit<RepairReport, "problems">>;
  /** Ids of runs whose workspaces lie there, each with its folder. */
  workspaces(): Promise<ReadonlyMap<RunId, string>>;
  /** Which of these the journal mentions. Asked only where it is whole. */
  mentioned(runs: readonly RunId[]): Promise<ReadonlySet<RunId>>;
}

const NOTHING_DONE = { aside: null, kept: [], lost: [], lostRecords: [], unreadable: null };

export function createRecovery(parts: RecoveryParts): Recovery {
  const { saved, problems, restart, workspaces, mentioned } = parts;

  async function survey(): Promise<Survey> {
    const found = await problems();
    const hasJournal = !found.some(({ store }) => store === "journal");
    const [trees, folders] = [await saved.list(), await workspaces()];
    const names = new Set<RunId | null>([...trees.map(({ run }) => run), ...folders.keys()]);
    const known = hasJournal ? await mentioned([...names].filter((run) => run !== null)) : null;
    const runs = [...names].map((run): SavedRun => {
      const isMentioned = run === null ? null : (known?.has(run) ?? null);
      const workspace = run === null ? null : (folders.get(run) ?? null);
      return { run, isMentioned, trees: trees.filter((tree) => tree.run === run), workspace };
    });
    return { problems: found, runs };
  }

  return {
    survey,
    async toBranches(run) {
      const trees = await saved.list();
      return saved.restore(run === null ? trees : trees.filter((tree) => tree.run === run));
    },
    async repair() {
      const found = await problems();
      if (found.length === 0) return { problems: found, ...NOTHING_DONE };
      const has = (store: StoreProblem["store"]): boolean => found.some((each) => each.store === store);
      const why = found.map(({ what }) => what).join("; ");
      return { problems: found, ...(await restart({ journal: has("journal"), loops: has("loops"), why })) };
    },
  };
}
