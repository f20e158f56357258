/** The contract of the RunIndex port. */
import { describe, expect, it } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import type { Journal } from "../../src/ports/store/journal.ts";
import type { RunIndex, RunQuery } from "../../src/ports/store/run-index.ts";
import type { RunEvent } from "../../src/run/events.ts";
import {
  buildCreated,
  buildFinished,
  buildPlan,
  buildRunId,
  buildStageStarted,
  createRun,
} from "../support/events-builder.ts";
import type { OpenStore } from "./store-fixture.ts";

async function listAll(runs: RunIndex, query: RunQuery): Promise<RunId[]> {
  const found: RunId[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await runs.list(cursor === undefined ? query : { ...query, cursor });
    expect(page.rows.length).toBeLessThanOrEqual(query.limit);
    found.push(...page.rows.map(({ run }) => run));
    cursor = page.next;
  }
  return found;
}

/** Every choice of filters, with values that match some runs, and one that matches none. */
function everyFilter(parent: RunId): RunQuery[] {
  const parents = [{}, { parent }];
  const statuses = [{}, ...(["running", "failed", "killed"] as const).map((status) => ({ status }))];
  const blueprints = [{}, ...["alpha", "beta", "gamma"].map((blueprint) => ({ blueprint }))];
  const both = statuses.flatMap((status) => blueprints.map((blueprint) => ({ ...status, ...blueprint })));
  return parents.flatMap((below) => both.map((filter) => ({ limit: 3, ...below, ...filter })));
}

