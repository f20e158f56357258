import { describe, expect, it } from "vitest";
import type { EventOf, RunEvent } from "../events.ts";
import { isAtRest, lastRowChange, listedUnder, rowChange, startedBy } from "./row.ts";

const at = 1;
const created: RunEvent = { type: "run.created", at, run: "r_1", blueprint: "demo", plan: "p", params: {} };
const started: RunEvent = { type: "run.started", at };
const finished: RunEvent = { type: "run.finished", at, status: "blocked", reason: "max_rounds" };

describe("rowChange", () => {
  it.each<[RunEvent, unknown]>([
    [created, { status: "queued", reason: null }],
    [started, { status: "running", reason: null }],
    [
      { type: "run.resumed", at, after: "wait" },
      { status: "running", reason: null },
    ],
    [
      { type: "run.waiting", at, reason: "awaiting_approval" },
      { status: "waiting", reason: "awaiting_approval" },
    ],
    [
      { type: "run.paused", at, by: "ann" },
      { status: "paused", reason: null },
    ],
    [finished, { status: "blocked", reason: "max_rounds" }],
    [{ type: "run.pausing", at, by: "ann" }, undefined],
    [{ type: "run.stopping", at, reason: "cancelled", detail: "asked" }, undefined],
    [{ type: "stage.interrupted", at, stage: "a", attempt: 1 }, undefined],
  ])("lists a run after $type as its status", (event, change) => {
    expect(rowChange(event)).toEqual(change);
  });
});

describe("lastRowChange", () => {
  it("is what the last telling event says", () => {
    expect(lastRowChange([created, started, { type: "run.pausing", at, by: "ann" }])).toEqual({
      status: "running",
      reason: null,
    });
    expect(lastRowChange([created, started, finished])).toEqual({ status: "blocked", reason: "max_rounds" });
    expect(lastRowChange([])).toBeUndefined();
  });
});

describe("isAtRest", () => {
  it("holds for a run that has ended or waits for a person", () => {
    expect(["waiting", "paused", "succeeded", "killed"].map((status) => isAtRest(status as "paused"))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(["queued", "running"].map((status) => isAtRest(status as "queued"))).toEqual([false, false]);
  });
});

describe("listedUnder", () => {
  const first = created as EventOf<"run.created">;

  it("is the run that started it, the drills, or nothing, and a row tells the same", () => {
    const rows = [
      first,
      { ...first, parent: { run: "r_2", stage: "a" } },
      { ...first, drill: { id: "d", plant: "p" } },
    ];
    expect(rows.map(listedUnder).map(startedBy)).toEqual([
      { parent: null },
      { parent: "r_2" },
      { parent: null, drill: true },
    ]);
  });
});
