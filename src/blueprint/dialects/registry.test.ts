import { describe, expect, it } from "vitest";
import { capsOfRegistry, parseRegistry, rowsOfRegistry } from "./registry.ts";
import type { RegistryMode } from "./registry-fields.ts";

const PATTERN = `  - id: daily-triage
    name: Daily Triage
    file: daily-triage.md
    goal: "A scan: CI, issues + chat"
    cadence: 1d-2h
    risk: low
    tools: [grok, claude-code]
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

function problemsOf(text: string, mode: RegistryMode = "strict"): readonly string[] {
  const read = parseRegistry(text, "r.yaml", mode);
  return read.ok ? [] : read.problems.map(({ code, where }) => `${code} ${where?.line}:${where?.column}`);
}

function patternsOf(text: string, mode: RegistryMode = "strict") {
  const read = parseRegistry(text, "r.yaml", mode);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

describe("parseRegistry", () => {
  it("reads a pattern with its costs; the ends of a cadence stand in any order", () => {
    expect(patternsOf(`patterns:\n${PATTERN}${COST}      stable_fraction: 0.35\n`)).toEqual([
      {
        id: "daily-triage",
        name: "Daily Triage",
        file: "daily-triage.md",
        goal: "A scan: CI, issues + chat",
        cadence: { written: "1d-2h", fastestMs: 7_200_000, slowestMs: 86_400_000 },
        risk: "low",
        hosts: ["grok", "claude-code"],
        skills: ["loop-triage"],
        state: "STATE.md",
        phases: ["report", "act"],
        humanGates: ["design"],
        starter: null,
        weekOneLevel: "L1",
        tokenCost: null,
        costs: {
          noop: 5000,
          report: 50_000,
          action: 200_000,
          stableFraction: 0.35,
          dailyCap: 100_000,
          needsEarlyExit: false,
        },
        unknown: {},
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

  it("L1: fields and hosts of tomorrow are kept when it is read leniently, and errors when it is read strictly", () => {
    const text = `owner: ada\npatterns:\n${PATTERN.replace("claude-code", "a-tool-of-tomorrow")}    starter: starters/x\n    token_cost: low\n    color: [red, { of: 3 }, null]\n`;
    expect(problemsOf(text)).toEqual([
      "BLUEPRINT_KEY_UNKNOWN 1:1",
      "BLUEPRINT_VALUE_INVALID 9:19",
      "BLUEPRINT_KEY_UNKNOWN 17:5",
    ]);
    expect(patternsOf(text, "lenient")[0]).toMatchObject({
      hosts: ["grok", "a-tool-of-tomorrow"],
      starter: "starters/x",
      tokenCost: "low",
      unknown: { color: ["red", { of: 3 }, null] },
    });
  });

  it("is as strict about what it knows when it is read leniently, and about costs, which hold caps", () => {
    const bad = PATTERN.replace("risk: low", "risk: none").replace("    state: STATE.md\n", "");
    const cost = COST.replace("    cost:\n", "    cost:\n      suggested_weekly_cap: 1\n");
    expect(problemsOf(`patterns:\n${bad}${cost}`, "lenient")).toEqual([
      "BLUEPRINT_KEY_MISSING 2:5",
      "BLUEPRINT_VALUE_INVALID 7:11",
      "BLUEPRINT_KEY_UNKNOWN 14:7",
    ]);
    expect(problemsOf("patterns: [3]\n", "lenient")).toEqual(["BLUEPRINT_VALUE_TYPE 1:12"]);
    expect(problemsOf("- a\n", "lenient")).toEqual(["BLUEPRINT_VALUE_TYPE 1:1"]);
    expect(problemsOf("patterns:\n  - { name: abc, x: &a 1, y: *a }\n", "lenient").length).toBeGreaterThan(9);
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
    const read = parseRegistry(`patterns:\n${PATTERN}${PATTERN}`, "r.yaml", "strict");
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

describe("rowsOfRegistry", () => {
  it("gives the patterns as they stand there, which can be read again, or every problem", () => {
    const text = `patterns:\n${PATTERN}    color: red\n${COST}`;
    const rows = rowsOfRegistry(text, "r.yaml");
    expect(rows).toMatchObject({ ok: true, value: [{ id: "daily-triage", cadence: "1d-2h", color: "red" }] });
    const again = JSON.stringify({ patterns: rows.ok ? rows.value : [] });
    const [first, second] = [patternsOf(text, "lenient"), patternsOf(again, "lenient")];
    expect(second.map(({ where, capWhere, ...pattern }) => pattern)).toEqual(
      first.map(({ where, capWhere, ...pattern }) => pattern),
    );
    expect(rowsOfRegistry("patterns: []\n", "r.yaml")).toMatchObject({ ok: false });
  });
});
