import { describe, expect, it } from "vitest";
import type { EndedRun, LoopFacts, OpenRun, ResumeOutlook, Standing } from "./facts.ts";
import { WHY_KINDS, type WhyKind, whyOf } from "./why.ts";

const NOTHING: LoopFacts = { loop: "fix", pulled: null, open: [], breakers: [], spent: [], held: null, last: null };
const STAGE = { stage: "build", attempt: 2, since: 70, lastLine: "compiling" };
const QUESTION = { id: "r_1-ab", stage: "review", why: "push to main", askedAt: 60, expiresAt: null };
const LAST: EndedRun = { run: "r_9", status: "succeeded", reason: "goal_achieved", at: 90, stage: null, detail: null };
const BREAKER = { target: "action:git.push", since: 40, why: "5 failures in a row", until: 400 };
const CAP = { cap: "the tokens/day of loop fix (loop-budget.md:3:9)", freesAt: 500 };
const PULLED = { by: "ann", why: "runaway", at: 30, run: null, line: null };

const STANDINGS = {
  running: { as: "running", since: 50, stages: [STAGE] },
  lost: { as: "lost", since: 51 },
  approval: { as: "awaiting_approval", since: 52, questions: [QUESTION] },
  budget: { as: "awaiting_budget", since: 53, detail: "the day", until: 300 },
  quota: { as: "awaiting_quota", since: 54, detail: "anthropic", until: 300 },
  paused: { as: "paused", since: 55, by: "ann" },
} as const satisfies Record<string, Standing>;

const open = (...stands: readonly Standing[]): readonly OpenRun[] =>
  stands.map((each, at) => ({ run: `r_${at + 1}`, stands: each }));
const why = (facts: Partial<LoopFacts>) => whyOf({ ...NOTHING, ...facts });

