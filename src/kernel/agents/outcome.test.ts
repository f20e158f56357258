import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import type { AgentStage } from "../../plan/plan.ts";
import type { AgentReport } from "../../ports/agents/agent-backend.ts";
import { finishedBy } from "./outcome.ts";

const stage = (more: string): AgentStage =>
  planFrom(`stages:\n  - { id: a, agent: { use: asks, goal: "?"${more} } }\n`).stages[0] as AgentStage;
const told = (more: Partial<AgentReport>): AgentReport => ({
  outcome: { kind: "completed" },
  text: "",
  session: null,
  reported: null,
  ...more,
});
const CHECKER = stage(", role: checker");

describe("the answer of an agent", () => {
  it("is its last words where nothing was asked for", () => {
    expect(finishedBy(stage(""), told({ text: "done" }), false)).toEqual({
      outcome: "success",
      cause: "ok",
      output: "done",
    });
    expect(finishedBy(stage(""), told({ output: 3 }), false)).toMatchObject({ output: 3 });
    const long = finishedBy(stage(""), told({ text: "x".repeat(20_000) }), false);
    expect(String(long.output)).toHaveLength(16_385);
  });

  it("is kept as it was when it was ended, and is no success", () => {
    const ended = { outcome: "failure", cause: "killed", error: "the agent was ended" };
    const outcome = { kind: "cancelled" } as const;
    expect(finishedBy(stage(""), told({ outcome }), false)).toEqual(ended);
    expect(finishedBy(stage(""), told({ outcome, output: { a: 1 } }), false)).toEqual({ ...ended, output: { a: 1 } });
    const late = finishedBy(stage(""), told({ outcome, output: { a: 1 } }), true);
    expect(late).toMatchObject({ outcome: "failure", cause: "timeout" });
  });

  it.each([
    ["as data", { output: { outcome: "reject", why: "no" } }],
    ["as the last line", { text: 'I looked.\n{"outcome":"reject"}' }],
    ["in a block of code", { text: 'I looked.\n```json\n{"outcome":"reject"}\n```' }],
    ["over several lines", { text: 'So:\n{\n  "outcome": "reject"\n}' }],
  ])("names one of its outcomes, %s", (_how, report) => {
    expect(finishedBy(CHECKER, told(report), false)).toMatchObject({ outcome: "reject", cause: "ok" });
  });

  it.each([
    ["no JSON", { text: "I accept this." }, "it is no JSON"],
    ["half of it", { text: '{"outcome":"accept"' }, "it is no JSON"],
    ["a list", { text: "[1]" }, "it is no JSON"],
    ["another word", { output: { outcome: "approve" } }, "outcome"],
    ["no outcome", { output: { why: "fine" } }, "outcome"],
    ["text", { output: "accept" }, "it"],
  ])("A15: %s is a reject", (_what, report, problem) => {
    const end = finishedBy(CHECKER, told(report), false);
    expect(end).toMatchObject({ outcome: "reject", cause: "invalid_output" });
    expect(end.error).toContain(problem);
  });

  it("is a failure where a reject is no answer", () => {
    const triage = stage(", outcomes: [act, report]");
    expect(finishedBy(triage, told({ text: "?" }), false)).toMatchObject({
      outcome: "failure",
      cause: "invalid_output",
    });
    expect(finishedBy(triage, told({ output: { outcome: "act" } }), false)).toMatchObject({ outcome: "act" });
  });

  it("fits the schema of its author, or is none", () => {
    const counted = stage(", schema: { type: object, properties: { n: { type: integer } }, required: [n] }");
    expect(finishedBy(counted, told({ output: { n: 3 } }), false)).toMatchObject({
      outcome: "success",
      output: { n: 3 },
    });
    expect(finishedBy(counted, told({ output: { n: "3" } }), false)).toMatchObject({ cause: "invalid_output" });
    const both = stage(
      ", outcomes: [act], schema: { type: object, properties: { n: { type: integer } }, required: [n] }",
    );
    expect(finishedBy(both, told({ output: { outcome: "act" } }), false)).toMatchObject({ outcome: "failure" });
    expect(finishedBy(both, told({ output: { outcome: "act", n: 1 } }), false)).toMatchObject({ outcome: "act" });
  });

  it("says where a schema of a plan cannot be read", () => {
    const planned = stage("");
    const broken = { ...planned, agent: { ...planned.agent, schema: { minimun: 3 } } };
    expect(finishedBy(broken, told({ output: 3 }), false).error).toContain("its schema cannot be read");
  });

  it("counts although the time was over, where the agent had said its last word", () => {
    expect(finishedBy(stage(""), told({ text: "done" }), true)).toMatchObject({ outcome: "success" });
  });
});

describe("what an agent says when it fails", () => {
  it("is cut before it is kept: a next attempt gets it as a variable", () => {
    const error = "e".repeat(900_000);
    for (const outcome of [
      { kind: "failed", why: "lost", error },
      { kind: "denied", error },
      { kind: "budget", error },
    ] as const) {
      expect(String(finishedBy(stage(""), told({ outcome }), false).error)).toHaveLength(16_385);
    }
  });

  it("is a reject when its answer is nested beyond reason", () => {
    const text = `{"outcome":"accept","x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
    expect(finishedBy(CHECKER, told({ text }), false)).toMatchObject({ outcome: "reject", cause: "invalid_output" });
  });
});
