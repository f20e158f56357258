import { expect, test } from "vitest";
import type { Plan } from "../../../plan/plan.ts";
import type { RunEvent } from "../../../run/events.ts";
import { beginStory, heartbeatOf, tellStory } from "./story.ts";

const PLAN = {
  limits: { rounds: 3 },
  stages: [
    { id: "begin", kind: "action" },
    { id: "scan", kind: "gate" },
    { id: "verify", kind: "gate" },
    { id: "baseline", kind: "gate" },
  ],
} as unknown as Plan;

const started = (stage: string, at: number): RunEvent => ({
  type: "stage.started",
  stage,
  visit: 1,
  attempt: 1,
  rule: "r",
  at,
});
const finished = (stage: string, outcome: string, at: number): RunEvent => ({
  ...{ type: "stage.finished", stage, attempt: 1, outcome, at },
  cause: outcome === "pass" ? "ok" : "exit",
});

test("M7: the speed is that of the newest steps, and the time left is what is left of them at that speed", () => {
  const story = beginStory("r_1", PLAN);
  expect(heartbeatOf(story, null)).toMatchObject({ speed: null, eta_seconds: null });
  tellStory(story, started("scan", 1000), null);
  expect(heartbeatOf(story, null)).toMatchObject({ speed: null, eta_seconds: null, step: "scan" });
  tellStory(story, finished("scan", "pass", 3000), null);
  expect(heartbeatOf(story, null)).toMatchObject({ speed: 30, eta_seconds: 4 });
  tellStory(story, started("verify", 3000), null);
  tellStory(story, finished("verify", "fail", 7000), "log");
  expect(heartbeatOf(story, null)).toMatchObject({
    speed: 20,
    eta_seconds: 3,
    normal: false,
    last_error: "verify: exit",
    log_path: "log",
  });
  for (let at = 0; at < 12; at += 1) {
    tellStory(story, started("baseline", at * 1000), null);
    tellStory(story, finished("baseline", "pass", at * 1000 + 500), null);
  }
  expect(heartbeatOf(story, null)).toMatchObject({ speed: 120, eta_seconds: 0, baseline: "pass", verify: "fail" });
});

test("B10: rounds in a row that failed are counted once each, and a good one ends the row", () => {
  const story = beginStory("r_1", PLAN);
  const counts: unknown[] = [];
  for (const [round, outcome] of ["fail", "fail", "pass", "fail"].entries()) {
    if (round > 0) tellStory(story, { type: "round.started", round: round + 1, stage: "scan", at: round }, null);
    tellStory(story, finished("scan", outcome, round), null);
    if (outcome === "fail") tellStory(story, finished("verify", outcome, round), null);
    counts.push(heartbeatOf(story, null)["consecutive_failures"]);
  }
  expect(counts).toEqual([1, 2, 2, 1]);
});
