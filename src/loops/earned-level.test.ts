import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { assertProperty } from "../../test/support/property.ts";
import type { RunId } from "../base/ids.ts";
import type { Level } from "../blueprint/blueprint.ts";
import type { DrillRecord, IncidentRecord } from "../ports/store/evidence.ts";
import {
  type Earned,
  earnedLevel,
  type GatesByLevel,
  type History,
  missingFor,
  missingText,
  type RunEvidence,
} from "./earned-level.ts";

const DAY = 86_400_000;
const NOW = 1000 * DAY;
const NEED = "every planted defect caught and every harmless change passed within 30 days";

/** The same gates at every level. */
const same = (gates: string): GatesByLevel => ({ L1: gates, L2: gates, L3: gates });
const run = (daysAgo: number, fields: Partial<RunEvidence> = {}): RunEvidence => ({
  ...{ run: `r_${daysAgo}`, at: NOW - daysAgo * DAY, level: "L2", gates: same("g"), result: "clean" },
  ...fields,
});
const drill = (daysAgo: number, fields: Partial<DrillRecord> = {}): DrillRecord => ({
  ...{ kind: "drill", id: `e_d${daysAgo}`, at: NOW - daysAgo * DAY, blueprint: "b", by: "ann", plan: "p", gates: "g" },
  ...{ planted: 8, caught: 8, harmless: 4, passed: 4 },
  ...fields,
});
const incident = (daysAgo: number, level: Level = "L3"): IncidentRecord => ({
  ...{ kind: "incident", id: `e_i${daysAgo}`, at: NOW - daysAgo * DAY, blueprint: "b", by: "bob" },
  ...{ run: "r_x" as RunId, level, what: "revert", why: "it broke" },
});
const days = (...list: readonly number[]): readonly RunEvidence[] => list.map((day) => run(day));
const history = (fields: Partial<History> = {}): History => ({
  ...{ now: NOW, gates: same("g"), runs: days(1, 2, 3, 4, 5), drills: [drill(1)], incidents: [], readiness: null },
  ...fields,
});
const levelOf = (fields: Partial<History>): Level => earnedLevel(history(fields)).earned;

