import { describe, expect, it } from "vitest";
import { beginStagnation, noteVisit, type Stagnation, startAfresh, type Visit } from "./stagnation.ts";
import { STAGNATION_DEFAULTS, type StagnationLimits } from "./thresholds.ts";

/** A visit that ended well, of a stage that can write and wrote nothing. */
const VISIT: Visit = {
  stage: "fix",
  good: true,
  cause: "ok",
  error: "",
  tree: null,
  nature: "repeats",
  writes: true,
  hasNews: false,
  isFresh: false,
  tests: null,
};
const LOOK: Visit = { ...VISIT, stage: "look", writes: false };
const FAILURE: Visit = {
  ...LOOK,
  stage: "verify",
  good: false,
  cause: "exit",
  error: "node ended with 1: sum is wrong",
};
const to = (tree: string): Visit => ({ ...VISIT, tree });

function after(visits: readonly Visit[], limits: Partial<StagnationLimits> = {}): Stagnation {
  const run = beginStagnation();
  for (const visit of visits) noteVisit(run, { ...STAGNATION_DEFAULTS, ...limits }, visit);
  return run;
}

function found(visits: readonly Visit[], limits: Partial<StagnationLimits> = {}): string | null {
  return after(visits, limits).found?.detail ?? null;
}

const times = (count: number, ...visits: readonly Visit[]): readonly Visit[] =>
  Array.from({ length: count }, () => visits).flat();

describe("the same failure", () => {
  it("is found at the threshold and not before", () => {
    expect(found(times(2, FAILURE))).toBeNull();
    expect(found(times(3, FAILURE))).toBe(
      'same_failure: "verify" failed 3 times the same way: node ended with 1: sum is wrong, with nothing new in between',
    );
    expect(found(times(4, FAILURE), { sameFailure: 5 })).toBeNull();
    expect(found(times(5, FAILURE), { sameFailure: 5 })).toContain("failed 5 times");
  });

  it("is the same whatever numbers and times are in it, and another when its cause or its words are", () => {
    const say = (error: string): Visit => ({ ...FAILURE, error });
    expect(found([say("3 wrong at 10:02"), say("4 wrong at 10:03"), say("12 wrong at 11:00")])).not.toBeNull();
    expect(found([FAILURE, FAILURE, say("the door is shut"), FAILURE])).toBeNull();
    expect(found([FAILURE, FAILURE, { ...FAILURE, cause: "timeout" }, FAILURE])).toBeNull();
  });

  it("counts for each stage, and not over a visit of the stage that ended well", () => {
    const other = { ...FAILURE, stage: "lint" };
    expect(found([FAILURE, other, FAILURE, other])).toBeNull();
    expect(found([FAILURE, other, FAILURE, other, FAILURE])).toContain('"verify"');
    expect(found([FAILURE, FAILURE, { ...FAILURE, good: true }, FAILURE])).toBeNull();
  });

  it("shows no more of an error than a line", () => {
    expect(found(times(3, { ...FAILURE, error: "x".repeat(2000) }))).toHaveLength(201);
  });
});

describe("the same tree", () => {
  it("is found when a stage that can change it ends well and leaves it as it was", () => {
    expect(found(times(2, VISIT))).toBeNull();
    expect(found(times(3, VISIT))).toBe(
      'same_tree: "fix" ended well 3 times and left the tree as it was, with nothing new in between',
    );
    expect(found(times(3, VISIT), { sameTree: 4 })).toBeNull();
  });

  it("counts again from a tree that is new", () => {
    expect(found([VISIT, VISIT, to("t1"), VISIT, VISIT])).toBeNull();
    expect(found([VISIT, VISIT, to("t1"), VISIT, VISIT, VISIT])).not.toBeNull();
  });
});

