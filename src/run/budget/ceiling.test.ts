import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import type { RunId } from "../../base/ids.ts";
import { type Cap, FLEET } from "../../limits/ledger/cap.ts";
import { decide } from "../decide.ts";
import type { RunEvent } from "../events.ts";
import { beginState, evolve } from "../evolve.ts";
import type { RunState } from "../state.ts";
import { isAboveReport, levelNow } from "./ceiling.ts";

const PLAN = planFrom(
  `stages:
  - id: both
    group:
      parallel: [{ id: a, command: [ok] }, { id: b, action: test.work }, { id: c, command: [ok] }]
      max_parallel: 2
    level: L2
`,
  { level: "L2" },
);
const CAP: Cap = { account: FLEET, unit: "tokens", window: "day", amount: 1, source: "pawl.yaml:1:1" };

function stateAfter(events: readonly RunEvent[], plan = PLAN): RunState {
  const created = {
    type: "run.created",
    at: 0,
    run: "r_1" as RunId,
    blueprint: "test",
    plan: "p",
    params: {},
  } as const;
  return events.reduce((state, event) => evolve(plan, state, event), beginState(created));
}

const BEGUN: readonly RunEvent[] = [
  { type: "run.started", at: 1 },
  { type: "group.opened", at: 1, stage: "both", visit: 1, members: 3 },
  { type: "stage.started", at: 1, stage: "both.a", visit: 1, attempt: 1, rule: "r" },
  { type: "stage.started", at: 1, stage: "both.b", visit: 1, attempt: 1, rule: "r" },
];
const degraded = (stage: string): RunEvent => ({
  type: "run.degraded",
  at: 2,
  stage,
  level: "L1",
  why: "80 %",
  cap: CAP,
});

describe("a run whose level is cut on its way", () => {
  it("starts nothing above L1, lets end what is under way, and then ends as it would at L1", () => {
    const busy = stateAfter([...BEGUN, degraded("both.b")]);
    expect(decide(PLAN, busy, 3)).toEqual({ kind: "wait", until: null });
    const end: RunEvent = {
      type: "stage.finished",
      at: 4,
      stage: "both.a",
      attempt: 1,
      outcome: "success",
      cause: "ok",
    };
    const idle = stateAfter([...BEGUN, degraded("both.b"), end]);
    expect(decide(PLAN, idle, 5)).toMatchObject({
      kind: "record",
      fact: { type: "run.finished", status: "succeeded", reason: "reported" },
    });
  });

  it("knows which stages need more by the stage that their path begins with", () => {
    expect(PLAN.above).toEqual(["both"]);
    expect(["both", "both.a", "both[3]", "bot", "other"].map((path) => isAboveReport(PLAN, path))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(isAboveReport(planFrom("stages:\n  - { id: a, command: [ok] }\n"), "a")).toBe(false);
  });

  it("is at L1 from there on, unless it only plans", () => {
    const { facts } = stateAfter(BEGUN);
    expect(levelNow(PLAN, facts)).toBe("L2");
    facts.degraded = true;
    expect(levelNow(PLAN, facts)).toBe("L1");
    expect(levelNow({ ...PLAN, level: "L0" }, facts)).toBe("L0");
  });

  it("goes on with what is entered instead: at once where that stage would begin, and later where a route leads to it", () => {
    const plan = planFrom(
      `stages:
  - { id: look, action: test.work }
  - { id: work, action: test.work, level: L2, below: told }
  - { id: told, action: test.work }
`,
      { level: "L2" },
    );
    const stateOf = (...events: readonly RunEvent[]): RunState => stateAfter(events, plan);
    const end = (stage: string): RunEvent => ({
      ...{ type: "stage.finished", at: 2, stage, attempt: 1, outcome: "success", cause: "ok" },
    });
    const begin = (stage: string): RunEvent => ({
      type: "stage.started",
      at: 1,
      stage,
      visit: 1,
      attempt: 1,
      rule: "r",
    });
    const started: RunEvent = { type: "run.started", at: 1 };
    const cursorOf = (state: RunState): unknown => "progress" in state && state.progress.cursor;
    const told = { to: "told", back: false };
    expect(cursorOf(stateOf(started, begin("look"), degraded("look"), end("look")))).toEqual(told);
    expect(cursorOf(stateOf(started, begin("look"), end("look"), begin("work"), degraded("work")))).toEqual(told);
    expect(cursorOf(stateOf(started, begin("look"), end("look")))).toEqual({ to: "work", back: false, below: told });
  });
});
