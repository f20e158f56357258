import { describe, expect, it } from "vitest";
import { capsOfLoopBudget, parseLoopBudget } from "./loop-budget.ts";
import type { Pattern } from "./registry.ts";

const place = { file: "r.yaml", line: 1, column: 1, length: 1 };
const pattern = (id: string, name: string): Pattern => ({
  id,
  name,
  ...{ file: "", goal: "", risk: "low", hosts: [], skills: [], state: "", phases: [], humanGates: [] },
  cadence: { written: "1d", fastestMs: 1, slowestMs: 1 },
  ...{ starter: null, weekOneLevel: null, tokenCost: null, costs: null, unknown: {} },
  where: place,
  capWhere: null,
});
const PATTERNS = [
  pattern("daily-triage", "Daily Triage"),
  pattern("post-merge-cleanup", "Post-Merge Cleanup"),
  pattern("issue-triage", "Issue Triage"),
  pattern("issue-pr-repair", "Issue + PR Repair"),
];

const HEAD = "| Loop | Max runs/day | Max tokens/day | Max sub-agent spawns/run |\n|---|---|---|---|\n";
const TEMPLATE = `# Loop Budget — YOUR_PROJECT

> Primary loop: **Daily Triage** (scaffolded by loop-init)

## Daily limits

${HEAD}| Daily Triage | 2 | 100k | 0 (L1) / 2 (L2) |
| Post-Merge | 1 | 200,000 | — |

## Cost profile

| Scenario | Tokens/run |
|----------|------------|
| No-op | ~5k |

\`\`\`
| Loop | Max runs/day |
|------|--------------|
| Example | what you like |
\`\`\`
`;

function limitsOf(text: string, patterns = PATTERNS) {
  const read = parseLoopBudget(text, "loop-budget.md", patterns);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

function problemsOf(text: string, patterns = PATTERNS): readonly string[] {
  const read = parseLoopBudget(text, "loop-budget.md", patterns);
  return read.ok ? [] : read.problems.map(({ code, where }) => `${code} ${where?.line}:${where?.column}`);
}

describe("parseLoopBudget", () => {
  it("reads the limits of every loop, by the id of its pattern", () => {
    expect(
      limitsOf(TEMPLATE).map(({ loop, unit, window, amounts, source }) => ({ loop, unit, window, amounts, source })),
    ).toEqual([
      {
        loop: "daily-triage",
        unit: "runs",
        window: "day",
        amounts: [{ from: "L0", amount: 2 }],
        source: "loop-budget.md:9:18",
      },
      {
        loop: "daily-triage",
        unit: "tokens",
        window: "day",
        amounts: [{ from: "L0", amount: 100_000 }],
        source: "loop-budget.md:9:22",
      },
      {
        loop: "daily-triage",
        unit: "spawns",
        window: "run",
        amounts: [
          { from: "L1", amount: 0 },
          { from: "L2", amount: 2 },
        ],
        source: "loop-budget.md:9:29",
      },
      {
        loop: "post-merge-cleanup",
        unit: "runs",
        window: "day",
        amounts: [{ from: "L0", amount: 1 }],
        source: "loop-budget.md:10:16",
      },
      {
        loop: "post-merge-cleanup",
        unit: "tokens",
        window: "day",
        amounts: [{ from: "L0", amount: 200_000 }],
        source: "loop-budget.md:10:20",
      },
    ]);
  });

  it("takes a name that no pattern has as the name of a blueprint", () => {
    const loops = limitsOf(
      `${HEAD}| Fix the Tests! | 1 | - | - |\n| \`fix-tests\` | 1 | - | - |\n| Validate/Audit (CI) | 1 | - | - |\n`,
      [],
    );
    expect(loops.map(({ loop }) => loop)).toEqual(["fix-the-tests", "fix-tests", "validate-audit-ci"]);
  });

  it("knows the columns by their words, in any order, and leaves alone those that tell something", () => {
    const text =
      "| Pattern | Phase | Max sub-agents | **max tokens per day** |\n|-|-|-|-|\n| Daily Triage | L1 | 1 | 5k |\n";
    expect(limitsOf(text).map(({ unit, amounts }) => [unit, amounts[0]?.amount])).toEqual([
      ["spawns", 1],
      ["tokens", 5000],
    ]);
  });

  it("has no limits where the table has no rows, or only empty ones", () => {
    expect(limitsOf(HEAD)).toEqual([]);
    expect(limitsOf(`${HEAD}|  |  |  |  |\n|\n`)).toEqual([]);
  });

  it("refuses a file without a table of limits: it may say them in another way", () => {
    expect(problemsOf("# Loop Budget\n\n- **Max tokens/day:** 500,000\n")).toEqual(["BUDGET_TABLE_MISSING 1:1"]);
    expect(problemsOf("| Metric | Value |\n|---|---|\n| Max runs/day | 2 |\n")).toEqual(["BUDGET_TABLE_MISSING 1:1"]);
    expect(problemsOf("| Loop | Owner |\n|---|---|\n| Daily Triage | ann |\n")).toEqual(["BUDGET_TABLE_MISSING 1:1"]);
    expect(problemsOf("")).toEqual(["BUDGET_TABLE_MISSING 1:1"]);
    expect(problemsOf("x".repeat(300_000))).toEqual(["BUDGET_FILE_TOO_LARGE 1:1"]);
  });

  it("refuses every limit that it cannot read or does not know, each with its place", () => {
    const text =
      "| Loop | Max runs/day | Max tokens/day | Max draft PRs/day |\n|-|-|-|-|\n| Daily Triage | often | | 1 |\n| Nightly | 3 |\n";
    expect(problemsOf(text)).toEqual([
      "BUDGET_COLUMN_UNKNOWN 1:42",
      "BUDGET_CELL_INVALID 3:18",
      "BUDGET_CELL_INVALID 3:25",
      "BUDGET_CELL_INVALID 4:3",
    ]);
  });

  it("refuses a row that names no loop, or more than one", () => {
    expect(problemsOf(`${HEAD}| Issue | 1 | 1k | 1 |\n| 毎日 | 1 | 1k | 1 |\n`)).toEqual([
      "BUDGET_LOOP_UNCLEAR 3:3",
      "BUDGET_LOOP_UNCLEAR 4:3",
    ]);
    const read = parseLoopBudget(`${HEAD}| Issue | 1 | 1k | 1 |\n`, "b.md", PATTERNS);
    expect(read.ok ? "" : read.problems[0]?.what).toBe(
      '"Issue" names no loop: it may be issue-triage or issue-pr-repair',
    );
  });
});

describe("capsOfLoopBudget", () => {
  it("takes what stands for the highest level that is not above the run's, else for the lowest", () => {
    const limits = limitsOf(`${HEAD}| Daily Triage | - | - | 0 (L1) / 2 (L2) |\n`);
    const amounts = (["L0", "L1", "L2", "L3"] as const).map((level) => capsOfLoopBudget(limits, level)[0]?.amount);
    expect(amounts).toEqual([0, 0, 2, 2]);
  });
});
