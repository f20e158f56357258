/** The caps of a loop-engineering project. Most projects have none, and then nothing is loaded to read them. */
import { ok, type Result } from "../../base/result.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import { type BudgetSpec, NO_BUDGET } from "../../limits/ledger/budget.ts";
import { isMissing, type LoopTexts, readLoopTexts } from "./loop-texts.ts";

export interface LoopBudget {
  /** For runs of each level; or every problem of the files. */
  readonly spec: Result<(level: Level) => BudgetSpec>;
  /** Text of the files by the name that problems show. */
  readonly sources: Readonly<Record<string, string>>;
}

/** `isPattern`: of a pattern, which may be one that comes with Pawl. */
export async function loadLoopBudget(root: string, isPattern = false): Promise<LoopBudget> {
  const own = await readLoopTexts(root);
  const texts = isPattern && isMissing(own.registry) ? await withShipped(own) : own;
  if (isMissing(texts.budget) && isMissing(texts.registry)) return { spec: ok(() => NO_BUDGET), sources: {} };
  const { budgetOfLoops, readLoopFiles } = await import("./loop-files.ts");
  const files = readLoopFiles(texts);
  return { spec: budgetOfLoops(files), sources: files.sources };
}

/** What comes with Pawl is held to what its registry says, as if it lay in the project. */
async function withShipped(texts: LoopTexts): Promise<LoopTexts> {
  const { SHIPPED, SHIPPED_REGISTRY } = await import("../../blueprint/dialects/patterns/shipped-registry.ts");
  return { ...texts, registry: { text: SHIPPED_REGISTRY }, registryFile: SHIPPED };
}
