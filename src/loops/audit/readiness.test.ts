import { describe, expect, it, test } from "vitest";
import type { DrillRecord } from "../../ports/store/evidence.ts";
import { type ReadinessFacts, readinessOf } from "./readiness.ts";

const NOW = Date.UTC(2026, 10, 16);
const DAY = 86_400_000;
const EMPTY: ReadinessFacts = {
  ...{ now: NOW, stateFiles: [], skills: [], verifiers: [], loops: 0, conventions: null, safety: null },
  ...{ connectors: null, hasGithub: false, workflows: 0, patterns: 0, limits: 0, logged: 0, lastActivity: null },
  speaks: { gates: false, budget: false, worktrees: false, connectors: false },
  drills: [],
};
const drill = (fields: Partial<DrillRecord> = {}): DrillRecord => ({
  ...{ kind: "drill", id: "e_1", at: NOW - DAY, blueprint: "ci-sweeper", by: "ada", plan: "p", gates: "g" },
  ...{ planted: 8, caught: 8, harmless: 4, passed: 4 },
  ...fields,
});
const L1: ReadinessFacts = { ...EMPTY, stateFiles: ["STATE.md"], loops: 2, conventions: "AGENTS.md" };
const L2: ReadinessFacts = { ...L1, skills: ["loop-triage", "minimal-fix"] };
const L3: ReadinessFacts = {
  ...L2,
  ...{ verifiers: ["loop-verifier"], limits: 3, logged: 9, lastActivity: NOW - 2 * DAY, patterns: 8 },
  speaks: { gates: true, budget: true, worktrees: true, connectors: true },
  drills: [drill()],
};
const levelOf = (facts: Partial<ReadinessFacts>, of = L3) => readinessOf({ ...of, ...facts }).level;

describe("the readiness of a project", () => {
  test("I14: nothing but a folder has ten points, and every point says why", () => {
    const found = readinessOf(EMPTY);
    expect([found.score, found.level]).toEqual([10, "L0"]);
    expect(found.points).toHaveLength(19);
    expect(found.points.every(({ why }) => why !== "")).toBe(true);
    expect(found.points.reduce((sum, { most }) => sum + most, 0)).toBe(130);
    expect(found.lacking.map(({ level, what }) => `${level}: ${what}`)).toEqual([
      "L1: a score of 38; it is 10",
      "L1: a state file",
      "L2: a score of 58; it is 10",
      "L2: a skill for triage",
      "L3: a score of 78; it is 10",
      "L3: a verifier that is not the maker",
      "L3: costs that can be seen: limits in loop-budget.md, entries in loop-run-log.md, a budget in LOOP.md",
      "L3: a loop that has run within 30 days",
      "L3: a drill of every loop within 30 days that caught every defect and passed every harmless change",
    ]);
  });

  test("L13: L1 from 38 points, L2 from 58, L3 from 78 and its proofs", () => {
    expect([L1, L2, L3].map((facts) => [readinessOf(facts).score, readinessOf(facts).level])).toEqual([
      [46, "L1"],
      [74, "L2"],
      [100, "L3"],
    ]);
    expect(levelOf({ conventions: null, loops: 0 }, L1)).toBe("L0");
    expect(levelOf({ skills: ["minimal-fix", "loop-verifier"] })).toBe("L1");
    expect(levelOf({ stateFiles: [] })).toBe("L0");
  });

  it.each<[string, Partial<ReadinessFacts>]>([
    ["with a loop that was never drilled", { drills: [drill(), null] }],
    ["without a verifier", { verifiers: [] }],
    ["without limits", { limits: 0 }],
    ["without a run in the log", { logged: 0 }],
    ["without a budget in LOOP.md", { speaks: { ...L3.speaks, budget: false } }],
    ["that never ran", { lastActivity: null }],
    ["that did not run for 31 days", { lastActivity: NOW - 31 * DAY }],
    ["that will run tomorrow", { lastActivity: NOW + DAY }],
    ["without a drill", { drills: [] }],
    ["with a drill that missed a defect", { drills: [drill(), drill({ caught: 7 })] }],
    ["with a drill that stopped a harmless change", { drills: [drill({ passed: 3 })] }],
    ["with a drill that planted nothing", { drills: [drill({ planted: 0, caught: 0 })] }],
    ["with a drill without anything harmless", { drills: [drill({ harmless: 0, passed: 0 })] }],
    ["with a drill of 31 days ago", { drills: [drill({ at: NOW - 31 * DAY })] }],
    ["with a drill of tomorrow", { drills: [drill({ at: NOW + DAY })] }],
  ])("is not L3 %s, whatever its score", (_, facts) => {
    expect(levelOf({ ...facts, hasGithub: true, workflows: 2, safety: "SECURITY.md" })).toBe("L2");
  });

  it("says of each point what there is", () => {
    const points = readinessOf({ ...L3, skills: ["ci-triage", "loop-budget"], hasGithub: true, workflows: 2 }).points;
    const why = (name: string) => points.find((each) => each.name === name);
    expect(why("skills")).toEqual({ name: "skills", points: 7, most: 14, why: "ci-triage" });
    expect(why("budget skill")?.points).toBe(2);
    expect(why("activity")?.why).toBe("a loop ran 2 days ago");
    expect(why("connectors")?.why).toBe("LOOP.md speaks of them");
    expect(readinessOf({ ...EMPTY, connectors: ".mcp.json" }).points.find(({ name }) => name === "connectors")).toEqual(
      {
        ...{ name: "connectors", points: 3, most: 3, why: ".mcp.json" },
      },
    );
    const late = readinessOf({ ...EMPTY, lastActivity: NOW - 40 * DAY }).points.find(({ name }) => name === "activity");
    expect(late).toMatchObject({ points: 0, why: "the last run was 40 days ago" });
  });
});
