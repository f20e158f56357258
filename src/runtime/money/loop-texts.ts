/** The files of a loop-engineering project that hold caps, as they were written. */
import { join } from "node:path";
import { type RuleText, readRuleText } from "../policy/read-policy-text.ts";

export const BUDGET_FILE = "loop-budget.md";
export const REGISTRY_FILE = "patterns/registry.yaml";

export interface LoopTexts {
  readonly budget: RuleText;
  readonly registry: RuleText;
}

export async function readLoopTexts(root: string): Promise<LoopTexts> {
  const read = (file: string): Promise<RuleText> =>
    readRuleText({ path: join(root, file), shown: file, isRequired: false });
  const [budget, registry] = await Promise.all([read(BUDGET_FILE), read(REGISTRY_FILE)]);
  return { budget, registry };
}
