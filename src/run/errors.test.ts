import { describe, expect, it } from "vitest";
import { diagnose } from "../base/diagnostic.ts";
import { RUN_ERRORS } from "./errors.ts";

describe("RUN_ERRORS", () => {
  it("name what they are about, and what to do", () => {
    expect(diagnose(RUN_ERRORS, "RUN_NOT_FOUND", { run: "r_1" }).what).toBe('no run is called "r_1"');
    expect(diagnose(RUN_ERRORS, "RUN_AMBIGUOUS", { run: "r_", matches: ["r_1", "r_2"] }).what).toBe(
      '"r_" could be r_1, r_2',
    );
    expect(diagnose(RUN_ERRORS, "RUN_ENDED", { run: "r_1", status: "failed", reason: "oom" }).what).toBe(
      "run r_1 has ended: failed (oom)",
    );
    expect(diagnose(RUN_ERRORS, "RUN_HELD", { run: "r_1", pid: 7, hostname: "box" }).what).toBe(
      "run r_1 is hosted by process 7 on box",
    );
    const killed = { scope: "all", by: "ann", why: "", source: ".pawl/kill", since: "now", isForeign: false };
    const everything = diagnose(RUN_ERRORS, "RUN_KILL_SWITCH", killed);
    expect([everything.what, everything.hint]).toEqual([
      "the kill switch is on since now (.pawl/kill, ann)",
      "Release it with `pawl kill --release`, or remove .pawl/kill.",
    ]);
    const foreign = { ...killed, scope: "r_1", why: "enough", source: "STATE.md:3", isForeign: true };
    const one = diagnose(RUN_ERRORS, "RUN_KILL_SWITCH", foreign);
    expect([one.what, one.hint]).toEqual([
      "the kill switch is on for run r_1 since now (STATE.md:3, ann: enough)",
      "Take the line out of STATE.md:3 to release it.",
    ]);
    expect(diagnose(RUN_ERRORS, "RUN_NOT_HOSTED", { run: "r_1", status: "paused" }).what).toContain(
      "no process hosts it",
    );
    const needed = diagnose(RUN_ERRORS, "RUN_ANSWER_NEEDED", {
      run: "r_1",
      stage: "a",
      id: "1-2",
      why: "it was lost",
      answers: ["again", "done"],
    });
    expect(needed.what).toBe('run r_1 waits for an answer about "a": it was lost');
    expect(needed.hint).toBe("Answer with `pawl resume r_1 --answer again|done`.");
    const unknown = diagnose(RUN_ERRORS, "RUN_ANSWER_UNKNOWN", { run: "r_1", answer: "maybe", answers: ["again"] });
    expect([unknown.what, unknown.hint]).toEqual([
      '"maybe" is not an answer to the open question of run r_1',
      "Use one of: again.",
    ]);
    const none = diagnose(RUN_ERRORS, "RUN_ANSWER_UNKNOWN", { run: "r_1", answer: "maybe", answers: [] });
    expect([none.what, none.hint]).toEqual([
      'run r_1 has no open question that "maybe" could answer',
      "Resume it without --answer.",
    ]);
    expect(diagnose(RUN_ERRORS, "RUN_LOST", { run: "r_1" }).what).toBe("another process has written to run r_1");
    expect(diagnose(RUN_ERRORS, "RUN_SECRET_IN_PLAN", { plan: "fix" }).what).toContain('"fix"');
    const damaged = diagnose(RUN_ERRORS, "RUN_DAMAGED", { run: "r_1", seq: 3, problem: "the event is missing" });
    expect(damaged.what).toBe("the journal of run r_1 is damaged at event 3: the event is missing");
    expect(damaged.hint).toContain("`pawl verify r_1`");
    expect(diagnose(RUN_ERRORS, "RUN_PLAN_MISSING", { run: "r_1", plan: "p" }).what).toContain("is not in the journal");
  });

  it("say what became of a question, and what to do about it", () => {
    const id = "1-2";
    const run = "r_1";
    const told = [
      diagnose(RUN_ERRORS, "RUN_APPROVAL_NOT_FOUND", { id }),
      diagnose(RUN_ERRORS, "RUN_APPROVAL_AMBIGUOUS", { id, matches: ["1-23", "1-24"] }),
      diagnose(RUN_ERRORS, "RUN_APPROVAL_OTHER_RUN", { id, run }),
      diagnose(RUN_ERRORS, "RUN_APPROVAL_USED", { id, answer: "approve", by: "ann" }),
      diagnose(RUN_ERRORS, "RUN_APPROVAL_EXPIRED", { id, run }),
      diagnose(RUN_ERRORS, "RUN_APPROVAL_CANCELLED", { id }),
      diagnose(RUN_ERRORS, "RUN_APPROVAL_CHANGED", { id, run }),
      diagnose(RUN_ERRORS, "RUN_APPROVAL_UNSHOWN", { id, reasons: ["it is long", "it is odd"] }),
      diagnose(RUN_ERRORS, "RUN_ANSWER_NEEDED", { run, stage: "a", id, why: "it asks", answers: ["approve", "deny"] }),
    ];
    expect(told.map(({ what }) => what)).toEqual([
      'no question is called "1-2"',
      '"1-2" could be 1-23, 1-24',
      "the question 1-2 was not asked by run r_1",
      "the question 1-2 was answered already: approve by ann",
      "the question 1-2 has expired",
      "nobody asks 1-2 any more: its run went its way without an answer",
      "what the question 1-2 is about is not what it was when it was asked",
      "the change that 1-2 is about cannot be shown in full: it is long; it is odd",
      'run r_1 waits for an answer about "a": it asks',
    ]);
    expect(told.map(({ hint }) => hint).filter((hint) => hint.includes("1"))).toHaveLength(5);
  });
});
