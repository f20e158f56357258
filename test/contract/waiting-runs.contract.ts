/** The contract of the WaitingRuns port. */
import { describe, expect, it } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { WaitingPage, WaitingQuery } from "../../src/ports/store/waiting-runs.ts";
import type { EventOf, RunEvent } from "../../src/run/events.ts";
import { buildCreated, buildFinished, buildPlan, buildRunId, createRun } from "../support/events-builder.ts";
import type { OpenStore } from "./store-fixture.ts";

const REQUEST = { type: "approval.requested", visit: 1, kind: "gate", why: "?", answers: ["approve"] } as const;

function buildRequest(
  id: string,
  at: number,
  more: Partial<EventOf<"approval.requested">> = {},
): EventOf<"approval.requested"> {
  return { ...REQUEST, at, id, stage: `stage-${id}`, digest: `digest of ${id}`, policy: "", ...more };
}

const rest = (at: number, more: Partial<EventOf<"run.waiting">> = {}): RunEvent => ({
  ...{ type: "run.waiting", at, reason: "awaiting_approval" },
  ...more,
});
const resumed = (at: number): RunEvent => ({ type: "run.resumed", at, after: "wait" });
const closed = (type: "approval.expired" | "approval.reminded", id: string, at: number): RunEvent => ({
  ...{ type, at, id, stage: `stage-${id}`, digest: `digest of ${id}` },
});
const answered = (id: string, at: number): RunEvent => ({
  ...{
    type: "approval.answered",
    at,
    id,
    stage: `stage-${id}`,
    digest: `digest of ${id}`,
    answer: "approve",
    by: "ann",
  },
});

/** A run that has started, with these events after it. */
async function createWith({ journal }: Store, events: readonly RunEvent[], parent?: RunId): Promise<RunId> {
  const run = await createRun(journal, parent === undefined ? {} : { parent });
  await journal.append(run, 3, events);
  return run;
}

async function append({ runs, journal }: Store, run: RunId, ...events: readonly RunEvent[]): Promise<void> {
  const row = await runs.get(run);
  expect(await journal.append(run, (row?.events ?? 0) + 1, events)).toMatchObject({ appended: true });
}

async function all(ask: (query: WaitingQuery) => Promise<WaitingPage>, limit: number): Promise<readonly RunId[]> {
  const found: RunId[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await ask(cursor === undefined ? { limit } : { limit, cursor });
    expect(page.runs.length).toBeLessThanOrEqual(limit);
    found.push(...page.runs.map(({ run }) => run));
    cursor = page.next;
  }
  return found;
}

