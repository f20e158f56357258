/** What looking after waiting runs costs, counted in reads of journals: nothing while nothing is due, whatever their number. */
import { expect, it } from "vitest";
import { createRun } from "../../test/support/events-builder.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import { createMemoryStore } from "../adapters/memory/store.ts";
import type { RunId } from "../base/ids.ts";
import type { Engine } from "../ports/engine.ts";
import type { Store } from "../ports/store/store.ts";
import type { RunEvent } from "../run/events.ts";
import { openRunsOf } from "./money/loop-facts.ts";
import { createApprovals } from "./trust/approvals.ts";
import { createAnswerListeners } from "./waking/answer-listeners.ts";
import { createWaking } from "./waking/parked.ts";

const RUNS = 300;
const HOUR = 3_600_000;

const ask = (id: string, now: number): RunEvent => ({
  ...{ type: "approval.requested", at: now, stage: "gate", visit: 1, kind: "gate", id, digest: "d", why: "?" },
  ...{ answers: ["approve", "deny"], policy: "", expiresAt: now + 2 * HOUR, remindAt: now + HOUR },
});

/** Half of the runs wait for an answer and half for a quota, an hour from now; journals are counted when they are read. */
async function waitingProject() {
  let passed = 0;
  const virtual = createVirtualClock();
  const clock = { ...virtual, now: () => virtual.now() + passed };
  const inner = createMemoryStore({ clock });
  let reads = 0;
  const store: Store = {
    ...inner,
    journal: {
      ...inner.journal,
      async read(...query) {
        reads += 1;
        return inner.journal.read(...query);
      },
    },
  };
  const now = clock.now();
  const runs: RunId[] = [];
  for (let i = 0; i < RUNS; i += 1) {
    const run = await createRun(store.journal, { more: 20 });
    const isAsking = i % 2 === 0;
    const rest: RunEvent = isAsking
      ? { type: "run.waiting", at: now, reason: "awaiting_approval" }
      : { type: "run.waiting", at: now, reason: "awaiting_quota", until: now + HOUR + i };
    await store.journal.append(run, 23, isAsking ? [ask(`q${i}`, now), rest] : [rest]);
    if (isAsking) runs.push(run);
  }
  const tended: RunId[] = [];
  const engine = { tend: async (run: RunId) => void tended.push(run) } as Pick<Engine, "tend"> as Engine;
  const open = async () => ({ store, engine });
  const approvals = createApprovals(
    {
      ...{ trees: { diff: () => Promise.reject(new Error("no tree")) }, clock, onAnswered: () => undefined },
      requireAllowed: () => Promise.reject(new Error("nothing resumes here")),
      admission: () => {
        throw new Error("nothing resumes here");
      },
    },
    open,
    () => true,
  );
  const waking = createWaking(
    { root: "/nowhere", admit: async () => undefined, answers: createAnswerListeners() },
    open,
    () => true,
  );
  const counted = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
    const before = reads;
    const result = await work;
    return [result, reads - before];
  };
  const pass = (ms: number): void => {
    passed += ms;
  };
  return { clock, pass, store, approvals, waking, tended, runs, counted };
}

it("reads no journal while nothing is due", async () => {
  const { clock, approvals, waking, tended, counted } = await waitingProject();
  expect(await counted(approvals.sweepApprovals())).toEqual([{ expired: [], reminded: [], failed: [] }, 0]);
  expect(await counted(approvals.hasDueApprovals())).toEqual([false, 0]);
  expect(await counted(waking.parked({ by: clock.now() }))).toEqual([[], 0]);
  expect(tended).toEqual([]);
});

it("tends exactly those of which something is due, and reads a page of questions where they were asked", async () => {
  const { pass, store, approvals, waking, tended, runs, counted } = await waitingProject();
  pass(HOUR);
  const [swept, reads] = await counted(approvals.sweepApprovals());
  expect([swept.reminded.length, swept.expired.length, reads, tended]).toEqual([RUNS / 2, 0, 0, runs]);
  expect(await counted(approvals.hasDueApprovals())).toEqual([true, 0]);
  pass(2 * HOUR);
  expect((await approvals.sweepApprovals()).expired).toHaveLength(RUNS / 2);
  const [parked, parkedReads] = await counted(waking.parked({ limit: 7 }));
  expect([parked.length, parkedReads]).toEqual([7, 0]);
  const [page, pageReads] = await counted(approvals.approvals({ status: "pending", limit: 20 }));
  expect([page.approvals.length, pageReads]).toEqual([20, 40]);
  expect(page.approvals[0]).toMatchObject({ id: `q${RUNS - 2}`, stage: "gate", status: "pending", remindedAt: null });
  const heartbeats = { read: async () => [] };
  const [, whyReads] = await counted(
    openRunsOf({ store, heartbeats, outlook: async () => ({ isServed: false, refusal: null }) }, "demo"),
  );
  expect(whyReads).toBeLessThanOrEqual(4);
});