describe("oscillation", () => {
  it("is found when the tree goes back and forth between those that the run had", () => {
    const swings = [to("a"), to("b"), to("a"), to("b"), to("a")];
    expect(found(swings)).toBeNull();
    expect(found([...swings, to("b")])).toBe(
      "oscillation: the tree was one that the run had before 4 times, now b, with nothing new in between",
    );
    expect(found([...swings, to("b")], { oscillation: 5 })).toBeNull();
  });

  it("is found for a cycle of any length", () => {
    const trees = ["a", "b", "c", "d", "e"].map(to);
    expect(found([...trees, ...trees.slice(0, 3)])).toBeNull();
    expect(found([...trees, ...trees.slice(0, 4)])).toContain("oscillation");
  });

  it("counts again from a tree, or a test outcome, that is new", () => {
    expect(found([to("a"), to("b"), to("a"), to("b"), to("a"), to("c"), to("a"), to("b")])).toBeNull();
    const judged = (tests: string): Visit => ({ ...FAILURE, tests });
    expect(found([to("a"), to("b"), to("a"), judged("1"), to("b"), to("a"), judged("2"), to("b"), to("a")])).toBeNull();
  });
});

describe("repeats", () => {
  it("are found when a stage that changes nothing ends well again and again", () => {
    expect(found(times(2, LOOK))).toBeNull();
    expect(found(times(3, LOOK))).toBe('repeats: "look" ended the same way 3 times, with nothing new in between');
    expect(found(times(3, LOOK), { repeats: 4 })).toBeNull();
  });

  it("count again from another result", () => {
    expect(found([LOOK, LOOK, { ...LOOK, hasNews: true }, LOOK])).toBeNull();
  });
});

describe("test outcomes", () => {
  const judged = (tests: string): Visit => ({ ...FAILURE, tests });
  const trees = (count: number, tests: string): readonly Visit[] =>
    Array.from({ length: count }, (_, index) => [to(`${tests}${index}`), judged(tests)]).flat();

  it("are found when none is new however often the tree is", () => {
    expect(found(trees(10, "x"))).toBeNull();
    expect(found(trees(11, "x"))).toBe(
      'test_outcomes: "verify" failed 10 times without a test outcome that is new, with nothing new in between',
    );
    expect(found(trees(4, "x"), { testOutcomes: 3 })).toContain("failed 3 times");
  });

  it("count again from an outcome that the gate never had, and not from one that it had", () => {
    const limits = { testOutcomes: 3, oscillation: 100, sameFailure: 100 };
    expect(found([...trees(3, "x"), ...trees(3, "y")], limits)).toBeNull();
    expect(found([judged("x"), judged("y"), judged("x"), judged("y"), judged("x")], limits)).not.toBeNull();
  });

  it("count again when the gate passes, and when work is handed on", () => {
    const limits = { testOutcomes: 3, oscillation: 100, sameFailure: 100 };
    expect(found([...trees(3, "x"), { ...judged("x"), good: true }, judged("x")], limits)).toBeNull();
    const commit: Visit = { ...LOOK, stage: "commit", nature: "waits", isFresh: true };
    expect(found([...trees(3, "x"), commit, judged("x")], limits)).toBeNull();
  });
});

describe("a stage that reaches the outside", () => {
  const poll: Visit = { ...FAILURE, stage: "poll", nature: "waits" };

  it("may fail the same way for ever: it waits for something", () => {
    expect(found(times(50, poll))).toBeNull();
    expect(found(times(50, poll, VISIT))).toBeNull();
  });

  it("counts nothing when it ends well, and lets the others be counted", () => {
    expect(found(times(50, { ...poll, good: true }))).toBeNull();
    expect(found(times(3, { ...poll, good: true }, FAILURE))).not.toBeNull();
  });
});

describe("a stage that is told the round", () => {
  it("is never the same visit again", () => {
    expect(found(times(50, { ...VISIT, nature: "differs" }))).toBeNull();
    expect(found(times(50, { ...FAILURE, nature: "differs" }))).toBeNull();
  });
});

describe("a person who acts", () => {
  it("makes a fresh start, also of a run that was found stuck", () => {
    const run = after(times(3, FAILURE));
    expect(run.found).not.toBeNull();
    startAfresh(run);
    expect({ found: run.found, failures: run.failures.size, returns: run.returns }).toEqual({
      found: null,
      failures: 0,
      returns: 0,
    });
    expect(found([FAILURE, FAILURE, { ...LOOK, stage: "ask", nature: "waits", isFresh: true }, FAILURE])).toBeNull();
  });
});

describe("what is found first", () => {
  it("stays what was found", () => {
    const run = after([...times(3, FAILURE), to("t9")]);
    expect(run.found?.rule).toBe("sameFailure");
  });
});