export function runIndexContract(name: string, open: OpenStore): void {
  describe(`RunIndex contract: ${name}`, () => {
    it("shows what the events say", async () => {
      const { store } = await open();
      const plan = buildPlan("nightly");
      const run = buildRunId();
      await store.journal.create(run, plan, [buildCreated(run, plan)]);
      const common = { run, blueprint: "nightly", plan: plan.fingerprint, parent: null, createdAt: 1000 };
      const row = (): Promise<unknown> => store.runs.get(run);
      expect(await row()).toEqual({
        ...common,
        status: "queued",
        reason: null,
        updatedAt: 1000,
        events: 1,
        holder: expect.anything(),
      });
      const steps: [RunEvent, object][] = [
        [
          { type: "run.started", at: 1100 },
          { status: "running", reason: null, updatedAt: 1100 },
        ],
        [
          { type: "run.pausing", at: 1200, by: "ann" },
          { status: "running", reason: null, updatedAt: 1200 },
        ],
        [
          { type: "run.paused", at: 1300, by: "ann" },
          { status: "paused", reason: null, updatedAt: 1300 },
        ],
        [
          { type: "run.resumed", at: 1400, after: "pause" },
          { status: "running", reason: null, updatedAt: 1400 },
        ],
        [
          { type: "run.waiting", at: 1500, reason: "awaiting_approval" },
          { status: "waiting", reason: "awaiting_approval", updatedAt: 1500 },
        ],
        [
          { type: "run.resumed", at: 1600, after: "wait" },
          { status: "running", reason: null, updatedAt: 1600 },
        ],
        [
          buildFinished("blocked", "max_visits"),
          { status: "blocked", reason: "max_visits", updatedAt: 9000, holder: null },
        ],
      ];
      for (const [i, [event, shown]] of steps.entries()) {
        await store.journal.append(run, i + 2, [event]);
        expect(await row()).toMatchObject({ ...common, ...shown, events: i + 2 });
      }
      expect(await store.runs.get(buildRunId())).toBeUndefined();
    });

    it("says the same of a run while a host has it, when the host has let it go, and to another host", async () => {
      const { store, another } = await open();
      const run = await createRun(store.journal);
      const append = (journal: Journal, seq: number): Promise<unknown> =>
        journal.append(run, seq, [{ ...buildStageStarted(seq), at: 1000 * seq }]);
      await append(store.journal, 3);
      await append(store.journal, 4);
      const shown = { status: "running", updatedAt: 4000, events: 4 };
      const other = await another();
      for (const { runs, journal } of [store, other]) {
        expect(await runs.get(run)).toMatchObject({ ...shown, holder: expect.anything() });
        expect(await journal.verify(run)).toMatchObject({ intact: true, events: 4 });
      }
      await Promise.all([append(store.journal, 5), store.lease.release(run)]);
      expect(await other.runs.get(run)).toMatchObject({ ...shown, updatedAt: 5000, events: 5, holder: null });
      expect(await other.journal.verify(run)).toMatchObject({ intact: true, events: 5 });
      expect(await other.lease.claim(run)).toEqual({ claimed: true });
      expect(await append(store.journal, 5)).toMatchObject({ appended: false });
      expect(await append(other.journal, 6)).toEqual({ appended: true, seq: 6 });
      expect(await store.runs.get(run)).toMatchObject({ updatedAt: 6000, events: 6 });
    });

    it("lists newest first, page by page, without the children of others", async () => {
      const { store } = await open();
      const created: RunId[] = [];
      for (let i = 0; i < 7; i += 1) created.unshift(await createRun(store.journal));
      const children: RunId[] = [];
      for (let i = 0; i < 4; i += 1) children.unshift(await createRun(store.journal, { parent: created[0] as RunId }));
      for (const limit of [1, 3, 7, 100]) {
        expect(await listAll(store.runs, { limit })).toEqual(created);
        expect(await listAll(store.runs, { limit, parent: created[0] as RunId })).toEqual(children);
      }
      expect((await store.runs.list({ limit: 7 })).next).toBeNull();
      expect(await store.runs.list({ limit: 10, parent: buildRunId() })).toEqual({ rows: [], next: null });
      expect(await store.runs.list({ limit: 0 })).toEqual({ rows: [], next: null });
      expect((await store.runs.list({ limit: 3, cursor: "no page gave this" })).rows).toEqual([]);
    });

    it("lists what ended in a time, in the order of the end, page by page, without children, drills and what is not over", async () => {
      const { store } = await open();
      const plan = buildPlan("alpha");
      const over: { run: RunId; at: number }[] = [];
      for (const [i, at] of [5000, 4000, 6999, 3999, 7000, 4000, 5500].entries()) {
        const run = await createRun(store.journal, { plan });
        const status = (["succeeded", "killed", "timed_out"] as const)[i % 3] as "succeeded";
        await store.journal.append(run, 3, [{ ...buildFinished(status, "goal_achieved"), at }]);
        over.push({ run, at });
      }
      const [parent] = over.map(({ run }) => run);
      const child = await createRun(store.journal, { plan, parent: parent as RunId });
      const drilled = buildRunId();
      const drill = { id: "e_1", plant: "deleted_test-1" };
      await store.journal.create(drilled, plan, [{ ...buildCreated(drilled, plan), drill }]);
      for (const [run, seq] of [
        [child, 3],
        [drilled, 2],
      ] as const)
        await store.journal.append(run, seq, [{ ...buildFinished("failed", "stage_failed"), at: 5000 }]);
      await store.journal.append(await createRun(store.journal, { plan }), 3, [
        { type: "run.paused", at: 5000, by: "ann" },
      ]);
      const wanted = over.filter(({ at }) => at >= 4000 && at < 7000).sort((a, b) => a.at - b.at);
      for (const limit of [1, 2, 5, 100]) {
        const found: RunId[] = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const query = { from: 4000, until: 7000, limit };
          const page = await store.runs.ended(cursor === undefined ? query : { ...query, cursor });
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          found.push(...page.rows.map(({ run }) => run));
          cursor = page.next;
        }
        expect(found, `pages of ${limit}`).toEqual(wanted.map(({ run }) => run));
      }
      const odd = { from: 0, until: 9000, limit: 5 };
      expect(await store.runs.ended({ ...odd, cursor: "no page gave this" })).toEqual({ rows: [], next: null });
      expect(await store.runs.ended({ ...odd, limit: 0 })).toEqual({ rows: [], next: null });
      expect(await store.runs.ended({ ...odd, from: 9000, until: 4000 })).toEqual({ rows: [], next: null });
    });

    it("keeps its place when runs are created between two pages", async () => {
      const { store } = await open();
      const [old, newer] = [await createRun(store.journal), await createRun(store.journal)];
      const page = await store.runs.list({ limit: 1 });
      await createRun(store.journal);
      const rest = await store.runs.list({ limit: 5, cursor: page.next ?? "" });
      expect([...page.rows, ...rest.rows].map(({ run }) => run)).toEqual([newer, old]);
    });

    it("lists the runs of drills only when it is asked for them", async () => {
      const { store } = await open();
      const plan = buildPlan("alpha");
      const ordinary = await createRun(store.journal, { plan });
      const run = buildRunId();
      const created = { ...buildCreated(run, plan), drill: { id: "e_1", plant: "deleted_test-1" } };
      await store.journal.create(run, plan, [created]);
      expect(await listAll(store.runs, { limit: 10, blueprint: "alpha" })).toEqual([ordinary]);
      expect(await listAll(store.runs, { limit: 10, drills: true })).toEqual([run]);
      expect(await listAll(store.runs, { limit: 10, drills: true, blueprint: "beta" })).toEqual([]);
      expect(await listAll(store.runs, { limit: 10, drills: true, status: "queued" })).toEqual([run]);
      expect(await store.runs.get(run)).toMatchObject({ parent: null, drill: true });
      expect((await store.runs.find("@last", 1)).map((row) => row.run)).toEqual([ordinary]);
    });

    it("filters by status, by blueprint, by both, below a parent too", async () => {
      const { store } = await open();
      const plans = [buildPlan("alpha"), buildPlan("beta")] as const;
      const parent = await createRun(store.journal, { plan: buildPlan("parent") });
      await store.journal.append(parent, 3, [{ type: "run.paused", at: 2000, by: "ann" }]);
      const made: { run: RunId; blueprint: string; status: string; parent: RunId | undefined }[] = [];
      for (let i = 0; i < 16; i += 1) {
        const plan = plans[(i % 2) as 0 | 1];
        const below = i % 4 < 2 ? { parent } : {};
        const run = await createRun(store.journal, { plan, ...below });
        const status = i % 8 < 4 ? "running" : "failed";
        if (status === "failed") await store.journal.append(run, 3, [buildFinished("failed", "stage_failed")]);
        made.unshift({ run, blueprint: plan.name, status, parent: below.parent });
      }
      for (const query of everyFilter(parent)) {
        const wanted = made.filter(
          (run) =>
            run.parent === query.parent &&
            (query.status ?? run.status) === run.status &&
            (query.blueprint ?? run.blueprint) === run.blueprint,
        );
        const found = (await listAll(store.runs, query)).filter((run) => run !== parent);
        expect(found, JSON.stringify(query)).toEqual(wanted.map(({ run }) => run));
      }
    });

    it("finds runs by the beginning of their id, and the newest as @last", async () => {
      const { store } = await open();
      expect(await store.runs.find("@last", 1)).toEqual([]);
      const ids = ["r_aaaaaaaaaaaa", "r_aaaaaaaaaaab", "r_aabaaaaaaaaa", "r_zzzzzzzzzzzz"] as RunId[];
      for (const run of ids) await createRun(store.journal, { run });
      await createRun(store.journal, { run: "r_mmmmmmmmmmmm" as RunId, parent: ids[0] as RunId });
      const find = async (prefix: string, limit: number): Promise<string[]> =>
        (await store.runs.find(prefix, limit)).map(({ run }) => run);
      expect(await find("r_aaaaaaaaaaab", 5)).toEqual(["r_aaaaaaaaaaab"]);
      expect(await find("r_aaa", 5)).toEqual(ids.slice(0, 2));
      expect(await find("r_", 3)).toEqual(ids.slice(0, 3));
      expect(await find("r_z", 3)).toEqual(["r_zzzzzzzzzzzz"]);
      expect(await find("@last", 5)).toEqual(["r_zzzzzzzzzzzz"]);
      for (const hostile of ["r_b", "%", "r_a%", "' OR 1=1", "é", "R_AAA"]) expect(await find(hostile, 5)).toEqual([]);
      expect(await find("", 2)).toHaveLength(2);
    });

    it("names the blueprints that have runs of their own, from one name on", async () => {
      const { store } = await open();
      expect(await store.runs.blueprints("", 10)).toEqual([]);
      const parent = await createRun(store.journal, { plan: buildPlan("beta") });
      for (const name of ["gamma", "alpha", "beta", "alpha"]) await createRun(store.journal, { plan: buildPlan(name) });
      await createRun(store.journal, { plan: buildPlan("child"), parent });
      const drilled = buildPlan("drilled");
      const run = buildRunId();
      const drill = { id: "e_1", plant: "deleted_test-1" };
      await store.journal.create(run, drilled, [{ ...buildCreated(run, drilled), drill }]);
      expect(await store.runs.blueprints("", 10)).toEqual(["alpha", "beta", "gamma"]);
      expect(await store.runs.blueprints("", 2)).toEqual(["alpha", "beta"]);
      expect(await store.runs.blueprints("beta", 2)).toEqual(["gamma"]);
      expect(await store.runs.blueprints("", 0)).toEqual([]);
    });

    it("shows the host of a run only while it lives", async () => {
      const { store, another } = await open();
      const other = await another();
      const run = await createRun(other.journal);
      expect((await store.runs.get(run))?.holder).toMatchObject({ pid: process.pid });
      await other.journal.append(run, 3, [buildStageStarted(1)]);
      await other.close();
      expect(await store.runs.get(run)).toMatchObject({ status: "running", holder: null });
    });
  });
}
