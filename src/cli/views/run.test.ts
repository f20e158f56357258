import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { visible } from "../../base/visible.ts";
import type { Fact } from "../../run/events.ts";
import { renderEventLine } from "./event-line.ts";
import { nextSteps, renderRun, shellWord } from "./run.ts";
import { beginStory, openAttempts, type RunStory, tell } from "./run-story.ts";

const paint = pc.createColors(false);
const RUN = "r_000000000000";
const CREATED: Fact = { type: "run.created", run: RUN, blueprint: "demo", plan: "a".repeat(64), params: {} };
const STARTED: Fact = { type: "run.started" };

function storyOf(...facts: Fact[]): RunStory {
  const story = beginStory(RUN);
  [CREATED, STARTED, ...facts].forEach((fact, index) => {
    tell(story, { seq: index + 1, hash: "", event: { ...fact, at: 1000 * (index + 1) } });
  });
  return story;
}

const start = (stage: string, attempt = 1, visit = 1): Fact => ({
  type: "stage.started",
  stage,
  visit,
  attempt,
  rule: "r",
});
const finish = (stage: string, exit: number, attempt = 1): Fact => ({
  type: "stage.finished",
  stage,
  attempt,
  outcome: exit === 0 ? "success" : "failure",
  cause: exit === 0 ? "ok" : "exit",
  exit,
  log: { sha256: "0", bytes: 1, dropped: 0 },
});
const failed: Fact = { type: "run.finished", status: "failed", reason: "stage_failed" };

describe("a told run", () => {
  it("knows what is under way and how each attempt ended", () => {
    const story = storyOf(start("a"), finish("a", 1), start("a", 2), finish("a", 0, 2), start("b"));
    expect(openAttempts(story).map((attempt) => attempt.stage)).toEqual(["b"]);
    expect(story.attempts.map(({ stage, attempt, outcome, exit }) => [stage, attempt, outcome, exit])).toEqual([
      ["a", 1, "failure", 1],
      ["a", 2, "success", 0],
      ["b", 1, null, undefined],
    ]);
  });

  it("shows its newest attempts and counts the others", () => {
    const facts = Array.from({ length: 40 }, (_, index) => [start(`s${index}`), finish(`s${index}`, 0)]).flat();
    const lines = renderRun(storyOf(...facts), paint, { now: 100_000, columns: 80, most: 5, hosted: true });
    expect(lines).toContain("35 earlier attempts not shown");
    expect(lines.filter((line) => /^s\d/.test(line))).toHaveLength(5);
  });

  it("I11: names what its stages have kept, and says what it could not", () => {
    const artifacts = Object.fromEntries(
      Array.from({ length: 22 }, (_, index) => [
        `./shots/${String(index).padStart(2, "0")}\u001b.png`,
        { sha256: "ab".repeat(32), bytes: 2048 },
      ]),
    );
    const kept = {
      ...finish("play", 1),
      artifacts: { ...artifacts, report: { sha256: "0", bytes: 1 } },
      unkept: 3,
    } as Fact;
    const lines = renderRun(storyOf(start("play"), kept), paint, { now: 100_000, columns: 100, most: 5, hosted: true });
    expect(lines.filter((line) => line.includes("shots/"))).toHaveLength(20);
    expect(lines.find((line) => line.includes("shots/21"))).toMatch(/^play +shots\/21\\x1b\.png +2 KiB +abababababab$/);
    expect(lines).toEqual(
      expect.arrayContaining([
        "2 earlier files not shown",
        "3 files could not be kept: too many, too large, or no ordinary files",
      ]),
    );
    expect(lines.join()).not.toContain("report");
  });

  it("accepts a journal that begins in the middle", () => {
    const story = beginStory(RUN);
    tell(story, { seq: 7, hash: "", event: { ...finish("a", 0), at: 1 } });
    tell(story, { seq: 8, hash: "", event: { type: "stage.interrupted", stage: "b", attempt: 1, at: 2 } });
    expect(story).toMatchObject({ events: 8, attempts: [] });
  });
});