describe("the one reason of a loop", () => {
  it("is that it never ran, where there is no run", () => {
    expect(why({})).toEqual({
      loop: "fix",
      kind: "never_ran",
      run: null,
      what: "it never ran",
      since: null,
      clears: "somebody starts a run",
      command: "pawl run fix",
      nextWake: null,
      others: {},
    });
  });

  it("is the stage under way, with what it last said", () => {
    expect(why({ open: open(STANDINGS.running) })).toMatchObject({
      kind: "running",
      run: "r_1",
      what: "run r_1 is under way: stage build, attempt 2; it last said: compiling",
      since: 70,
      command: "pawl status r_1 --watch",
    });
    const silent = { ...STAGE, lastLine: null };
    expect(why({ open: open({ as: "running", since: 50, stages: [silent, STAGE] }) })).toMatchObject({
      what: "run r_1 is under way: stage build, attempt 2 and 1 more",
    });
    expect(why({ open: open({ as: "running", since: 50, stages: [] }) })).toMatchObject({
      what: "run r_1 is under way, between two stages",
      since: 50,
    });
  });

  it("is that its process is gone, since it was last heard of", () => {
    expect(why({ open: open(STANDINGS.lost) })).toMatchObject({
      kind: "host_gone",
      what: "no process hosts run r_1 any more; nothing of it is lost",
      since: 51,
      clears: "somebody resumes it",
      command: "pawl resume r_1",
    });
  });

  it("is a question, since it was asked; and that an answer waits to be used", () => {
    expect(why({ open: open(STANDINGS.approval) })).toMatchObject({
      kind: "awaiting_approval",
      what: "run r_1 asks at stage review: push to main",
      since: 60,
      clears: "an answer of a person",
      command: "pawl approve r_1-ab",
    });
    const two = { ...STANDINGS.approval, questions: [{ ...QUESTION, expiresAt: 99 }, QUESTION] };
    expect(why({ open: open(two) })).toMatchObject({
      what: "run r_1 asks at stage review (and 1 more): push to main",
      clears: "an answer of a person; without one it expires",
    });
    expect(why({ open: open({ ...STANDINGS.approval, questions: [] }) })).toMatchObject({
      kind: "awaiting_approval",
      what: "run r_1 was answered",
      since: 52,
      clears: "somebody resumes it",
      command: "pawl resume r_1",
    });
  });

  it("is that a server resumes an answered run, or why it could not", () => {
    const answered = (outlook: ResumeOutlook) => why({ open: open({ ...STANDINGS.approval, questions: [], outlook }) });
    expect(answered({ isServed: true, refusal: null })).toMatchObject({
      what: "run r_1 was answered",
      clears: "a server resumes it",
      command: null,
    });
    expect(answered({ isServed: false, refusal: null })).toMatchObject({ clears: "somebody resumes it" });
    for (const isServed of [true, false])
      expect(answered({ isServed, refusal: "no sandbox" })).toMatchObject({
        what: "run r_1 was answered, and a server could not resume it: no sandbox",
        clears: "somebody resumes it",
        command: "pawl resume r_1",
      });
  });

  it("is a cap or a quota, and when it goes on", () => {
    expect(why({ open: open(STANDINGS.budget) })).toMatchObject({
      kind: "awaiting_budget",
      what: "run r_1 waits for budget: the day",
      since: 53,
      clears: "its time: the process that waits for it goes on then, and without one whoever resumes it",
      command: "pawl resume r_1",
      nextWake: 300,
    });
    expect(why({ open: open(STANDINGS.quota) })).toMatchObject({
      kind: "awaiting_quota",
      what: "run r_1 waits for its quota: anthropic",
      nextWake: 300,
    });
    expect(why({ open: open({ ...STANDINGS.budget, until: null }) })).toMatchObject({
      clears: "a person raises the cap",
      command: "pawl budget",
      nextWake: null,
    });
  });

  it("is who paused it, or that its blueprint did", () => {
    expect(why({ open: open(STANDINGS.paused) })).toMatchObject({
      kind: "paused",
      what: "run r_1 was paused by ann",
      since: 55,
    });
    expect(why({ open: open({ ...STANDINGS.paused, by: "route" }) })).toMatchObject({
      what: "run r_1 rests where its blueprint says so",
      command: "pawl resume r_1",
    });
  });

  it("is an open breaker, or a cap of which nothing is left, when no run is open", () => {
    expect(why({ breakers: [BREAKER], last: LAST })).toMatchObject({
      kind: "breaker_open",
      run: "r_9",
      what: "the breaker of action:git.push is open: 5 failures in a row",
      since: 40,
      clears: "one trial is let through then, or a person closes it",
      command: "pawl breakers reset action:git.push",
      nextWake: 400,
    });
    expect(why({ breakers: [{ ...BREAKER, until: null }] })).toMatchObject({
      run: null,
      clears: "a person closes it",
      nextWake: null,
    });
    expect(why({ spent: [CAP], last: LAST })).toMatchObject({
      kind: "budget_spent",
      what: "nothing is left of the tokens/day of loop fix (loop-budget.md:3:9)",
      since: 90,
      clears: "the cap frees",
      nextWake: 500,
    });
    expect(why({ spent: [{ ...CAP, freesAt: null }] })).toMatchObject({
      run: null,
      since: null,
      clears: "a person raises the cap",
      nextWake: null,
    });
  });

  it("is how the last run ended, in the past tense", () => {
    expect(why({ last: LAST })).toMatchObject({
      kind: "finished",
      what: "the last run, r_9, succeeded (goal_achieved); nothing is due",
      since: 90,
      command: "pawl run fix",
    });
    const failed: EndedRun = { ...LAST, status: "failed", reason: "stage_failed", stage: "build", detail: "exit 1" };
    expect(why({ last: failed })).toMatchObject({
      kind: "failed",
      what: "the last run, r_9, ended as failed (stage_failed) at stage build: exit 1; nothing is due",
    });
    expect(why({ last: { ...failed, stage: null, detail: null } }).what).toBe(
      "the last run, r_9, ended as failed (stage_failed); nothing is due",
    );
    expect(why({ last: { ...LAST, stage: "flaky" } }).what).toBe(
      "the last run, r_9, succeeded (goal_achieved); nothing is due",
    );
  });

  it("is the kill switch, whatever else there is", () => {
    expect(why({ pulled: PULLED, open: open(STANDINGS.running), breakers: [BREAKER], last: LAST })).toMatchObject({
      kind: "kill_switch",
      run: "r_1",
      what: "the kill switch was pulled by ann: runaway",
      since: 30,
      command: "pawl kill --release",
      others: {},
    });
    expect(why({ pulled: { ...PULLED, line: "STATE.md:12" } })).toMatchObject({
      clears: "a person takes out STATE.md:12; nothing goes on by itself after that",
      command: null,
    });
    expect(why({ pulled: { ...PULLED, why: "" } })).toMatchObject({
      run: null,
      what: "the kill switch was pulled by ann",
    });
  });

  it("is the kill switch of one run only when that run is one of the loop's", () => {
    const both = open(STANDINGS.running, STANDINGS.lost);
    expect(why({ pulled: { ...PULLED, run: "r_2" }, open: both })).toMatchObject({
      kind: "kill_switch",
      run: "r_2",
      others: { running: 1 },
    });
    expect(why({ pulled: { ...PULLED, run: "r_7" }, open: both })).toMatchObject({ kind: "running", run: "r_1" });
    expect(why({ pulled: { ...PULLED, run: "r_7" } })).toMatchObject({ kind: "never_ran" });
  });
});

