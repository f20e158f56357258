/** Budgets in files: of the user, and of the project in `pawl.yaml`. A file that says nothing caps nothing. */
import { ok, type Result } from "../../base/result.ts";
import { type BudgetSpec, NO_BUDGET } from "../../limits/ledger/budget.ts";
import { parseProjectText, parseText } from "../parse-text.ts";
import { REPOSITORY_FILE } from "../policy/repository-file.ts";
import { object } from "../shapes/shape.ts";
import { BUDGET_FIELDS } from "./budget-fields.ts";
import { readBudget } from "./read-budget.ts";

const FILE = object(BUDGET_FIELDS, "the budget");

/** The budget of a user, in a file of its own. */
export function parseBudget(text: string, file: string): Result<BudgetSpec> {
  return orNothing(
    parseText(text, file, (tree, reading) => {
      const found = FILE.read(tree, reading, "the budget");
      return found === undefined ? undefined : readBudget(found, reading);
    }),
  );
}

/** The budget in `pawl.yaml`. */
export function parseRepositoryBudget(text: string, file: string): Result<BudgetSpec> {
  return orNothing(
    parseProjectText(text, file, (tree, reading) => {
      const budget = REPOSITORY_FILE.read(tree, reading, "pawl.yaml")?.budget?.value;
      return budget === undefined ? NO_BUDGET : readBudget(budget, reading);
    }),
  );
}

function orNothing(parsed: Result<BudgetSpec>): Result<BudgetSpec> {
  const saysNothing = !parsed.ok && parsed.problems.every(({ code }) => code === "BLUEPRINT_TEXT_EMPTY");
  return saysNothing ? ok(NO_BUDGET) : parsed;
}
