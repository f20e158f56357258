import { describe, expect, it } from "vitest";
import type { EventOf, RunEvent } from "../events.ts";
import { recordWaiting, type WaitingRow, type WaitingRows, waitingAfter } from "./record-waiting.ts";
import { concernsWaiting, foldWaiting, isWaitingForNothing, NOT_WAITING, nextDue, ready } from "./waiting.ts";

const at = 10;
const ask = (id: string, stage = id, more: Partial<EventOf<"approval.requested">> = {}): RunEvent => ({
  ...{ type: "approval.requested", at, id, stage, visit: 1, kind: "gate", digest: "d", why: "?", policy: "" },
  answers: ["approve"],
  ...more,
});
const about = (id: string) => ({ at: 20, id, stage: id, digest: "d" });
const WAITS: RunEvent = { type: "run.waiting", at: 11, reason: "awaiting_approval" };
const RESUMED: RunEvent = { type: "run.resumed", at: 12, after: "wait" };
const ENDED: RunEvent = { type: "run.finished", at: 13, status: "cancelled", reason: "cancelled" };
const answer = (id: string): RunEvent => ({ type: "approval.answered", ...about(id), answer: "approve", by: "ann" });
const rested = (child: string): RunEvent => ({ type: "stage.rested", at, stage: "a", attempt: 1, child });

function waitsAfter(...events: readonly RunEvent[]) {
  return waitingAfter(events.map((event, i) => ({ event, seq: i + 1 })));
}

describe("foldWaiting", () => {
  it("keeps each question until it is answered, has expired, is asked anew, or its group or run is over", () => {
    const ids = (...events: readonly RunEvent[]): readonly string[] =>
      waitsAfter(...events).questions.map(({ id }) => id);
    expect(ids(ask("a"), ask("b"))).toEqual(["a", "b"]);
    expect(ids(ask("a"), ask("b"), answer("a"))).toEqual(["b"]);
    expect(ids(ask("a"), ask("b"), { type: "approval.expired", ...about("b") })).toEqual(["a"]);
    expect(ids(ask("a", "s"), ask("b", "s"))).toEqual(["b"]);
    const closed: RunEvent = { type: "group.closed", at, stage: "g", outcome: "failure" };
    expect(ids(ask("a", "g.x"), ask("b", "g[2]"), ask("c", "gate"), closed)).toEqual(["c"]);
    expect(waitsAfter(ask("a"), WAITS, rested("r_2"), ENDED)).toEqual(NOT_WAITING);
  });

  it("says where a question was asked, until when it is open, and whether people were reminded", () => {
    const times = { expiresAt: 90, remindAt: 50 };
    const question = { id: "a", stage: "a", seq: 1, askedAt: at, ...times };
    expect(waitsAfter(ask("a", "a", times)).questions).toEqual([{ ...question, remindedAt: null }]);
    const reminded = waitsAfter(ask("a", "a", times), ask("b"), { type: "approval.reminded", ...about("a") });
    expect(reminded.questions).toMatchObject([
      { ...question, remindedAt: 20 },
      { id: "b", remindedAt: null },
    ]);
  });

  it("knows why and until when a run rests, and whether anything has changed since", () => {
    const rest = { reason: "awaiting_approval", since: 11, until: null, target: null, isReady: false };
    expect(waitsAfter(ask("a"), WAITS).rest).toEqual(rest);
    expect(waitsAfter(ask("a"), WAITS, answer("a")).rest).toEqual({ ...rest, isReady: true });
    expect(waitsAfter(ask("a"), WAITS, { type: "approval.expired", ...about("a") }).rest?.isReady).toBe(true);
    expect(waitsAfter(ask("a"), { type: "approval.expired", ...about("a") }).rest).toBeNull();
    expect(waitsAfter(WAITS, RESUMED).rest).toBeNull();
    const parked: RunEvent = { ...WAITS, reason: "awaiting_quota", until: 99, target: "quota:claude" };
    expect(waitsAfter(parked).rest).toEqual({ ...rest, reason: "awaiting_quota", until: 99, target: "quota:claude" });
  });

  it("keeps the child runs that stages wait for until the run goes on", () => {
    expect(waitsAfter(rested("r_2"), rested("r_3"), WAITS).children).toEqual(["r_2", "r_3"]);
    expect(waitsAfter(rested("r_2"), WAITS, RESUMED, rested("r_3")).children).toEqual(["r_3"]);
  });

  it("is not changed by what does not concern it", () => {
    const started: RunEvent = { type: "run.started", at };
    expect([concernsWaiting(started), concernsWaiting(WAITS)]).toEqual([false, true]);
    const waiting = waitsAfter(ask("a"));
    expect(foldWaiting(waiting, started, 2)).toBe(waiting);
    expect([isWaitingForNothing(waiting), isWaitingForNothing(waitsAfter(started))]).toEqual([false, true]);
    expect([isWaitingForNothing(waitsAfter(rested("r_2"))), isWaitingForNothing(waitsAfter(WAITS))]).toEqual([
      false,
      false,
    ]);
  });
});

