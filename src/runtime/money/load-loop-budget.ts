/** The caps of a loop-engineering project. Most projects have none, and then nothing is loaded to read them. */
import { ok, type Result } from "../../base/result.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import { type BudgetSpec, NO_BUDGET } from "../../limits/ledger/budget.ts";
import type { RuleText } from "../policy/read-policy-text.ts";
import { readLoopTexts } from "./loop-texts.ts";

export interface LoopBudget {
  /** For runs of each level; or every problem of the files. */
  readonly spec: Result<(level: Level) => BudgetSpec>;
  /** Text of the files by the name that problems show. */
  readonly sources: Readonly<Record<string, string>>;
}

export async function loadLoopBudget(root: string): Promise<LoopBudget> {
  const texts = await readLoopTexts(root);
  const isMissing = (read: RuleText): boolean => "text" in read && read.text === null;
  if (isMissing(texts.budget) && isMissing(texts.registry)) return { spec: ok(() => NO_BUDGET), sources: {} };
  const { budgetOfLoops, readLoopFiles } = await import("./loop-files.ts");
  const files = readLoopFiles(texts);
  return { spec: budgetOfLoops(files), sources: files.sources };
}
