/** The files of a loop-engineering project that hold caps, as they were written. */
import { join } from "node:path";
import { type RuleText, readRuleText } from "../policy/read-policy-text.ts";

export const BUDGET_FILE = "loop-budget.md";
/** The first that is there counts. */
export const REGISTRIES = ["patterns/registry.yaml", "registry.yaml"] as const;

export interface LoopTexts {
  readonly budget: RuleText;
  readonly registry: RuleText;
  /** The name that problems of the registry show. */
  readonly registryFile: string;
}

export async function readLoopTexts(root: string): Promise<LoopTexts> {
  const read = (file: string): Promise<RuleText> =>
    readRuleText({ path: join(root, file), shown: file, isRequired: false });
  const [first, second] = REGISTRIES;
  const [budget, found] = await Promise.all([read(BUDGET_FILE), read(first)]);
  return isMissing(found)
    ? { budget, registry: await read(second), registryFile: second }
    : { budget, registry: found, registryFile: first };
}

export function isMissing(read: RuleText): boolean {
  return "text" in read && read.text === null;
}
