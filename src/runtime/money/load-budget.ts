/** The budget of a project: that of its user, that of `pawl.yaml` and those of its loop files. Read once, when a run begins or goes on. */

import { diagnose } from "../../base/diagnostic.ts";
import { PawlError } from "../../base/errors.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import { type SharedAttempt, sharedAttempt } from "../../base/shared-attempt.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import {
  type BudgetSpec,
  entryFor,
  joinBudgets,
  type Lineage,
  NO_BUDGET,
  paymentFor,
} from "../../limits/ledger/budget.ts";
import type { Unit } from "../../limits/ledger/cap.ts";
import type { Budget } from "../../ports/store/budget.ts";
import type { Ledger } from "../../ports/store/ledger.ts";
import type { Setting } from "../config.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { type PolicyPlace, projectPlace, readRuleText } from "../policy/read-policy-text.ts";
import { loadLoopBudget } from "./load-loop-budget.ts";

export interface BudgetPlaces {
  readonly root: string;
  /** The file of the user. */
  readonly budgetFile: Setting<string>;
  /** Who pays. */
  readonly user: string;
  readonly tenant: string | null;
}

export interface LoadedBudget {
  /** For runs of each level; or every problem of the files. */
  readonly spec: Result<(level: Level) => BudgetSpec>;
  /** Text of the files by the name that problems show. */
  readonly sources: Readonly<Record<string, string>>;
}

type Parse = (text: string, file: string) => Result<BudgetSpec>;

/** `isPattern`: for runs of a pattern. */
export async function loadBudget(
  { root, budgetFile }: Pick<BudgetPlaces, "root" | "budgetFile">,
  isPattern = false,
): Promise<LoadedBudget> {
  const sources: Record<string, string> = {};
  const load = async (place: PolicyPlace, parser: () => Promise<Parse>): Promise<Result<BudgetSpec>> => {
    const { shown: file } = place;
    const read = await readRuleText(place);
    if ("unfit" in read) {
      const where = { file, line: 1, column: 1, length: 1 };
      return failed([diagnose(RUNTIME_ERRORS, "BUDGET_FILE_UNFIT", { file, problem: read.unfit }, where)]);
    }
    if (read.text === null) return ok(NO_BUDGET);
    sources[file] = read.text;
    return (await parser())(read.text, file);
  };
  const { value: path } = budgetFile;
  const specs = [
    await load({ path, shown: path, isRequired: false, outside: root }, async () => (await parsers()).parseBudget),
    await load(projectPlace(root), async () => (await parsers()).parseRepositoryBudget),
  ];
  const { spec: loops, sources: texts } = await loadLoopBudget(root, isPattern);
  Object.assign(sources, texts);
  const problems = [...specs, loops].flatMap((spec) => (spec.ok ? [] : spec.problems));
  if (!loops.ok || problems.length > 0) return { spec: failed(problems), sources };
  const written = specs.flatMap((spec) => (spec.ok ? [spec.value] : []));
  return { spec: ok((level) => joinBudgets([...written, loops.value(level)])), sources };
}

const LEVELS: readonly Level[] = ["L0", "L1", "L2", "L3"];
const COUNTING: readonly Unit[] = ["runs", "spawns"];

/** Most projects have no such file, and need no parser for it. */
const parsers = () => import("../../blueprint/budget/parse-budget.ts");

interface RunKind {
  readonly level: Level;
  readonly isDrill: boolean;
  readonly isPattern: boolean;
}

export interface Budgets {
  /** Rejects with every problem of the files: nothing begins under caps that nobody can read. */
  require(): Promise<void>;
  /** What pays for runs out of a ledger; with files that cannot be read, nothing can begin. */
  on(ledger: Ledger): {
    countsRuns(): boolean;
    for(lineage: Lineage, of: RunKind): Promise<Budget>;
  };
}

export function createBudgets(places: BudgetPlaces): Budgets {
  /** As long as nobody has read the files, they may say anything. */
  let countsRuns = true;
  const ofProject = sharedAttempt(() => loadBudget(places));
  const ofPatterns = sharedAttempt(() => loadBudget(places, true));
  /** Files that could not be read are read again: somebody may have put them right. */
  const kept = async (budget: SharedAttempt<LoadedBudget>): Promise<LoadedBudget> => {
    const loaded = await budget.get();
    if (!loaded.spec.ok) budget.drop(loaded);
    return loaded;
  };
  const load = async (): Promise<LoadedBudget> => {
    const loaded = await kept(ofProject);
    const { spec } = loaded;
    countsRuns = !spec.ok || LEVELS.some((level) => spec.value(level).caps.some(({ unit }) => COUNTING.includes(unit)));
    return loaded;
  };
  return {
    async require() {
      const { spec } = await load();
      if (!spec.ok) throw new PawlError(spec.problems);
    },
    on: (ledger) => ({
      countsRuns: () => countsRuns,
      async for(lineage, { level, isDrill, isPattern }) {
        const { spec } = await (isPattern ? kept(ofPatterns) : load());
        const payment = paymentFor(spec.ok ? spec.value(level) : NO_BUDGET, lineage, places);
        if (spec.ok) return { ...payment, ledger, entry: entryFor(payment, lineage, isDrill) };
        const reserve = (): Promise<never> => Promise.reject(new PawlError(spec.problems));
        return { ...payment, ledger: { ...ledger, reserve }, entry: { runs: 1 } };
      },
    }),
  };
}
