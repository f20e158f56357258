import { describe, expect, it } from "vitest";
import type { EventOf, RunEvent } from "../../run/events.ts";
import type { Found } from "./found.ts";
import { addOnce } from "./recorded.ts";
import { refusedEntry, unrecordedEntry } from "./unrecorded.ts";

const AT = Date.UTC(2026, 10, 16, 14, 5, 9);
const TICK = { pattern: "ci-sweeper", run: "r_1", records: new Set(["record", "proposed"]) };
const STARTED: RunEvent = { type: "run.started", at: AT - 2_000 };
const finished = (stage: string, outcome = "success", more: Partial<EventOf<"stage.finished">> = {}): RunEvent => ({
  ...{ type: "stage.finished", at: AT, stage, attempt: 1, outcome, cause: "ok", ...more },
});
const ITEM = { id: "#12", text: "flaky", role: "act", attempts: 0, decision: null, action: null, earlier: [] } as const;
const FOUND: Found = { at: AT, items: [ITEM], stale: [], constraints: [], halted: null };
const DISCOVERED = finished("discover", "success", { output: FOUND as never });
const ended = (more: Partial<EventOf<"run.finished">> = {}): RunEvent => ({
  ...{ type: "run.finished", at: AT + 4_400, status: "cancelled", reason: "cancelled", ...more },
});
const ENTRY = {
  ...{ runId: "2026-11-16T14:05:09Z", pattern: "ci-sweeper", durationS: 4, itemsFound: 1, actionsTaken: 0 },
  ...{ escalations: 0, tokensEstimate: 0, outcome: "no-op", extra: { run: "r_1", note: "cancelled" } },
};

describe("the entry of a tick that none of its stages could write", () => {
  it("says how the run ended, and what it had found by then", () => {
    expect(unrecordedEntry(TICK, [STARTED, DISCOVERED, ended()])).toEqual(ENTRY);
    expect(unrecordedEntry(TICK, [STARTED, DISCOVERED, ended({ detail: "by ann" })])).toEqual({
      ...ENTRY,
      extra: { run: "r_1", note: "cancelled: by ann" },
    });
  });

  it("counts from the first event where nothing was found, and never below zero", () => {
    const early = { ...ENTRY, runId: "2026-11-16T14:05:07Z", durationS: 6, itemsFound: 0 };
    expect(unrecordedEntry(TICK, [STARTED, ended()])).toEqual(early);
    expect(unrecordedEntry(TICK, [STARTED, DISCOVERED, ended({ at: AT - 9_000 })])).toEqual({ ...ENTRY, durationS: 0 });
  });

  it("names the item that was worked on, what it has used, and a fix that was proposed before the end", () => {
    const triage = finished("triage", "act", {
      output: { outcome: "act", item: "#12" },
      usage: { tokens: 70, microUsd: 1 },
    });
    const lost: RunEvent = {
      ...{ type: "stage.interrupted", at: AT, stage: "implement", attempt: 1, usage: { tokens: 5, microUsd: 0 } },
    };
    const worked = { ...ENTRY, tokensEstimate: 75, extra: { run: "r_1", item: "#12", note: "cancelled" } };
    expect(unrecordedEntry(TICK, [STARTED, DISCOVERED, triage, lost, ended()])).toEqual(worked);
    expect(unrecordedEntry(TICK, [STARTED, DISCOVERED, triage, lost, finished("commit"), ended()])).toEqual({
      ...worked,
      actionsTaken: 1,
      outcome: "fix-proposed",
    });
    expect(unrecordedEntry(TICK, [STARTED, DISCOVERED, finished("commit", "failure"), ended()])).toEqual(ENTRY);
  });

  it("is none while the tick goes on, and none where a stage has written one", () => {
    expect(unrecordedEntry(TICK, [STARTED, DISCOVERED])).toBeNull();
    expect(unrecordedEntry(TICK, [STARTED, DISCOVERED, finished("record"), ended()])).toBeNull();
    expect(unrecordedEntry(TICK, [STARTED, DISCOVERED, finished("record", "failure"), ended()])).toEqual(ENTRY);
  });

  it("keeps the first 500 characters of what was said", () => {
    const entry = unrecordedEntry(TICK, [STARTED, DISCOVERED, ended({ detail: "a".repeat(600) })]);
    expect(entry?.extra["note"]).toBe(`cancelled: ${"a".repeat(489)}`);
  });
});

describe("the entry of a tick that may not begin", () => {
  const refused = refusedEntry(TICK, "a".repeat(600), AT);

  it("is a no-op that says why, and names no run", () => {
    expect(refused).toEqual({
      ...{ ...ENTRY, durationS: 0, itemsFound: 0 },
      extra: { refused: "r_1", note: "a".repeat(500) },
    });
  });

  it("is written once, however often the tick is tried, and does not take the place of that of its run", () => {
    const once = addOnce("", refused, AT);
    expect(addOnce(once, refusedEntry(TICK, "later", AT + 60_000), AT)).toBe(once);
    const other = addOnce(once, refusedEntry({ ...TICK, run: "r_2" }, "", AT), AT);
    expect(addOnce(other, ENTRY, AT)).toBe(
      `${other}${JSON.stringify({
        ...{
          run_id: ENTRY.runId,
          pattern: "ci-sweeper",
          duration_s: 4,
          items_found: 1,
          actions_taken: 0,
          escalations: 0,
        },
        ...{ tokens_estimate: 0, outcome: "no-op", run: "r_1", note: "cancelled" },
      })}\n`,
    );
  });
});
