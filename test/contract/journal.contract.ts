/** The contract of the Journal port. */
import { describe, expect, it } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import { canonical, type JsonObject } from "../../src/base/json.ts";
import type { Journal } from "../../src/ports/store/journal.ts";
import type { RunEvent, StoredEvent } from "../../src/run/events.ts";
import { chainNext, chainStart } from "../../src/run/record/chain.ts";
import {
  buildCreated,
  buildFinished,
  buildPlan,
  buildRunId,
  buildStageStarted,
  createRun,
  STARTED,
} from "../support/events-builder.ts";
import type { OpenStore } from "./store-fixture.ts";

const ALL = Number.MAX_SAFE_INTEGER;
const seqs = (stored: readonly StoredEvent[]): number[] => stored.map(({ seq }) => seq);

async function collect(events: AsyncIterable<StoredEvent>, most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const found: number[] = [];
  for await (const { seq } of events) if (found.push(seq) >= most) break;
  return found;
}

/** Every event must be chained to the one before, over its canonical text. */
async function expectChained(journal: Journal, run: RunId): Promise<void> {
  let hash = chainStart(run);
  for (const stored of await journal.read(run, 0, ALL)) {
    hash = chainNext(hash, canonical(stored.event as unknown as JsonObject));
    expect(stored.hash).toBe(hash);
  }
  const report = await journal.verify(run);
  expect(report).toMatchObject({ intact: true, head: hash });
}