describe("nextDue", () => {
  it("is the first end or reminder of the questions of a run that rests", () => {
    const times = { expiresAt: 90, remindAt: 50 };
    expect(nextDue(waitsAfter(ask("a", "a", times), ask("b", "b", { expiresAt: 70 }), WAITS))).toBe(50);
    const reminded: RunEvent = { type: "approval.reminded", ...about("a") };
    expect(nextDue(waitsAfter(ask("a", "a", times), ask("b", "b", { expiresAt: 70 }), WAITS, reminded))).toBe(70);
    expect(nextDue(waitsAfter(ask("a"), WAITS))).toBeNull();
    expect(nextDue(waitsAfter(ask("a", "a", times)))).toBeNull();
    expect(ready(null)).toBeNull();
  });
});

/** What a store keeps, with the parent of each run. */
function rowsOf(parents: Readonly<Record<string, string | null>>) {
  const rows = new Map<string, WaitingRow>(
    Object.entries(parents).map(([run, parent]) => [run, { waiting: NOT_WAITING, parent, isOver: false }]),
  );
  const table: WaitingRows = {
    get: (run) => rows.get(run),
    set(run, waiting) {
      rows.set(run, { ...(rows.get(run) as WaitingRow), waiting });
    },
  };
  const record = (run: string, ...events: readonly RunEvent[]): void => {
    if (events.some(({ type }) => type === "run.finished")) {
      rows.set(run, { ...(rows.get(run) as WaitingRow), isOver: true });
    }
    recordWaiting(
      table,
      run,
      events.map((event, i) => ({ event, seq: i + 1 })),
    );
  };
  const isReady = (run: string): boolean | undefined => rows.get(run)?.waiting.rest?.isReady;
  return { rows, record, isReady };
}

describe("recordWaiting", () => {
  it("tells every run above that waits for a child run which has its answer or its end", () => {
    for (const change of [answer("q"), ENDED]) {
      const { record, isReady } = rowsOf({ r_1: null, r_2: "r_1", r_3: "r_2" });
      record("r_3", ask("q"), WAITS);
      record("r_2", rested("r_3"), WAITS);
      record("r_1", rested("r_2"), WAITS);
      expect(["r_1", "r_2", "r_3"].map(isReady)).toEqual([false, false, false]);
      record("r_3", change);
      expect(["r_1", "r_2"].map(isReady)).toEqual([true, true]);
    }
  });

  it("sees that a child run had its answer, or its end, before the run came to rest with it", () => {
    for (const change of [answer("q"), ENDED]) {
      const { record, isReady } = rowsOf({ r_1: null, r_2: "r_1" });
      record("r_2", ask("q"), WAITS, change);
      record("r_1", rested("r_2"), WAITS);
      expect(isReady("r_1")).toBe(true);
    }
  });

  it("tells nobody who does not wait for that child run, and of no run that is not there", () => {
    const { rows, record, isReady } = rowsOf({ r_1: null, r_2: "r_1", r_3: "r_1", r_4: "gone" });
    record("r_1", rested("r_2"), rested("r_9"), WAITS);
    for (const run of ["r_3", "r_4", "r_9"]) record(run, ask("q"), WAITS, answer("q"));
    expect(isReady("r_1")).toBe(false);
    record("r_1", RESUMED);
    record("r_2", ask("q"), WAITS, answer("q"));
    expect(isReady("r_1")).toBeUndefined();
    expect(rows.has("r_9")).toBe(false);
    record("r_1", rested("r_2"), WAITS);
    record("r_2", answer("q"));
    expect(isReady("r_1")).toBe(true);
  });
});