export function waitingRunsContract(name: string, open: OpenStore): void {
  describe(`the waiting runs of a ${name} store`, () => {
    it("say what a run waits for, and nothing of one that does not rest", async () => {
      const { store } = await open();
      const request = buildRequest("q", 2000, { expiresAt: 9000, remindAt: 5000 });
      const run = await createWith(store, [request]);
      expect(await store.waiting.get(run)).toBeUndefined();
      await append(store, run, rest(2001));
      const question = { id: "q", stage: "stage-q", seq: 3, askedAt: 2000, expiresAt: 9000, remindAt: 5000 };
      const row = await store.runs.get(run);
      expect(await store.waiting.get(run)).toEqual({
        ...row,
        rest: { reason: "awaiting_approval", since: 2001, until: null, target: null, isReady: false },
        questions: [{ ...question, remindedAt: null }],
      });
      await append(store, run, closed("approval.reminded", "q", 5000));
      expect(await store.waiting.get(run)).toMatchObject({ questions: [{ ...question, remindedAt: 5000 }] });
      await append(store, run, answered("q", 6000));
      expect(await store.waiting.get(run)).toMatchObject({ questions: [], rest: { since: 2001, isReady: true } });
      await append(store, run, resumed(7000));
      expect(await store.waiting.get(run)).toBeUndefined();
      await append(store, run, rest(8000, { reason: "awaiting_quota", until: 9000, target: "quota:claude" }));
      expect(await store.waiting.get(run)).toMatchObject({
        rest: { reason: "awaiting_quota", since: 8000, until: 9000, target: "quota:claude", isReady: false },
      });
      await append(store, run, buildFinished("cancelled", "cancelled"));
      expect(await store.waiting.get(run)).toBeUndefined();
      expect(await store.waiting.get(buildRunId())).toBeUndefined();
      expect(await store.integrity()).toEqual([]);
    });

    it("know of a run that was created with all of it", async () => {
      const { store, another } = await open();
      const run = buildRunId();
      const plan = buildPlan();
      await store.journal.create(run, plan, [buildCreated(run, plan), buildRequest("q", 2000), rest(2001)]);
      expect((await (await another()).waiting.asking({ limit: 5 })).runs).toMatchObject([
        { run, holder: null, questions: [{ id: "q", seq: 2 }] },
      ]);
    });

    it("list those that ask, the newest first, page by page, with child runs and without drills", async () => {
      const { store } = await open();
      const asking: RunId[] = [];
      for (let i = 0; i < 5; i += 1) asking.unshift(await createWith(store, [buildRequest(`q${i}`, 2000), rest(2001)]));
      asking.unshift(await createWith(store, [buildRequest("c", 2000), rest(2001)], asking[0]));
      await createWith(store, [buildRequest("runs", 2000)]);
      await createWith(store, [rest(2001, { reason: "awaiting_budget", until: 3000 })]);
      const [plan, drilled] = [buildPlan(), buildRunId()];
      const created = { ...buildCreated(drilled, plan), drill: { id: "e_1", plant: "deleted_test-1" } };
      await store.journal.create(drilled, plan, [created, buildRequest("d", 2000, { expiresAt: 1 }), rest(2001)]);
      for (const limit of [1, 2, 6, 100]) expect(await all(store.waiting.asking, limit)).toEqual(asking);
      expect(await store.waiting.due({ by: 9999, limit: 5 })).toEqual({ runs: [], next: null });
      expect(await store.waiting.asking({ limit: 0 })).toEqual({ runs: [], next: null });
      expect((await store.waiting.asking({ limit: 5, cursor: "no page gave this" })).runs).toEqual([]);
    });

    it("list those with a question that is due, the earliest first, and those that rest until a time", async () => {
      const { store } = await open();
      const expiring = (at: number, remindAt?: number): Promise<RunId> =>
        createWith(store, [
          buildRequest("q", 2000, { expiresAt: at, ...(remindAt === undefined ? {} : { remindAt }) }),
          rest(2001),
        ]);
      const [late, early] = [await expiring(9000), await expiring(4000)];
      const reminding = await expiring(8000, 3000);
      await createWith(store, [buildRequest("open", 2000), rest(2001)]);
      for (const limit of [1, 2, 100]) {
        expect(await all((query) => store.waiting.due({ ...query, by: 9000 }), limit)).toEqual([
          reminding,
          early,
          late,
        ]);
        expect(await all((query) => store.waiting.due({ ...query, by: 3999 }), limit)).toEqual([reminding]);
      }
      await append(store, reminding, closed("approval.reminded", "q", 3000));
      await append(store, early, closed("approval.expired", "q", 4000));
      expect(await all((query) => store.waiting.due({ ...query, by: 9000 }), 5)).toEqual([reminding, late]);
      const parked = (until: number, parent?: RunId): Promise<RunId> =>
        createWith(store, [rest(2001, { reason: "awaiting_quota", until })], parent);
      const [second, first, third] = [await parked(5000), await parked(4000), await parked(5000)];
      await parked(4000, first);
      for (const limit of [1, 2, 100]) {
        expect(await all(store.waiting.parked, limit)).toEqual([first, second, third]);
        expect(await all((query) => store.waiting.parked({ ...query, by: 4000 }), limit)).toEqual([first]);
        expect(await all((query) => store.waiting.parked({ ...query, after: 4000 }), limit)).toEqual([second, third]);
        expect(await all((query) => store.waiting.parked({ ...query, after: 3999, by: 4999 }), limit)).toEqual([first]);
        expect(await all((query) => store.waiting.parked({ ...query, after: 5000 }), limit)).toEqual([]);
      }
      expect((await store.waiting.parked({ limit: 5, cursor: "no page gave this" })).runs).toEqual([]);
    });

    it("list those that have an answer while nobody hosts them, the oldest first", async () => {
      const { store, another } = await open();
      const ask = (): Promise<RunId> => createWith(store, [buildRequest("q", 2000, { expiresAt: 3000 }), rest(2001)]);
      const [first, second, third] = [await ask(), await ask(), await ask()];
      expect(await store.waiting.answered({ limit: 5 })).toEqual({ runs: [], next: null });
      await append(store, third, closed("approval.expired", "q", 3000));
      await append(store, first, answered("q", 2500));
      for (const limit of [1, 2, 100]) expect(await all(store.waiting.answered, limit)).toEqual([first, third]);
      const other = await another();
      await other.lease.claim(third);
      expect(await all(store.waiting.answered, 1)).toEqual([first]);
      await append(store, first, resumed(2600));
      expect(await all(store.waiting.answered, 1)).toEqual([]);
      await other.lease.release(third);
      expect(await all(store.waiting.answered, 1)).toEqual([third]);
      expect(await store.waiting.get(second)).toMatchObject({ rest: { isReady: false } });
      expect((await store.waiting.answered({ limit: 5, cursor: "no page gave this" })).runs).toEqual([]);
    });

    it("list a run when what it waits for is a child run that was answered or has ended, whichever was first", async () => {
      const { store } = await open();
      const rested = (child: RunId, at: number): RunEvent => ({
        type: "stage.rested",
        at,
        stage: "a",
        attempt: 1,
        child,
      });
      const family = async (): Promise<readonly [RunId, RunId, RunId]> => {
        const top = await createRun(store.journal);
        const middle = await createRun(store.journal, { parent: top });
        const asking = [buildRequest("q", 2000, { expiresAt: 3000 }), rest(2001)];
        return [top, middle, await createWith(store, asking, middle)];
      };
      const [top, middle, bottom] = await family();
      await append(store, middle, rested(bottom, 2002), rest(2003));
      await append(store, top, rested(middle, 2004), rest(2005));
      expect(await all(store.waiting.answered, 5)).toEqual([]);
      await append(store, bottom, answered("q", 2500));
      expect(await all(store.waiting.answered, 5)).toEqual([top]);
      await append(store, top, resumed(2600));
      await append(store, middle, resumed(2600));
      expect(await all(store.waiting.answered, 5)).toEqual([]);
      const [early, between, over] = await family();
      await append(store, over, closed("approval.expired", "q", 3000), resumed(3001));
      await append(store, between, rested(over, 3002), rest(3003));
      await append(store, over, buildFinished("rejected", "approval_expired"));
      await append(store, early, rested(between, 9001), rest(9002));
      expect(await all(store.waiting.answered, 5)).toEqual([early]);
      await append(store, early, resumed(9003), rest(9004));
      expect(await all(store.waiting.answered, 5)).toEqual([]);
      expect(await store.integrity()).toEqual([]);
    });

    it("are as the journal is when an append was refused", async () => {
      const { store } = await open();
      const run = await createWith(store, [buildRequest("q", 2000), rest(2001)]);
      expect(await store.journal.append(run, 3, [answered("q", 2002)])).toMatchObject({ appended: false });
      await expect(store.journal.append(run, 9, [answered("q", 2002)])).rejects.toMatchObject({
        code: "JOURNAL_SEQ_AHEAD",
      });
      expect(await store.waiting.get(run)).toMatchObject({ questions: [{ id: "q" }], rest: { isReady: false } });
      expect(await store.integrity()).toEqual([]);
    });
  });
}