describe("the earned level", () => {
  it("is L2 from the start, and tells what L3 needs", () => {
    const start = earnedLevel(history({ runs: [], drills: [] }));
    expect(start).toEqual({
      earned: "L2",
      evidence: ["clean verified runs in a row at L2 or above: 0"],
      missing: [
        { level: "L3", what: "clean verified runs in a row at L2 or above with these gates", have: "0", need: "5" },
        { level: "L3", what: "a fresh drill of these gates", have: "none", need: NEED },
      ],
    });
    expect(missingFor(start, "L3").map(missingText)).toEqual([
      "clean verified runs in a row at L2 or above with these gates: 0, needs 5",
      `a fresh drill of these gates: none, needs ${NEED}`,
    ]);
    expect(missingFor(start, "L2")).toEqual([]);
  });

  it("is L3 with five clean runs in a row and a fresh drill of the same gates", () => {
    expect(earnedLevel(history())).toEqual({
      earned: "L3",
      evidence: [
        "clean verified runs in a row at L2 or above: 5",
        "newest drill of these gates, e_d1: 8 of 8 caught, 4 of 4 passed",
      ],
      missing: [],
    });
  });

  it.each<[string, Level, Partial<History>]>([
    ["four clean runs", "L2", { runs: days(1, 2, 3, 4) }],
    ["six clean runs", "L3", { runs: days(1, 2, 3, 4, 5, 6) }],
    ["a failed run among them", "L2", { runs: [...days(1, 2), run(3, { result: "failed" }), ...days(4, 5, 6)] }],
    ["a failed run before them", "L3", { runs: [...days(1, 2, 3, 4, 5), run(6, { result: "failed" })] }],
    [
      "a run that says nothing among them",
      "L3",
      { runs: [...days(1, 2), run(3, { result: "silent" }), ...days(4, 5, 6)] },
    ],
    ["runs that only report", "L2", { runs: days(1, 2, 3, 4, 5).map((each) => ({ ...each, level: "L1" as const })) }],
    [
      "a report that failed among them",
      "L3",
      { runs: [run(0, { level: "L1", result: "failed" }), ...days(1, 2, 3, 4, 5)] },
    ],
    ["runs with other gates", "L2", { runs: days(1, 2, 3, 4, 5).map((each) => ({ ...each, gates: same("other") })) }],
    ["other gates in between", "L2", { runs: [...days(1, 2), run(3, { gates: same("other") }), ...days(4, 5, 6)] }],
    ["other gates than those asked for", "L2", { gates: same("other") }],
    ["a drill of other gates", "L2", { drills: [drill(1, { gates: "other" })] }],
    ["a drill of thirty days ago", "L3", { drills: [drill(30)] }],
    ["a drill of thirty-one days ago", "L2", { drills: [drill(31)] }],
    ["a drill of tomorrow", "L2", { drills: [drill(-1)] }],
    ["a drill that missed a defect", "L2", { drills: [drill(1, { caught: 7 }), drill(2)] }],
    ["a drill that stopped a harmless change", "L2", { drills: [drill(1, { passed: 3 })] }],
    ["a drill that planted nothing", "L2", { drills: [drill(1, { planted: 0, caught: 0 })] }],
    ["a drill with nothing harmless", "L2", { drills: [drill(1, { harmless: 0, passed: 0 })] }],
    ["a bad drill before a good one", "L3", { drills: [drill(1), drill(2, { caught: 0 })] }],
  ])("with %s is %s", (_, level, fields) => {
    expect(levelOf(fields)).toBe(level);
  });

  it.each<[string, Level, Partial<History>]>([
    ["at L3 is L2", "L2", { incidents: [incident(0, "L3")] }],
    ["at L2 is L1", "L1", { incidents: [incident(0, "L2")] }],
    ["at L1 is L1", "L1", { incidents: [incident(0, "L1")] }],
    ["with four clean runs and a drill since is L2", "L2", { incidents: [incident(4.5)] }],
    ["with five clean runs since and an old drill is L2", "L2", { incidents: [incident(6)], drills: [drill(7)] }],
    ["with five clean runs and a drill since is L3", "L3", { incidents: [incident(6)] }],
    ["at L2, with five clean runs and a drill since, is L3", "L3", { incidents: [incident(6, "L2")] }],
    ["at L2, with four clean runs since, is L1", "L1", { incidents: [incident(4.5, "L2")] }],
    [
      "at L2, with five clean reports and a drill since, is L2",
      "L2",
      { incidents: [incident(6, "L2")], runs: days(1, 2, 3, 4, 5).map((each) => ({ ...each, level: "L1" as const })) },
    ],
    ["at L2 long ago and one at L3 now is L2", "L2", { incidents: [incident(0.5), incident(6, "L2")] }],
    [
      "at L2 long ago that nothing was done about is L1",
      "L1",
      { incidents: [incident(0.5), incident(900, "L2")], drills: [drill(31)] },
    ],
  ])("after an incident %s", (_, level, fields) => {
    expect(levelOf(fields)).toBe(level);
  });

  it("tells of the incident, and of what is missing since then", () => {
    const earned = earnedLevel(history({ incidents: [incident(0, "L2")] }));
    expect(earned.evidence.at(-1)).toBe("newest incident, e_i0: revert of run r_x at L2; bob: it broke");
    expect(missingFor(earned, "L2").map(({ level, what, have }) => [level, what, have])).toEqual([
      ["L2", "clean verified runs in a row at L1 or above with these gates since the last incident", "0"],
      ["L2", "a fresh drill of these gates since the last incident", "none"],
    ]);
    expect(missingFor(earned, "L3")).toHaveLength(4);
    expect(missingFor(earned, "L1")).toEqual([]);
  });

  test("L13: a gate that only a higher level has is no gate of the runs below it", () => {
    const asked = { L1: "one", L2: "two", L3: "three" };
    const at = (level: Level, gates: GatesByLevel): Partial<History> => ({
      gates: asked,
      runs: days(1, 2, 3, 4, 5).map((each) => ({ ...each, level, gates })),
      drills: [drill(1, { gates: "three", gatesAtL2: "two" })],
    });
    expect(levelOf(at("L2", { L1: "one", L2: "two", L3: "two" }))).toBe("L3");
    expect(levelOf(at("L2", { L1: "one", L2: "else", L3: "three" }))).toBe("L2");
    expect(levelOf(at("L3", { L1: "one", L2: "two", L3: "three" }))).toBe("L3");
    expect(levelOf(at("L3", { L1: "one", L2: "two", L3: "else" }))).toBe("L2");
    const incidents = [incident(6, "L2")];
    expect(levelOf({ ...at("L1", { L1: "one", L2: "one", L3: "one" }), incidents })).toBe("L2");
    expect(levelOf({ ...at("L1", { L1: "else", L2: "two", L3: "two" }), incidents })).toBe("L1");
    expect(levelOf({ ...at("L3", { L1: "one", L2: "two", L3: "else" }), incidents })).toBe("L2");
    const plan = { gates: { L1: "one", L2: "two", L3: "two" }, incidents };
    expect(levelOf({ ...at("L3", { L1: "one", L2: "two", L3: "three" }), ...plan })).toBe("L2");
    const drills = [drill(1, { gates: "three", gatesAtL2: "else" })];
    expect(levelOf({ ...at("L2", { L1: "one", L2: "two", L3: "two" }), ...plan, drills })).toBe("L1");
  });

  it("is not earned by a run that an incident names, nor by those before it, whatever the clock said", () => {
    const blamed = { ...incident(9), run: "r_3" as RunId };
    expect(levelOf({ incidents: [blamed] })).toBe("L2");
    expect(levelOf({ incidents: [blamed], runs: days(-3, -2, -1, 0, 1, 2, 3) })).toBe("L3");
  });

  test("L13: a loop of loop-engineering earns L3 with a score of 78, and with all the proofs besides", () => {
    expect(levelOf({ readiness: 78 })).toBe("L3");
    expect(levelOf({ readiness: 100, drills: [] })).toBe("L2");
    const short = earnedLevel(history({ readiness: 77 }));
    expect(short.earned).toBe("L2");
    expect(short.missing.map(missingText)).toEqual(["a project that is ready for it (`pawl audit`): 77, needs 78"]);
  });

  it("says how old a drill is, and what it missed", () => {
    const have = (fields: Partial<DrillRecord>, day = 1) =>
      earnedLevel(history({ drills: [drill(day, fields)] })).missing.map((each) => each.have);
    expect(have({}, 45)).toEqual(["one of 45 days ago"]);
    expect(have({}, -2)).toEqual(["one of a time that is still to come"]);
    expect(have({ caught: 7, passed: 1 })).toEqual(["7 of 8 caught, 1 of 4 passed"]);
  });
});