describe("the order of reasons", () => {
  /** What makes each kind hold. */
  const CAUSES: readonly (readonly [WhyKind, Partial<LoopFacts>])[] = [
    ["kill_switch", { pulled: PULLED }],
    ["running", { open: open(STANDINGS.running) }],
    ["host_gone", { open: open(STANDINGS.lost) }],
    ["awaiting_approval", { open: open(STANDINGS.approval) }],
    ["awaiting_budget", { open: open(STANDINGS.budget) }],
    ["awaiting_quota", { open: open(STANDINGS.quota) }],
    ["paused", { open: open(STANDINGS.paused) }],
    ["path_lock", { held: { kind: "path_lock", what: "x", since: 1 } }],
    ["max_open", { held: { kind: "max_open", what: "x", since: 1 } }],
    ["breaker_open", { breakers: [BREAKER] }],
    ["budget_spent", { spent: [CAP] }],
    ["failed", { last: { ...LAST, status: "blocked", reason: "max_visits" } }],
    ["finished", { last: LAST }],
    ["never_ran", {}],
  ];

  it("has every kind", () => {
    expect(CAUSES.map(([kind]) => kind)).toEqual(WHY_KINDS);
  });

  it.each(CAUSES.slice(0, -2).map(([kind], at) => [kind, at] as const))(
    "puts %s before all that follow",
    (kind, at) => {
      for (const [, later] of CAUSES.slice(at + 1)) {
        const earlier = CAUSES[at]?.[1] ?? {};
        // The one that comes later is the newer run: that does not matter.
        const runs = [...(later.open ?? []), ...(earlier.open ?? [])].map(({ stands }) => stands);
        expect(why({ ...later, ...earlier, open: open(...runs) }).kind).toBe(kind);
      }
    },
  );

  it("takes the newest of two runs that stand the same way, and counts the others", () => {
    const stands = [STANDINGS.paused, STANDINGS.lost, STANDINGS.lost, STANDINGS.paused, STANDINGS.approval];
    expect(why({ open: open(...stands) })).toMatchObject({
      kind: "host_gone",
      run: "r_2",
      others: { paused: 2, host_gone: 1, awaiting_approval: 1 },
    });
  });

  it("L11: is the path lock of another loop, or too many open proposals, before any breaker", () => {
    const what = "it waits for the path lock of loop other (src/**)";
    expect(why({ held: { kind: "path_lock", what, since: 20 }, breakers: [BREAKER], last: LAST })).toMatchObject({
      ...{ kind: "path_lock", what, since: 20, run: "r_9", clears: "that run ends, or its lease does", command: null },
    });
    expect(why({ held: { kind: "max_open", what: "3 of them", since: null } })).toMatchObject({
      ...{ kind: "max_open", run: null, clears: "a person accepts or rejects one", command: "pawl merge --list" },
    });
  });
});
