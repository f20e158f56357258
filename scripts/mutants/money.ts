/** Guards of what is counted and told: caps that must be read, costs that count once, reasons that hold now. */
import type { Mutant } from "./mutant.ts";

const BUDGET = "src/blueprint/dialects/loop-budget.ts";

export const MONEY_MUTANTS: readonly Mutant[] = [
  {
    name: "a limit that cannot be read is left out",
    file: BUDGET,
    find: 'problems.push(diagnose(DIALECT_ERRORS, "BUDGET_CELL_INVALID", data, source.span(cell)));',
    replace: "",
    tests: ["src/blueprint/dialects/loop-budget.test.ts"],
  },
  {
    name: "a limit that nobody knows is left out",
    file: BUDGET,
    find: "if (LIMIT.test(title))",
    replace: "if (false)",
    tests: ["src/blueprint/dialects/loop-budget.test.ts"],
  },
  {
    name: "a file of caps without a table caps nothing",
    file: BUDGET,
    find: "if (tables.length === 0) return failed(",
    replace: "if (tables.length < 0) return failed(",
    tests: ["src/blueprint/dialects/loop-budget.test.ts"],
  },
  {
    name: "limits of a loop that nobody can name are left out",
    file: BUDGET,
    find: 'problems.push(diagnose(DIALECT_ERRORS, "BUDGET_LOOP_UNCLEAR", data, source.span(cell)));',
    replace: "",
    tests: ["src/blueprint/dialects/loop-budget.test.ts"],
  },
  {
    name: "a run above the levels of a limit has none",
    file: BUDGET,
    find: "amounts.findLast(({ from }) => from <= level) ?? (amounts[0] as LevelAmount)",
    replace: "amounts.find(({ from }) => from === level) ?? { amount: Number.MAX_SAFE_INTEGER }",
    tests: ["src/blueprint/dialects/loop-budget.test.ts"],
  },
  {
    name: "two patterns of one id are both taken",
    file: "src/blueprint/dialects/registry.ts",
    find: "return first === at ? [] :",
    replace: "return first >= 0 ? [] :",
    tests: ["src/blueprint/dialects/registry.test.ts"],
  },
  {
    name: "a file of caps that cannot be opened caps nothing",
    file: "src/runtime/money/loop-files.ts",
    find: 'return failed([diagnose(RUNTIME_ERRORS, "BUDGET_FILE_UNFIT", { file, problem: read.unfit }, where)]);',
    replace: "return ok([]);",
    tests: ["src/runtime/money/load-loop-budget.test.ts"],
  },
  {
    name: "a cap of each run of a loop is one of all its runs",
    file: "src/limits/ledger/budget.ts",
    find: 'if (scope === "loop" && cap.window === "run") return eachRunOf(lineage, cap);',
    replace: "",
    tests: ["src/limits/ledger/budget.test.ts"],
  },
  {
    name: "what a fork retells is paid for twice",
    file: "src/run/record/run-cost.ts",
    find: "      retold = state.facts.usage;",
    replace: "",
    tests: ["src/run/record/run-cost.test.ts"],
  },
  {
    name: "runs that failed cost nothing",
    file: "src/limits/cost/past-cost.ts",
    find: "runs.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE)",
    replace: "runs.reduce((sum, { usage, succeeded }) => (succeeded ? addUsage(sum, usage) : sum), NO_USAGE)",
    tests: ["src/limits/cost/past-cost.test.ts"],
  },
  {
    name: "the end of the last run is told although another is open",
    file: "src/loops/why/why.ts",
    find: "(chosen === undefined ? idle(facts) :",
    replace: "(chosen === undefined || facts.last !== null ? idle(facts) :",
    tests: ["src/loops/why/why.test.ts"],
  },
  {
    name: "the kill switch is told last",
    file: "src/loops/why/why.ts",
    find: "killed(facts, about) ??",
    replace: "(chosen === undefined ? killed(facts, about) : null) ??",
    tests: ["src/loops/why/why.test.ts"],
  },
  {
    name: "a run of a tenant is not held to its caps",
    file: "src/limits/ledger/budget.ts",
    find: "...(tenant === null ? [] : [",
    replace: "...(tenant !== undefined ? [] : [",
    tests: ["src/limits/ledger"],
  },
];
