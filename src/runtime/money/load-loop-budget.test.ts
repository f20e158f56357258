import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectFolder } from "../../../test/support/project-folder.ts";
import { loadLoopBudget } from "./load-loop-budget.ts";

const BUDGET =
  "| Loop | Max runs/day | Max tokens/day |\n|---|---|---|\n| Daily Triage | 2 | 200k |\n| Other | 1 | - |\n";
const pattern = (id: string, name: string): string => `  - id: ${id}
    name: ${name}
    file: ${id}.md
    goal: a goal that is long enough
    cadence: 1d
    risk: low
    tools: [grok]
    skills: [triage]
    state: STATE.md
    phases: [report, act]
    human_gates: [design]
    cost: { tokens_noop: 5000, tokens_report: 50000, tokens_action: 200000, suggested_daily_cap: 100000, early_exit_required: false }
`;
const REGISTRY = `patterns:\n${pattern("daily-triage", "Daily Triage")}${pattern("ci-sweeper", "CI Sweeper")}`;

async function capsIn(root: string, isPattern = false): Promise<readonly string[]> {
  const { spec } = await loadLoopBudget(root, isPattern);
  if (!spec.ok) return spec.problems.map(({ code, where }) => `${code} ${where?.file}:${where?.line}`);
  return spec
    .value("L1")
    .caps.map(({ account, unit, window, amount, source }) => `${account.name} ${unit}/${window} ${amount} ${source}`);
}

describe("the caps of a loop-engineering project", () => {
  it("are none where there are no such files", async () => {
    expect(await capsIn(projectFolder())).toEqual([]);
  });

  it("come from loop-budget.md, and from the registry where that says nothing", async () => {
    const root = projectFolder({ "loop-budget.md": BUDGET, "patterns/registry.yaml": REGISTRY });
    expect(await capsIn(root)).toEqual([
      "daily-triage runs/day 2 loop-budget.md:3:18",
      "daily-triage tokens/day 200000 loop-budget.md:3:22",
      "other runs/day 1 loop-budget.md:4:11",
      "ci-sweeper tokens/day 100000 patterns/registry.yaml:25:98",
    ]);
    expect(Object.keys((await loadLoopBudget(root)).sources)).toEqual(["patterns/registry.yaml", "loop-budget.md"]);
  });

  it("of a pattern that comes with Pawl are those of its registry, unless loop-budget.md says otherwise", async () => {
    const shipped = await capsIn(projectFolder(), true);
    expect([shipped.length, shipped.find((cap) => cap.startsWith("daily-triage"))]).toEqual([
      8,
      expect.stringMatching(/^daily-triage tokens\/day 100000 \(shipped patterns\):/),
    ]);
    expect((await capsIn(projectFolder({ "loop-budget.md": BUDGET }), true)).slice(0, 3)).toEqual([
      "daily-triage runs/day 2 loop-budget.md:3:18",
      "daily-triage tokens/day 200000 loop-budget.md:3:22",
      "other runs/day 1 loop-budget.md:4:11",
    ]);
  });

  it("come from either place of a registry, and a project that has one is held to no other", async () => {
    const one = `patterns:\n${pattern("ci-sweeper", "CI Sweeper")}`;
    const two = projectFolder({ "registry.yaml": REGISTRY, "patterns/registry.yaml": one });
    expect(await capsIn(projectFolder({ "registry.yaml": one }), true)).toEqual([
      "ci-sweeper tokens/day 100000 registry.yaml:13:98",
    ]);
    expect(await capsIn(two, true)).toEqual(["ci-sweeper tokens/day 100000 patterns/registry.yaml:13:98"]);
  });

  it("are every problem where a file is there that cannot be read", async () => {
    const both = projectFolder({ "loop-budget.md": "nothing", "patterns/registry.yaml": "patterns: 3\n" });
    expect(await capsIn(both)).toEqual([
      "BLUEPRINT_VALUE_TYPE patterns/registry.yaml:1",
      "BUDGET_TABLE_MISSING loop-budget.md:1",
    ]);
    const folder = projectFolder();
    mkdirSync(join(folder, "loop-budget.md"));
    expect(await capsIn(folder)).toEqual(["BUDGET_FILE_UNFIT loop-budget.md:1"]);
    const link = projectFolder({ "elsewhere.md": BUDGET });
    symlinkSync(join(link, "elsewhere.md"), join(link, "loop-budget.md"));
    expect(await capsIn(link)).toEqual(["BUDGET_FILE_UNFIT loop-budget.md:1"]);
  });
});
