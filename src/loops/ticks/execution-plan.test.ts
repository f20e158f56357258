import { describe, expect, it } from "vitest";
import { isPawlError } from "../../base/errors.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import { buildPlan, type RegistryPattern, readPattern } from "./execution-plan.ts";

const TRIAGE = readPattern("daily-triage");

function codesOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (isPawlError(error)) return error.problems.map(({ code }) => code);
    throw error;
  }
  return [];
}

describe("a plan of a pattern", () => {
  it("says what the registry says, at the level that was asked for", () => {
    expect(buildPlan(TRIAGE, { level: "L2" })).toEqual({
      pattern: "daily-triage",
      name: "Daily Triage",
      level: "L2",
      cadence: "1d-2h",
      dailyTokenCap: 100_000,
      actionPolicy: { change: true, commit: true, merge: false },
      humanGates: ["design-decisions", "multi-file-refactors"],
      skills: TRIAGE["skills"],
      phases: ["report", "act-small-wins", "escalate"],
      stateFile: "STATE.md",
      isEarlyExitRequired: false,
      source: TRIAGE,
    });
  });

  it("lets a tick act as far as its level reaches", () => {
    const may = (level: Level) => Object.values(buildPlan(TRIAGE, { level }).actionPolicy);
    expect((["L0", "L1", "L2", "L3"] as const).map(may)).toEqual([
      [false, false, false],
      [false, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  it("has the level of the first week when none was asked for, and the lowest that reports without one", () => {
    expect(buildPlan(readPattern("ci-sweeper"))).toMatchObject({ level: "L2", isEarlyExitRequired: true });
    const { week_one_mode: _, cost: __, ...bare } = TRIAGE;
    expect(buildPlan(bare as RegistryPattern)).toMatchObject({
      ...{ level: "L1", dailyTokenCap: Number.POSITIVE_INFINITY, isEarlyExitRequired: false },
    });
  });

  it("is refused with every problem of the pattern, and for a level that is none", () => {
    expect(codesOf(() => buildPlan({ ...TRIAGE, risk: "none", cadence: "soon" }))).toEqual([
      "BLUEPRINT_VALUE_INVALID",
      "BLUEPRINT_VALUE_INVALID",
    ]);
    expect(codesOf(() => buildPlan(TRIAGE, { level: "L9" as Level }))).toEqual(["REGISTRY_LEVEL_UNKNOWN"]);
  });
});

describe("a pattern by its id", () => {
  it("is the one of the text that is given, else one that comes with Pawl", () => {
    const text = JSON.stringify({ patterns: [{ ...TRIAGE, name: "Morning Round" }] });
    expect(readPattern("daily-triage", text)).toEqual({ ...TRIAGE, name: "Morning Round" });
    expect(codesOf(() => readPattern("ci-sweeper", text))).toEqual(["REGISTRY_PATTERN_MISSING"]);
    expect(codesOf(() => readPattern("ci-sweeper", "patterns: []\n"))).toEqual(["BLUEPRINT_VALUE_INVALID"]);
  });
});