export function journalContract(name: string, open: OpenStore): void {
  describe(`Journal contract: ${name}`, () => {
    describe("create", () => {
      it("stores the run, its plan and its first events", async () => {
        const { journal } = (await open()).store;
        const plan = buildPlan();
        const run = buildRunId();
        expect(await journal.create(run, plan, [buildCreated(run, plan), STARTED])).toEqual({ created: true });
        expect((await journal.read(run, 0, ALL)).map(({ event }) => event)).toEqual([buildCreated(run, plan), STARTED]);
        expect(await journal.plan(plan.fingerprint)).toEqual(plan);
        expect(await journal.plan("nothing")).toBeUndefined();
        await expectChained(journal, run);
      });

      it("leaves a run of the same id as it is", async () => {
        const { store, another } = await open();
        const run = await createRun(store.journal);
        const plan = buildPlan("other");
        for (const { journal } of [store, await another()]) {
          expect(await journal.create(run, plan, [buildCreated(run, plan)])).toEqual({ created: false });
        }
        expect(await store.journal.read(run, 0, ALL)).toHaveLength(2);
        expect((await store.runs.get(run))?.blueprint).toBe("demo");
      });

      it("lets one of two creators win, whoever that is", async () => {
        const { store, another } = await open();
        const other = await another();
        const plan = buildPlan();
        const run = buildRunId();
        const events = [buildCreated(run, plan)];
        const both = await Promise.all([
          store.journal.create(run, plan, events),
          other.journal.create(run, plan, events),
        ]);
        expect(both.filter(({ created }) => created)).toHaveLength(1);
        await expectChained(store.journal, run);
      });

      it("refuses events that do not begin with the run's own run.created", async () => {
        const { journal } = (await open()).store;
        const plan = buildPlan();
        const run = buildRunId();
        for (const events of [[], [STARTED], [buildCreated(buildRunId(), plan)]]) {
          await expect(journal.create(run, plan, events)).rejects.toMatchObject({ code: "JOURNAL_EVENTS_INVALID" });
        }
        expect(await journal.read(run, 0, ALL)).toEqual([]);
      });
    });

    describe("append", () => {
      it("stores events in order from the expected seq", async () => {
        const { journal } = (await open()).store;
        const run = await createRun(journal);
        expect(await journal.append(run, 3, [buildStageStarted(1), buildStageStarted(2)])).toEqual({
          appended: true,
          seq: 4,
        });
        expect(await journal.append(run, 5, [buildStageStarted(3)])).toEqual({ appended: true, seq: 5 });
        expect(seqs(await journal.read(run, 0, ALL))).toEqual([1, 2, 3, 4, 5]);
        await expectChained(journal, run);
      });

      it("stores nothing at a seq that is taken and returns the winner", async () => {
        const { store, another } = await open();
        const other = await another();
        const run = await createRun(store.journal);
        await store.journal.append(run, 3, [buildStageStarted(1), buildStageStarted(2)]);
        const lost = await other.journal.append(run, 3, [buildFinished(), buildFinished(), buildFinished()]);
        expect(lost).toEqual({ appended: false, winner: await store.journal.read(run, 2, ALL) });
        await other.journal.append(run, 5, [buildStageStarted(3)]);
        const stale = await store.journal.append(run, 5, [buildFinished()]);
        expect(stale).toEqual({ appended: false, winner: await store.journal.read(run, 4, ALL) });
        expect(await store.journal.append(run, 6, [buildStageStarted(4)])).toEqual({ appended: true, seq: 6 });
        await expectChained(other.journal, run);
      });

      it("has exactly one winner for each seq when two writers race", async () => {
        const { store, another } = await open();
        const other = await another();
        const run = await createRun(store.journal);
        const compete = async ({ journal }: typeof store, mark: number): Promise<number> => {
          let wins = 0;
          for (let seq = 3; seq <= 40; seq += 1) {
            const result = await journal.append(run, seq, [{ ...buildStageStarted(seq), visit: mark } as RunEvent]);
            if (result.appended) wins += 1;
            else expect(result.winner[0]?.event).toMatchObject({ visit: 3 - mark });
          }
          return wins;
        };
        const [one, two] = await Promise.all([compete(store, 1), compete(other, 2)]);
        expect(one + two).toBe(38);
        expect(await store.journal.read(run, 0, ALL)).toHaveLength(40);
        await expectChained(store.journal, run);
      });

      it("keeps calls of one turn apart: those of other runs succeed when one is refused", async () => {
        const { journal } = (await open()).store;
        const runs = await Promise.all(Array.from({ length: 5 }, () => createRun(journal)));
        const [first, ...rest] = runs as [RunId, ...RunId[]];
        const settled = await Promise.allSettled([
          journal.append(first, 3, [buildStageStarted(1)]),
          journal.append(first, 3, [buildStageStarted(2)]),
          journal.append(buildRunId(), 3, [STARTED]),
          journal.append(first, 9, [STARTED]),
          journal.append(first, 4, []),
          journal.append(first, 4, [{ ...buildStageStarted(3), visit: Number.NaN } as RunEvent]),
          ...rest.map((run) => journal.append(run, 3, [buildStageStarted(1)])),
        ]);
        const outcome = settled.map((result) =>
          result.status === "fulfilled"
            ? result.value.appended
            : ((result.reason as { code?: string }).code ?? "defect"),
        );
        expect(outcome).toEqual([
          true,
          false,
          "JOURNAL_RUN_UNKNOWN",
          "JOURNAL_SEQ_AHEAD",
          "JOURNAL_EVENTS_INVALID",
          "defect",
          true,
          true,
          true,
          true,
        ]);
        for (const run of runs) {
          expect(await journal.read(run, 0, ALL)).toHaveLength(3);
          await expectChained(journal, run);
        }
      });

      it("takes several appends of one run in one turn, in the order of the calls", async () => {
        const { journal } = (await open()).store;
        const run = await createRun(journal);
        const results = await Promise.all(
          [3, 4, 5, 6, 7, 8, 9].map((seq) => journal.append(run, seq, [buildStageStarted(seq)])),
        );
        expect(results.every(({ appended }) => appended)).toBe(true);
        await expectChained(journal, run);
      });

      it("stores a hundred runs at once, each whole", async () => {
        const { store } = await open();
        const runs = await Promise.all(
          Array.from({ length: 100 }, (_, i) => createRun(store.journal, { more: i % 19 })),
        );
        await Promise.all(
          runs.map((run, i) => store.journal.append(run, (i % 19) + 3, [buildStageStarted(99), buildFinished()])),
        );
        for (const run of runs) await expectChained(store.journal, run);
      });

      it("returns every character exactly as it was given", async () => {
        const { journal } = (await open()).store;
        const run = await createRun(journal);
        const texts = [
          "",
          "\u0000\u0001\u001f",
          "ünï ☃ \u{1f600}",
          "\ud800 alone \udc00",
          "\u2028\u2029\ufeff",
          "'; DROP TABLE events; --",
          "x".repeat(1_000_000),
        ];
        for (const [i, error] of texts.entries()) {
          const event: RunEvent = { type: "stage.refused", at: i, stage: error.slice(0, 100), visit: 1, error };
          await journal.append(run, i + 3, [event]);
          expect((await journal.read(run, i + 2, 1))[0]?.event).toEqual(event);
        }
        await expectChained(journal, run);
      });

      it("does not see what the caller changes afterwards", async () => {
        const { journal } = (await open()).store;
        const run = await createRun(journal);
        const items = [1, 2];
        const pending = journal.append(run, 3, [
          { type: "group.opened", at: 1, stage: "a", visit: 1, members: 2, items },
        ]);
        items.push(3);
        await pending;
        expect((await journal.read(run, 2, 1))[0]?.event).toMatchObject({ items: [1, 2] });
      });
    });

    describe("read", () => {
      it("gives pages of events after a seq, and none for an unknown run", async () => {
        const { journal } = (await open()).store;
        const run = await createRun(journal, { more: 8 });
        expect(seqs(await journal.read(run, 0, 4))).toEqual([1, 2, 3, 4]);
        expect(seqs(await journal.read(run, 7, 4))).toEqual([8, 9, 10]);
        expect(seqs(await journal.read(run, 9, Number.POSITIVE_INFINITY))).toEqual([10]);
        expect(await journal.read(run, 10, 4)).toEqual([]);
        expect(await journal.read(run, 0, 0)).toEqual([]);
        expect(await journal.read(buildRunId(), 0, 4)).toEqual([]);
      });
    });

    describe("follow", () => {
      it("gives what is stored, then each new event, and ends with the run", async () => {
        const { store, another } = await open();
        const run = await createRun(store.journal, { more: 300 });
        const followed = collect(store.journal.follow(run, 300, new AbortController().signal));
        await store.journal.append(run, 303, [buildStageStarted(1)]);
        await store.journal.append(run, 304, [buildStageStarted(2), buildFinished()]);
        expect(await followed).toEqual([301, 302, 303, 304, 305]);
        const late = (await another()).journal.follow(run, 305, new AbortController().signal);
        expect(await collect(late)).toEqual([]);
      });

      it("sees what another store appends", async () => {
        const { store, another } = await open();
        const other = await another();
        const run = await createRun(store.journal);
        const followed = collect(other.journal.follow(run, 0, new AbortController().signal));
        for (let seq = 3; seq < 6; seq += 1) await store.journal.append(run, seq, [buildStageStarted(seq)]);
        await store.journal.append(run, 6, [buildFinished()]);
        expect(await followed).toEqual([1, 2, 3, 4, 5, 6]);
      });

      it("waits for a run that does not exist yet", async () => {
        const { journal } = (await open()).store;
        const run = buildRunId();
        const followed = collect(journal.follow(run, 0, new AbortController().signal), 2);
        await createRun(journal, { run });
        expect(await followed).toEqual([1, 2]);
      });

      it("ends when it is aborted, before or while it waits, and when the store is closed", async () => {
        const { store } = await open();
        const run = await createRun(store.journal);
        expect(await collect(store.journal.follow(run, 0, AbortSignal.abort()))).toEqual([]);
        const halt = new AbortController();
        const [aborted, closed] = [halt.signal, new AbortController().signal].map((signal) =>
          collect(store.journal.follow(run, 0, signal)),
        );
        await new Promise((resolve) => setImmediate(resolve));
        halt.abort();
        expect(await aborted).toEqual([1, 2]);
        await store.close();
        expect(await closed).toEqual([1, 2]);
      });
    });

    it("verifies a run, and says of an unknown one that it is not there", async () => {
      const { journal } = (await open()).store;
      const run = await createRun(journal, { more: 3 });
      const last = (await journal.read(run, 4, 1))[0];
      expect(await journal.verify(run)).toEqual({ intact: true, events: 5, head: last?.hash });
      expect(await journal.verify(buildRunId())).toMatchObject({ intact: false, seq: 1 });
    });

    it("refuses everything after it was closed, and closes twice without harm", async () => {
      const { store } = await open();
      const { journal } = store;
      const run = await createRun(journal);
      const pending = journal.append(run, 3, [buildFinished()]);
      await Promise.all([journal.close(), store.close()]);
      expect(await pending).toEqual({ appended: true, seq: 3 });
      await expect(journal.append(run, 4, [STARTED])).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
      await expect(createRun(journal)).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
      await expect(journal.read(run, 0, 1)).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
      await expect(journal.verify(run)).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
      await expect(store.runs.list({ limit: 1 })).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
    });
  });
}
