import { describe, expect, it } from "vitest";
import { capsOfRegistry, parseRegistry } from "./registry.ts";

const PATTERN = `  - id: daily-triage
    name: Daily Triage
    file: daily-triage.md
    goal: "A scan: CI, issues + chat"
    cadence: 1d-2h
    risk: low
    tools: [grok, a-tool-of-tomorrow]
    skills: [loop-triage]
    state: STATE.md
    phases: [report, act]
    human_gates: [design]
    week_one_mode: L1
`;
const COST = `    cost:
      tokens_noop: 5000
      tokens_report: 50000
      tokens_action: 200000
      suggested_daily_cap: 100000
      early_exit_required: false
`;

function problemsOf(text: string): readonly string[] {
  const read = parseRegistry(text, "r.yaml");
  return read.ok ? [] : read.problems.map(({ code, where }) => `${code} ${where?.line}:${where?.column}`);
}

function patternsOf(text: string) {
  const read = parseRegistry(text, "r.yaml");
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

describe("parseRegistry", () => {
  it("reads a pattern with its costs; the ends of a cadence stand in any order", () => {
    expect(patternsOf(`patterns:\n${PATTERN}${COST}      stable_fraction: 0.35\n`)).toEqual([
      {
        id: "daily-triage",
        name: "Daily Triage",
        goal: "A scan: CI, issues + chat",
        cadence: { written: "1d-2h", fastestMs: 7_200_000, slowestMs: 86_400_000 },
        weekOneLevel: "L1",
        costs: {
          noop: 5000,
          report: 50_000,
          action: 200_000,
          stableFraction: 0.35,
          dailyCap: 100_000,
          needsEarlyExit: false,
        },
        where: { file: "r.yaml", line: 2, column: 9, length: 12 },
        capWhere: { file: "r.yaml", line: 18, column: 28, length: 6 },
      },
    ]);
  });

  it("reads a pattern of the older schema: without a cost, or without what a cache can hold", () => {
    const [bare] = patternsOf(`patterns:\n${PATTERN.replace("    week_one_mode: L1\n", "")}`);
    expect([bare?.costs, bare?.capWhere, bare?.weekOneLevel]).toEqual([null, null, null]);
    expect(patternsOf(`patterns:\n${PATTERN}${COST}`)[0]?.costs?.stableFraction).toBe(0);
    expect(patternsOf(`patterns:\n${PATTERN.replace("1d-2h", "15m")}`)[0]?.cadence).toEqual({
      written: "15m",
      fastestMs: 900_000,
      slowestMs: 900_000,
    });
  });

  it("refuses what the schema refuses, each with its place", () => {
    const bad = PATTERN.replace("id: daily-triage", "id: Daily")
      .replace("1d-2h", "0m")
      .replace("risk: low", "risk: none")
      .replace("[report, act]", "[report]")
      .replace("week_one_mode: L1", "week_one_mode: L9");
    expect(problemsOf(`patterns:\n${bad}    color: red\n`)).toEqual([
      "BLUEPRINT_VALUE_INVALID 2:9",
      "BLUEPRINT_VALUE_INVALID 6:14",
      "BLUEPRINT_VALUE_INVALID 7:11",
      "BLUEPRINT_VALUE_INVALID 11:13",
      "BLUEPRINT_VALUE_INVALID 13:20",
      "BLUEPRINT_KEY_UNKNOWN 14:5",
    ]);
    expect(problemsOf("patterns: []\n")).toEqual(["BLUEPRINT_VALUE_INVALID 1:11"]);
    expect(problemsOf("patterns: 3\nversion: 1\n")).toEqual(["BLUEPRINT_VALUE_TYPE 1:11", "BLUEPRINT_KEY_UNKNOWN 2:1"]);
    expect(problemsOf("- a\n")).toEqual(["BLUEPRINT_VALUE_TYPE 1:1"]);
    expect(problemsOf("patterns:\n  - { name: abc }\n")).toHaveLength(10);
  });

  it("never takes a cost with a part that is missing or unreadable", () => {
    expect(problemsOf(`patterns:\n${PATTERN}    cost: { stable_fraction: 2 }\n`)).toEqual([
      "BLUEPRINT_KEY_MISSING 14:11",
      "BLUEPRINT_KEY_MISSING 14:11",
      "BLUEPRINT_KEY_MISSING 14:11",
      "BLUEPRINT_KEY_MISSING 14:11",
      "BLUEPRINT_KEY_MISSING 14:11",
      "BLUEPRINT_VALUE_INVALID 14:30",
    ]);
    expect(problemsOf(`patterns:\n${PATTERN}${COST.replace("100000", "9999")}`)).toEqual([
      "BLUEPRINT_VALUE_INVALID 18:28",
    ]);
  });

  it("refuses two patterns of one id, naming the first", () => {
    const read = parseRegistry(`patterns:\n${PATTERN}${PATTERN}`, "r.yaml");
    expect(read.ok ? [] : read.problems).toMatchObject([
      { code: "REGISTRY_PATTERN_REPEATED", data: { id: "daily-triage", line: 2 }, where: { line: 14, column: 9 } },
    ]);
  });
});

describe("capsOfRegistry", () => {
  it("caps the tokens a day of the loop with the id, and says where that stands", () => {
    expect(capsOfRegistry(patternsOf(`patterns:\n${PATTERN}${COST}`))).toEqual([
      {
        account: { scope: "loop", name: "daily-triage" },
        unit: "tokens",
        window: "day",
        amount: 100_000,
        source: "r.yaml:18:28",
      },
    ]);
    expect(capsOfRegistry(patternsOf(`patterns:\n${PATTERN}`))).toEqual([]);
  });
});
