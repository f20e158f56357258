/** What an answer costs: the run is taken over once, and its journal is read twice. */
import { expect, test } from "vitest";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { ResumeWatch } from "../../src/runtime/resume/answer-and-resume.ts";
import type { RunAdmission } from "../../src/runtime/resume/run-admission.ts";
import { createApprovals } from "../../src/runtime/trust/approvals.ts";
import { GATE_PLAN, sqlite, waitingLife } from "../support/approval-life.ts";

const FREE: RunAdmission = {
  run: null,
  enter: async () => true,
  tryEnter: async () => true,
  leave: async () => undefined,
};
const WATCH: ResumeWatch = {
  signal: new AbortController().signal,
  onWait: () => undefined,
  onAnswered: () => undefined,
  onLost: () => undefined,
};

/** A run that asks, and what another process does to answer it. */
async function answering(admission: RunAdmission = FREE) {
  const life = await waitingLife(GATE_PLAN, sqlite);
  const counts = { takeovers: 0, reads: 0 };
  const counted = (store: Store): Store => ({
    ...store,
    lease: {
      ...store.lease,
      claim(run) {
        counts.takeovers += 1;
        return store.lease.claim(run);
      },
    },
    journal: {
      ...store.journal,
      read(run, after, limit) {
        if (after === 0) counts.reads += 1;
        return store.journal.read(run, after, limit);
      },
    },
  });
  let shown: Store | null = null;
  const { engine } = await life.fixture.host((store) => {
    shown = counted(store);
    return shown;
  });
  const store = shown as unknown as Store;
  const approvals = createApprovals(
    {
      trees: { diff: () => Promise.reject(new Error("nothing has changed")) },
      clock: createSystemClock(),
      requireAllowed: async () => undefined,
      admission: () => admission,
      onAnswered: () => undefined,
    },
    async () => ({ store, engine }),
    () => true,
  );
  const { id } = await life.question();
  counts.reads = 0;
  return { life, counts, approvals, id };
}

test("an answer and the run that resumes with it are one takeover and two reads of the journal", async () => {
  const { life, counts, approvals, id } = await answering();
  const told: string[] = [];
  const watch = { ...WATCH, onAnswered: ({ status }: { readonly status: string }) => void told.push(status) };
  const { hosted } = await approvals.answerAndResume(id, { answer: "approve", by: "ann" }, watch);
  // Nobody hears of an answer that is not durable.
  expect(told).toEqual(["approved"]);
  expect(await hosted?.ended).toMatchObject({ status: "succeeded" });
  expect([life.applied(), counts]).toEqual([1, { takeovers: 1, reads: 2 }]);
});

test("an answer that is only recorded is one takeover and two reads, too", async () => {
  const { counts, approvals, id } = await answering();
  const { approval } = await approvals.answer(id, { answer: "approve", by: "ann" });
  expect([approval.status, counts]).toEqual(["approved", { takeovers: 1, reads: 2 }]);
});

test("an answer is stored before the run waits for its paths", async () => {
  const order: string[] = [];
  const taken: RunAdmission = {
    ...FREE,
    tryEnter: async () => false,
    async enter() {
      order.push("waits");
      return false;
    },
    leave: async () => void order.push("left"),
  };
  const { life, approvals, id } = await answering(taken);
  const watch = { ...WATCH, onAnswered: () => void order.push("answered") };
  const { hosted } = await approvals.answerAndResume(id, { answer: "approve", by: "ann" }, watch);
  expect([hosted, order, life.applied()]).toEqual([null, ["answered", "waits", "left"], 0]);
});