const LEVEL = fc.constantFrom<Level>("L0", "L1", "L2", "L3");
const DAYS_AGO = fc.integer({ min: 0, max: 40 });
const GATES = fc.constantFrom("g", "g", "g", "other");
const RUN = fc
  .record({
    day: DAYS_AGO,
    level: LEVEL,
    gates: GATES.map(same),
    result: fc.constantFrom("clean", "clean", "clean", "failed", "silent"),
  })
  .map(({ day, ...rest }) => run(day, rest as Partial<RunEvidence>));
const DRILL = fc
  .record({ day: DAYS_AGO, gates: GATES, caught: fc.constantFrom(8, 8, 7), passed: fc.constantFrom(4, 4, 3) })
  .map(({ day, ...rest }) => drill(day, rest));
const INCIDENT = fc.tuple(DAYS_AGO, LEVEL).map(([day, level]) => incident(day, level));
const newestFirst = <T extends { readonly at: number }>(list: readonly T[]): readonly T[] =>
  [...list].sort((a, b) => b.at - a.at);
const HISTORY = fc
  .record({
    runs: fc.oneof(fc.constant(days(1, 2, 3, 4, 5, 6)), fc.array(RUN, { maxLength: 14 })),
    drills: fc.oneof(fc.constant([drill(1)]), fc.array(DRILL, { maxLength: 3 })),
    incidents: fc.array(INCIDENT, { maxLength: 2 }),
  })
  .map(({ runs, drills, incidents }) =>
    history({ runs: newestFirst(runs), drills: newestFirst(drills), incidents: newestFirst(incidents) }),
  );

const without = <T>(list: readonly T[], place: number): readonly T[] => list.filter((_, index) => index !== place);
const isGood = ({ caught, passed }: DrillRecord): boolean => caught === 8 && passed === 4;

describe("whatever the history, the earned level", () => {
  it("never rises by an incident", () => {
    assertProperty(
      fc.property(HISTORY, INCIDENT, (before, fresh) => {
        const incidents = newestFirst([...before.incidents, fresh]);
        expect(earnedLevel({ ...before, incidents }).earned <= earnedLevel(before).earned).toBe(true);
      }),
      { runs: 500 },
    );
  });

  it("never rises by taking away evidence for it", () => {
    assertProperty(
      fc.property(HISTORY, fc.nat(13), (before, place) => {
        const { earned } = earnedLevel(before);
        if (before.runs[place]?.result === "clean" && before.runs[place]?.gates.L2 === "g")
          expect(earnedLevel({ ...before, runs: without(before.runs, place) }).earned <= earned).toBe(true);
        const all = before.drills.every(isGood);
        if (all) expect(earnedLevel({ ...before, drills: without(before.drills, place) }).earned <= earned).toBe(true);
      }),
      { runs: 500 },
    );
  });

  it("never rises by time alone, and is L1 at least", () => {
    assertProperty(
      fc.property(HISTORY, fc.integer({ min: 0, max: 60 }), (before, more) => {
        const later: Earned = earnedLevel({ ...before, now: NOW + more * DAY });
        expect(later.earned <= earnedLevel(before).earned).toBe(true);
        expect(later.earned >= "L1").toBe(true);
      }),
      { runs: 500 },
    );
  });

  it("is missing something exactly where a higher level is not earned", () => {
    assertProperty(
      fc.property(HISTORY, LEVEL, (before, level) => {
        const earned = earnedLevel(before);
        expect(missingFor(earned, level).length > 0).toBe(level > earned.earned);
      }),
      { runs: 500 },
    );
  });
});