describe("nextSteps", () => {
  const lines = (story: RunStory, hosted = false): string[] => nextSteps(story, hosted).map((step) => step.line);

  it("names the log of what went wrong", () => {
    expect(lines(storyOf(start("a b"), finish("a b", 1), failed))).toEqual([`pawl logs ${RUN} --stage 'a b'`]);
  });

  it("names the child run of what went wrong", () => {
    const end: Fact = {
      type: "stage.finished",
      stage: "a",
      attempt: 1,
      outcome: "failure",
      cause: "child",
      child: "r_1",
    };
    expect(lines(storyOf(start("a"), end, failed))).toEqual(["pawl show r_1"]);
  });

  it("says how to go on with a run that nobody hosts, and nothing of it while somebody does", () => {
    expect(lines(storyOf(start("a")))).toEqual([`pawl resume ${RUN}`]);
    expect(lines(storyOf(start("a")), true)).toEqual([]);
    expect(lines(storyOf({ type: "run.paused", by: "ada" }))).toEqual([`pawl resume ${RUN}`]);
  });

  it("gives the rule for what no rule allowed, and names the rule that denied", () => {
    const denied = (rule: string): RunStory =>
      storyOf(
        { type: "policy.denied", stage: "a", visit: 1, rule, why: "w", request: { kind: "shell", script: 'echo "x"' } },
        { type: "run.finished", status: "rejected", reason: "policy_denied" },
      );
    expect(lines(denied("default"))).toEqual(['policy:\n  allow:\n    - { shell: "echo \\"x\\"" }']);
    expect(nextSteps(denied("blueprint.deny[0]"), false)[0]?.say).toContain("The rule blueprint.deny[0] denies this");
  });

  it("says where files are that no saved tree holds, and names no stage that is none", () => {
    const story = storyOf(start("a"), finish("a", 0), {
      type: "run.finished",
      status: "succeeded",
      reason: "goal_achieved",
    });
    story.unsaved = [{ folder: "/w", why: "cut_off", stage: null, at: 1 }];
    story.archives = [
      { commit: "1".repeat(40), stage: null, at: 1 },
      { commit: "2".repeat(40), stage: "a", at: 2 },
    ];
    const steps = nextSteps(story, false).slice(-2);
    expect(steps).toEqual([
      {
        say: "The files that the run left are in no saved tree, because saving them was cut off: they are only in /w. Save them",
        line: "pawl gc",
      },
      {
        say: "The files of stage a that no saved tree can hold are in an archive in the vault (the last of 2), commit 222222222222. Put it on a branch",
        line: `pawl recover ${RUN} --to-branches`,
      },
    ]);
  });

  it("shows only the question that an answer would go to", () => {
    const story = storyOf({ type: "run.waiting", reason: "awaiting_approval" });
    const question = { id: "1-2", stage: "a", why: "w", answers: ["yes", "no"], request: null };
    story.open = [
      { ...question, run: RUN },
      { ...question, run: RUN, stage: "b" },
    ];
    expect(lines(story)).toEqual([`pawl resume ${RUN} --answer yes\npawl resume ${RUN} --answer no`]);
    story.open = [{ ...question, run: "r_1" }];
    expect(lines(story)).toEqual(["pawl resume r_1 --answer yes\npawl resume r_1 --answer no", `pawl resume ${RUN}`]);
  });
});

describe("text from outside", () => {
  it("never steers the terminal, in any line", () => {
    const evil = "\u001b[2J\u202e\nx\u009b31m";
    const facts: Fact[] = [
      { type: "stage.started", stage: evil, visit: 1, attempt: 1, rule: evil },
      { type: "stage.finished", stage: evil, attempt: 1, outcome: evil, cause: "exit", exit: 1, error: evil },
      { type: "stage.refused", stage: evil, visit: 1, error: evil },
      { type: "policy.denied", stage: evil, visit: 1, rule: evil, why: evil, request: { kind: "run", argv: [evil] } },
      {
        type: "approval.requested",
        stage: evil,
        visit: 1,
        kind: "policy",
        id: "1-d",
        digest: "d",
        why: evil,
        answers: [evil],
        policy: "p",
      },
      { type: "approval.answered", stage: evil, id: "1-d", digest: "x", answer: evil, by: evil, why: evil },
      { type: "approval.reminded", stage: evil, id: "1-d", digest: "x" },
      { type: "approval.expired", stage: evil, id: "1-d", digest: "x" },
      { type: "run.finished", status: "rejected", reason: "policy_denied", detail: evil },
    ];
    for (const fact of facts) {
      const line = renderEventLine({ ...fact, at: 1 }, paint);
      expect(line).toBe(visible(line));
    }
    for (const line of renderRun(storyOf(...facts), paint, { now: 1, columns: 80, most: 9, hosted: false })) {
      expect(line).toBe(visible(line));
    }
  });
});

describe("shellWord", () => {
  it("quotes what a shell would read as more than a word", () => {
    expect(["a-b", "it's", "a b", "$x", ""].map(shellWord)).toEqual(["a-b", "'it'\\''s'", "'a b'", "'$x'", "''"]);
  });
});
