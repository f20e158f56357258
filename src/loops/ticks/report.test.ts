import { describe, expect, it } from "vitest";
import type { EventOf, RunEvent } from "../../run/events.ts";
import { reportTick } from "./report.ts";

type Finished = EventOf<"stage.finished">;

const finished = (stage: string, outcome = "success", more: Partial<Finished> = {}): Finished => ({
  ...{ type: "stage.finished", at: 1, stage, attempt: 1, outcome, cause: "ok", ...more },
});
const spending = (tokens: number) => ({ usage: { tokens, microUsd: 5 } });
const STARTED: RunEvent = { type: "run.started", at: 0 };
const ACT = finished("triage", "act");
const IMPLEMENTED = finished("implement");
const report = (...events: readonly RunEvent[]) => reportTick(events, ["a.ts", "docs/b.md"]);
/** Of a tick that has acted, and how it went on. */
const acted = (...events: readonly RunEvent[]) => report(ACT, IMPLEMENTED, ...events);
const TOUCHING = ["triage decision: act", "proposed change touching a.ts, docs/b.md"];

describe("a tick in words", () => {
  it("is what triage has decided, where nothing was done", () => {
    for (const decision of ["noop", "report", "act"] as const)
      expect(report(STARTED, finished("triage", decision), finished("record"))).toEqual({
        decision,
        verdict: null,
        tokens: 0,
        details: [`triage decision: ${decision}`],
      });
  });

  it("is a failure, where triage has decided nothing", () => {
    const failed = { decision: "failed", verdict: null, tokens: 0, details: ["triage decision: failed"] };
    expect(report()).toEqual(failed);
    expect(report(STARTED)).toEqual(failed);
    expect(report(finished("triage", "failure"), finished("gave_up"))).toEqual(failed);
  });

  it("says why nothing began, as far as it was said", () => {
    const halted = (more: Partial<Finished>) => report(finished("admit", "failure", more), finished("halted"));
    const told = (why: string) => ({ decision: "halted", verdict: null, tokens: 0, details: [`halted: ${why}`] });
    expect(halted({ error: "budget: 2 of 1 tokens spent today" })).toEqual(told("budget: 2 of 1 tokens spent today"));
    expect(halted({})).toEqual(told("nobody said why admit has failed"));
    expect(report(finished("halted"))).toEqual(told("nobody said why"));
    const price = finished("price", "failure", { error: "it took too long" });
    expect(report(finished("admit"), price, finished("halted"))).toEqual(told("it took too long"));
  });

  it("says what held triage back, and nothing of what held back later stages", () => {
    const parked: RunEvent = {
      ...{ type: "stage.parked", at: 1, stage: "triage", attempt: 1, reason: "awaiting_budget", until: 9 },
      why: "the cap of today",
    };
    expect(report(STARTED, parked)).toEqual({
      ...{ decision: "halted", verdict: null, tokens: 0, details: ["halted: the cap of today"] },
    });
    expect(report(ACT, { ...parked, stage: "implement" }).decision).toBe("act");
  });

  it("counts the tokens of every attempt, and is about the last one", () => {
    const events = [
      finished("triage", "failure", spending(100)),
      finished("triage", "report", { ...spending(20), attempt: 2 }),
      finished("record"),
    ];
    expect(report(STARTED, ...events)).toEqual({
      decision: "report",
      verdict: null,
      tokens: 120,
      details: ["triage decision: report"],
    });
  });

  it("names what a change touches, if anything", () => {
    const told = { decision: "act", verdict: "reject", tokens: 0 };
    const verdict = "verifier verdict: reject";
    expect(acted()).toEqual({ ...told, details: [...TOUCHING, verdict] });
    expect(reportTick([ACT, IMPLEMENTED], [])).toEqual({
      ...told,
      details: ["triage decision: act", "proposed change touching nothing", verdict],
    });
  });

  it("has the verdict of the review, else that of the tests; whatever is no yes is a no", () => {
    const cases = [
      [[finished("verify", "pass"), finished("review", "accept")], "accept"],
      [[finished("verify", "pass"), finished("review", "escalate")], "escalate"],
      [[finished("verify", "pass"), finished("review", "reject")], "reject"],
      [[finished("verify", "pass"), finished("review", "failure")], "reject"],
      [[finished("verify", "escalate")], "escalate"],
      [[finished("verify", "fail")], "reject"],
      [[finished("verify", "pass")], "reject"],
    ] as const;
    for (const [events, verdict] of cases)
      expect(acted(...events)).toEqual({
        ...{ decision: "act", verdict, tokens: 0 },
        details: [...TOUCHING, `verifier verdict: ${verdict}`],
      });
  });

  it("ends with what became of the change", () => {
    const cases = [
      ["merged", "accept", "merged: safe + allowlisted"],
      ["proposed", "accept", "committed: safe + allowlisted"],
      ["escalated", "escalate", "escalated to a person: the change is kept"],
      ["rejected", "reject", "discarded: nothing is kept"],
    ] as const;
    for (const [stage, verdict, end] of cases)
      expect(acted(finished("review", verdict), finished(stage))).toEqual({
        ...{ decision: "act", verdict, tokens: 0 },
        details: [...TOUCHING, `verifier verdict: ${verdict}`, end],
      });
  });

  it("ends with one thing only: the one that went furthest", () => {
    expect(acted(finished("review", "accept"), finished("proposed"), finished("merged"))).toEqual({
      ...{ decision: "act", verdict: "accept", tokens: 0 },
      details: [...TOUCHING, "verifier verdict: accept", "merged: safe + allowlisted"],
    });
  });

  it("says why it came to no end of its own", () => {
    const told = (last: string) => ({
      ...{ decision: "failed", verdict: null, tokens: 0 },
      details: ["triage decision: failed", last],
    });
    const ended = { type: "run.finished", at: 9, status: "rejected", reason: "policy_denied" } as const;
    const parked: RunEvent = {
      ...{ type: "stage.parked", at: 8, stage: "price", attempt: 1, reason: "awaiting_budget", until: 99 },
      why: "too dear",
    };
    const waiting = { type: "run.waiting", at: 9, reason: "awaiting_budget" } as const;
    expect(report(ended)).toEqual(told("ended: policy_denied"));
    expect(report({ ...ended, detail: "rule 7" })).toEqual(told("ended: rule 7"));
    expect(report(ACT, parked, waiting).details).toEqual(["triage decision: act", "waits: too dear"]);
    expect(report(waiting)).toEqual(told("waits: awaiting_budget"));
    const cap = {
      account: { scope: "fleet", name: "" },
      unit: "tokens",
      window: "day",
      amount: 1,
      source: "",
    } as never;
    const refused = {
      type: "budget.refused",
      at: 8,
      stage: "price",
      attempt: 1,
      why: "never",
      cap,
      spent: 0,
      reserved: 0,
      asked: 2,
    } as const;
    expect(report(ACT, refused, { ...ended, reason: "budget_exhausted" }).details).toEqual([
      "triage decision: act",
      "ended: never",
    ]);
  });

  it("says nothing more where it ended well", () => {
    const end = { type: "run.finished", at: 9, status: "succeeded", reason: "noop" } as const;
    expect(report(finished("triage", "noop"), finished("record"), end).details).toEqual(["triage decision: noop"]);
  });

  it("says that an item was tried too often to be tried again", () => {
    expect(report(ACT, finished("claim", "failure"), finished("tried_out"))).toEqual({
      decision: "act",
      verdict: null,
      tokens: 0,
      details: ["triage decision: act", "escalated to a person: tried too often"],
    });
  });
});
