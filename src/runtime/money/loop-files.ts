/**
 * `loop-budget.md` and the registry at the root of a project. Their caps apply to the loop of their name. The
 * registry only suggests: where `loop-budget.md` has a limit of the same kind for a loop, that one counts instead.
 */
import { diagnose } from "../../base/diagnostic.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import { capsOfLoopBudget, type LoopLimit, parseLoopBudget } from "../../blueprint/dialects/loop-budget.ts";
import { capsOfRegistry, type Pattern, parseRegistry } from "../../blueprint/dialects/registry.ts";
import type { BudgetSpec } from "../../limits/ledger/budget.ts";
import { capName } from "../../limits/ledger/cap.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import type { RuleText } from "../policy/read-policy-text.ts";
import { BUDGET_FILE, type LoopTexts } from "./loop-texts.ts";

export interface LoopFiles {
  readonly patterns: Result<readonly Pattern[]>;
  readonly limits: Result<readonly LoopLimit[]>;
  /** Text of the files by the name that problems show. */
  readonly sources: Readonly<Record<string, string>>;
}

export function readLoopFiles({ budget, registry, registryFile }: LoopTexts): LoopFiles {
  const sources: Record<string, string> = {};
  const patterns = parsed(registry, registryFile, sources, (text, file) => parseRegistry(text, file, "lenient"));
  const names = patterns.ok ? patterns.value : [];
  const limits = parsed(budget, BUDGET_FILE, sources, (text, file) => parseLoopBudget(text, file, names));
  return { patterns, limits, sources };
}

function parsed<T>(
  read: RuleText,
  file: string,
  sources: Record<string, string>,
  parse: (text: string, file: string) => Result<readonly T[]>,
): Result<readonly T[]> {
  if ("unfit" in read) {
    const where = { file, line: 1, column: 1, length: 1 };
    return failed([diagnose(RUNTIME_ERRORS, "BUDGET_FILE_UNFIT", { file, problem: read.unfit }, where)]);
  }
  if (read.text === null) return ok([]);
  sources[file] = read.text;
  return parse(read.text, file);
}

/** Whose turn comes first when several of its patterns wait for budget, as loop-engineering ranks them. */
const PRIORITIES = {
  "ci-sweeper": 5,
  "pr-babysitter": 4,
  "dependency-sweeper": 3,
  "post-merge-cleanup": 2,
  "changelog-drafter": 2,
  "daily-triage": 1,
} as const;

export function budgetOfLoops({ patterns, limits }: LoopFiles): Result<(level: Level) => BudgetSpec> {
  if (!patterns.ok || !limits.ok) return failed([patterns, limits].flatMap((each) => (each.ok ? [] : each.problems)));
  const suggested = capsOfRegistry(patterns.value);
  return ok((level) => {
    const written = capsOfLoopBudget(limits.value, level);
    const said = new Set(written.map(capName));
    return { caps: [...written, ...suggested.filter((cap) => !said.has(capName(cap)))], priorities: PRIORITIES };
  });
}
