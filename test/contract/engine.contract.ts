/** The contract of the Engine port: the same blueprints give the same journals on every engine and store, whoever hosts them. */
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { effectKey, type RunId } from "../../src/base/ids.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Hosted, NewRun } from "../../src/ports/engine.ts";
import {
  busy,
  type CreateEngine,
  type EngineFixture,
  type EngineScript,
  eventsOf,
  openEngines,
  START_TREE,
  story,
  until,
} from "../support/engine-fixture.ts";
import { buildRunId } from "../support/events-builder.ts";
import { planFrom } from "../support/plan-from-yaml.ts";
import { CLEAN, LOST } from "./engine-scenarios.ts";
import type { OpenStore, StoreFixture } from "./store-fixture.ts";

type Store = StoreFixture["store"];

const TWO = planFrom(`
stages:
  - { id: a, command: [ok], effect: idempotent }
  - { id: b, command: [ok], effect: idempotent }
`);
const ONCE = planFrom("stages:\n  - { id: a, command: [ok], effect: once }\n  - { id: b, command: [ok] }\n");
const ASKING = planFrom("stages:\n  - { id: a, command: [ask], effect: idempotent }\n  - { id: b, command: [ok] }\n");
const HANG_FIRST: EngineScript = { stages: { a: ["hang", {}] } };

const newRun = (plan: Plan, change: Partial<NewRun> = {}): NewRun => ({
  run: buildRunId(),
  plan,
  params: {},
  tree: START_TREE,
  ...change,
});
const code = (name: string) => expect.objectContaining({ code: name });
const BY = { by: "ann" };

export function engineContract(name: string, open: OpenStore, create: CreateEngine): void {
  const engines = (script: EngineScript = {}): Promise<EngineFixture> => openEngines(open, create, script);

  /** A run whose stage `a` hangs on the first host, which is then lost. */
  async function lostRun(plan: Plan = TWO, script: EngineScript = HANG_FIRST) {
    const fixture = await engines(script);
    const first = await fixture.host();
    const { run } = await first.engine.start(newRun(plan));
    await busy(fixture, run, "a");
    await first.lose();
    return { fixture, run, host: await fixture.host() };
  }

  /** A run that rests: `waiting` for an answer about `a`, or `paused` before `b`. */
  async function restingRun(status: "waiting" | "paused") {
    const fixture = await engines();
    const host = await fixture.host();
    const text = status === "waiting" ? undefined : "stages:\n  - { id: a, command: [ok], on_success: paused }\n";
    const hosted = await host.engine.start(newRun(text === undefined ? ASKING : planFrom(text)));
    expect(await hosted.ended).toMatchObject({ status });
    return { fixture, host, run: hosted.run };
  }

  async function asked(store: Store, run: RunId) {
    const found = (await eventsOf(store, run)).find((event) => event.type === "approval.requested");
    if (found?.type !== "approval.requested") throw new Error("nothing was asked");
    return found;
  }

  async function unchanged(store: Store, run: RunId, work: () => Promise<unknown>): Promise<void> {
    const before = [await eventsOf(store, run), (await store.runs.get(run))?.holder];
    await work();
    expect([await eventsOf(store, run), (await store.runs.get(run))?.holder]).toEqual(before);
  }

  describe(`Engine contract: ${name}: the same story everywhere`, () => {
    it.each(CLEAN)("when nothing goes wrong: $name", async ({ plan, endings, story: expected }) => {
      const fixture = await engines({ stages: endings ?? {} });
      const { engine, store } = await fixture.host();
      const { run, ended } = await engine.start(newRun(plan));
      await ended;
      expect(await story(store, run)).toEqual(expected);
      expect(await engine.replay(run)).toEqual({ equal: true, events: expected.length });
      expect(await store.journal.verify(run)).toMatchObject({ intact: true });
    });

    it.each(LOST)("when the host is lost: $name", async ({ plan, endings, lostIn, answer, story: expected }) => {
      const fixture = await engines({ stages: endings });
      const first = await fixture.host();
      const { run } = await first.engine.start(newRun(plan));
      await busy(fixture, run, lostIn);
      await first.lose();
      const { engine, store } = await fixture.host();
      const { status } = await (await engine.resume(run, BY)).ended;
      expect(fixture.reaped).toContain(effectKey(run, lostIn, 1));
      if (answer !== undefined) {
        expect(status).toBe("waiting");
        await (await engine.resume(run, { ...BY, answer })).ended;
      }
      expect(await story(store, run)).toEqual(expected);
      expect(await engine.replay(run)).toEqual({ equal: true, events: expected.length });
      expect(await store.journal.verify(run)).toMatchObject({ intact: true });
      expect((await store.runs.get(run))?.holder).toBeNull();
    });
  });

  describe(`Engine contract: ${name}: start`, () => {
    it("resolves when the run exists durably, and goes on by itself", async () => {
      const fixture = await engines({ stages: { a: ["hang"] } });
      const { engine, store } = await fixture.host();
      const other = await fixture.host();
      const hosted = await engine.start(newRun(TWO));
      expect(await story(other.store, hosted.run)).toEqual(["run.created", "run.started", "stage.started a 1"]);
      expect(await other.store.runs.get(hosted.run)).toMatchObject({ status: "running", holder: { pid: process.pid } });
      expect(await store.journal.plan(TWO.fingerprint)).toEqual(TWO);
      await engine.cancel(hosted.run, "ann");
      expect(await hosted.ended).toMatchObject({ run: hosted.run, status: "cancelled", reason: "cancelled" });
    });

    it("tells what the run has spent", async () => {
      const fixture = await engines({
        action: async () => ({ ok: true, usage: { tokens: 7, microUsd: 70 } }),
      });
      const { engine } = await fixture.host();
      const plan = planFrom("stages:\n  - { id: a, action: test.work }\n  - { id: b, action: test.work }\n");
      const end = await (await engine.start(newRun(plan))).ended;
      expect(end).toMatchObject({ status: "succeeded", reason: "reported", usage: { tokens: 14, microUsd: 140 } });
    });

    it("refuses a secret in the parameters and stores nothing", async () => {
      const { engine, store } = await (await engines()).host();
      const fresh = newRun(TWO, { params: { login: { password: "correct-horse-battery-staple" } } });
      await expect(engine.start(fresh)).rejects.toEqual(code("RUN_SECRET_IN_PLAN"));
      expect(await store.runs.get(fresh.run)).toBeUndefined();
      expect(await store.journal.plan(TWO.fingerprint)).toBeUndefined();
    });

    it("refuses an id that exists and leaves that run to its host", async () => {
      const fixture = await engines({ stages: { a: ["hang", {}] } });
      const { engine, store } = await fixture.host();
      const other = await fixture.host();
      const fresh = newRun(TWO);
      const hosted = await engine.start(fresh);
      await busy(fixture, fresh.run, "a");
      for (const { start } of [engine, other.engine]) {
        await unchanged(store, fresh.run, () => expect(start(fresh)).rejects.toEqual(code("RUN_LOST")));
      }
      expect(fixture.started).toEqual(["a 1"]);
      await engine.cancel(fresh.run, "ann");
      expect(await hosted.ended).toMatchObject({ status: "cancelled" });
    });

    it("rejects when the run cannot be stored", async () => {
      const fixture = await engines();
      const { engine } = await fixture.host((store) => ({
        ...store,
        journal: { ...store.journal, create: () => Promise.reject(new Error("disk full")) },
      }));
      await expect(engine.start(newRun(TWO))).rejects.toThrow("disk full");
      expect(fixture.started).toEqual([]);
    });
  });

  describe(`Engine contract: ${name}: resume`, () => {
    it("refuses a run that does not exist", async () => {
      const { engine } = await (await engines()).host();
      await expect(engine.resume(buildRunId(), BY)).rejects.toEqual(code("RUN_NOT_FOUND"));
      await expect(engine.cancel(buildRunId(), "ann")).rejects.toEqual(code("RUN_NOT_FOUND"));
      await expect(engine.pause(buildRunId(), "ann")).rejects.toEqual(code("RUN_NOT_FOUND"));
      await expect(engine.replay(buildRunId())).rejects.toEqual(code("RUN_NOT_FOUND"));
    });

    it("refuses a run that has ended, as cancel and pause do", async () => {
      const { engine, store } = await (await engines()).host();
      const { run, ended } = await engine.start(newRun(TWO));
      await ended;
      await unchanged(store, run, async () => {
        await expect(engine.resume(run, BY)).rejects.toEqual(code("RUN_ENDED"));
        await expect(engine.cancel(run, "ann")).rejects.toEqual(code("RUN_ENDED"));
        await expect(engine.pause(run, "ann")).rejects.toEqual(code("RUN_ENDED"));
      });
    });

    it("refuses a run that a living host has, and names that host", async () => {
      const fixture = await engines({ stages: { a: ["hang"] } });
      const { engine, store } = await fixture.host();
      const other = await fixture.host();
      const hosted = await engine.start(newRun(TWO));
      await busy(fixture, hosted.run, "a");
      const holder = (await other.store.runs.get(hosted.run))?.holder;
      expect(holder?.pid).toBe(process.pid);
      expect([hostname(), "memory"]).toContain(holder?.hostname);
      const message = `run ${hosted.run} is hosted by process ${holder?.pid} on ${holder?.hostname}`;
      for (const { resume } of [other.engine, engine]) {
        await unchanged(store, hosted.run, async () => {
          await expect(resume(hosted.run, BY)).rejects.toMatchObject({ code: "RUN_HELD", message });
        });
      }
      expect([fixture.started, fixture.reaped]).toEqual([["a 1"], []]);
      await engine.cancel(hosted.run, "ann");
      expect(await hosted.ended).toMatchObject({ status: "cancelled" });
    });

    it("refuses to go on without an answer, and with one that was not asked for", async () => {
      const { host, run } = await restingRun("waiting");
      const { engine, store } = host;
      await unchanged(store, run, async () => {
        await expect(engine.resume(run, BY)).rejects.toEqual(code("RUN_ANSWER_NEEDED"));
        for (const answer of ["", "yes", "done", "approve ", "__proto__"]) {
          await expect(engine.resume(run, { ...BY, answer })).rejects.toEqual(code("RUN_ANSWER_UNKNOWN"));
        }
      });
      const paused = await restingRun("paused");
      await unchanged(paused.host.store, paused.run, async () => {
        const refused = paused.host.engine.resume(paused.run, { ...BY, answer: "approve" });
        await expect(refused).rejects.toEqual(code("RUN_ANSWER_UNKNOWN"));
      });
    });

    it.each([
      ["approve", "succeeded", ["a 1", "b 1"]],
      ["deny", "rejected", []],
    ])("takes the answer %s, once", async (answer, status, started) => {
      const { fixture, run } = await restingRun("waiting");
      const { engine, store } = await fixture.host();
      expect(await (await engine.resume(run, { by: "bob", answer })).ended).toMatchObject({ status });
      expect(fixture.started).toEqual(started);
      const answered = (await eventsOf(store, run)).filter((event) => event.type === "approval.answered");
      expect(answered).toEqual([expect.objectContaining({ stage: "a", answer, by: "bob" })]);
      await expect(engine.resume(run, { by: "bob", answer })).rejects.toEqual(code("RUN_ENDED"));
    });

    it.each([
      ["again", "succeeded", ["a 1", "a 2", "b 1"]],
      ["done", "succeeded", ["a 1", "b 1"]],
      ["failed", "failed", ["a 1"]],
    ])("takes the answer %s about an effect that may have happened", async (answer, status, started) => {
      const { fixture, host, run } = await lostRun(ONCE);
      const waiting = await (await host.engine.resume(run, BY)).ended;
      expect(waiting).toMatchObject({ status: "waiting", reason: "awaiting_approval" });
      expect(fixture.started).toEqual(["a 1"]);
      expect(await (await host.engine.resume(run, { ...BY, answer })).ended).toMatchObject({ status });
      expect(fixture.started).toEqual(started);
    });

    it("goes on with a paused run", async () => {
      const { fixture, host } = await restingRun("paused");
      const { run, ended } = await host.engine.start(
        newRun(
          planFrom(`
stages:
  - { id: x, command: [ok], on_success: paused }
  - { id: y, command: [ok] }
`),
        ),
      );
      expect(await ended).toMatchObject({ status: "paused", reason: null });
      const other = await fixture.host();
      expect(await (await other.engine.resume(run, BY)).ended).toMatchObject({ status: "succeeded" });
      expect(await story(other.store, run)).toContain("run.resumed pause");
    });

    it.each(["two engines", "one engine"])("lets one win when %s resume the same run at once", async (who) => {
      const { fixture, host, run } = await lostRun();
      const rival = who === "one engine" ? host : await fixture.host();
      const tries = await Promise.allSettled([host.engine.resume(run, BY), rival.engine.resume(run, BY)]);
      const won = tries.filter((result): result is PromiseFulfilledResult<Hosted> => result.status === "fulfilled");
      const ends = await Promise.allSettled(won.map(({ value }) => value.ended));
      expect(ends).toEqual([{ status: "fulfilled", value: expect.objectContaining({ status: "succeeded" }) }]);
      expect(tries.find((result) => result.status === "rejected")?.reason).toEqual(
        expect.toSatisfy((error: { code: string }) => ["RUN_HELD", "RUN_ENDED"].includes(error.code)),
      );
      expect(fixture.started).toEqual(["a 1", "a 2", "b 1"]);
    });

    it("records an answer without going on, and goes on with it on another host", async () => {
      const { fixture, host, run } = await restingRun("waiting");
      const question = await asked(host.store, run);
      await host.engine.answer(run, { id: question.id, by: "bob", answer: "approve", why: "fine" });
      expect(await host.store.runs.get(run)).toMatchObject({ status: "waiting", holder: null });
      expect(fixture.started).toEqual([]);
      const next = await fixture.host();
      expect(await (await next.engine.resume(run, BY)).ended).toMatchObject({ status: "succeeded" });
      const refused = next.engine.answer(run, { id: question.id, by: "bob", answer: "approve" });
      await expect(refused).rejects.toEqual(code("RUN_APPROVAL_USED"));
      expect((await next.engine.replay(run)).equal).toBe(true);
    });

    it("ends a run with the answer that refuses it, and with the end of its time", async () => {
      const denied = await restingRun("waiting");
      const { id } = await asked(denied.host.store, denied.run);
      await denied.host.engine.answer(denied.run, { id, by: "bob", answer: "deny" });
      expect(await denied.host.store.runs.get(denied.run)).toMatchObject({
        status: "rejected",
        reason: "approval_denied",
      });
      const late = await restingRun("waiting");
      await unchanged(late.host.store, late.run, () => late.host.engine.tend(late.run));
      late.fixture.skip(86_400_000);
      await late.host.engine.tend(late.run);
      expect(await late.host.store.runs.get(late.run)).toMatchObject({
        status: "rejected",
        reason: "approval_expired",
      });
      expect((await late.host.engine.replay(late.run)).equal).toBe(true);
    });

    it("refuses an answer to what nobody asks", async () => {
      const { host, run } = await restingRun("waiting");
      const { id } = await asked(host.store, run);
      const answering = (to: RunId, question: string) =>
        host.engine.answer(to, { id: question, ...BY, answer: "approve" });
      await expect(answering(buildRunId(), id)).rejects.toEqual(code("RUN_NOT_FOUND"));
      await expect(answering(run, `${id}0`)).rejects.toEqual(code("RUN_APPROVAL_NOT_FOUND"));
      await expect(answering(run, "another-1")).rejects.toEqual(code("RUN_APPROVAL_OTHER_RUN"));
      await host.engine.cancel(run, "ann");
      await expect(answering(run, id)).rejects.toEqual(code("RUN_APPROVAL_CANCELLED"));
      await expect(host.engine.tend(run)).rejects.toEqual(code("RUN_ENDED"));
    });

    it("lets one answer win when two answer the same question at once", async () => {
      const { fixture, host, run } = await restingRun("waiting");
      const rival = await fixture.host();
      const tries = await Promise.allSettled([
        host.engine.resume(run, { by: "ann", answer: "approve" }),
        rival.engine.resume(run, { by: "bob", answer: "deny" }),
      ]);
      for (const result of tries) if (result.status === "fulfilled") await result.value.ended;
      expect(tries.filter((result) => result.status === "fulfilled")).toHaveLength(1);
      const answers = (await eventsOf(host.store, run)).filter((event) => event.type === "approval.answered");
      expect(answers).toHaveLength(1);
    });
  });

  describe(`Engine contract: ${name}: cancel`, () => {
    it.each(["itself", "another host"])("ends a hosted run, asked by %s", async (who) => {
      const fixture = await engines({ stages: { a: ["hang"] } });
      const { engine, store } = await fixture.host();
      const asker = who === "itself" ? engine : (await fixture.host()).engine;
      const { run, ended } = await engine.start(newRun(TWO));
      await busy(fixture, run, "a");
      expect(await asker.cancel(run, "bob")).toBe("requested");
      expect(await ended).toMatchObject({ status: "cancelled", reason: "cancelled" });
      expect(fixture.alive).toEqual(new Set());
      expect((await story(store, run)).slice(-3)).toEqual([
        "run.stopping cancelled",
        "stage.finished a 1 failure killed",
        "run.finished cancelled cancelled",
      ]);
      expect((await eventsOf(store, run)).at(-1)).toMatchObject({ detail: "asked by bob" });
    });

    it("ends an interrupted run here, ends what it left running, and starts nothing", async () => {
      const { fixture, host, run } = await lostRun();
      expect(await host.engine.cancel(run, "bob")).toBe("ended");
      expect(await host.store.runs.get(run)).toMatchObject({ status: "cancelled", reason: "cancelled", holder: null });
      expect(fixture.reaped).toEqual([effectKey(run, "a", 1)]);
      expect([fixture.started, [...fixture.alive]]).toEqual([["a 1"], []]);
      expect((await story(host.store, run)).slice(3)).toEqual([
        "run.resumed interruption",
        "stage.interrupted a 1",
        "run.stopping cancelled",
        "run.finished cancelled cancelled",
      ]);
      expect(await host.engine.replay(run)).toMatchObject({ equal: true });
    });

    it("ends an interrupted run whose effect may have happened without asking about it", async () => {
      const { host, run } = await lostRun(ONCE);
      expect(await host.engine.cancel(run, "bob")).toBe("ended");
      expect(await host.store.runs.get(run)).toMatchObject({ status: "cancelled" });
      expect((await story(host.store, run)).join()).not.toContain("approval");
    });

    it.each(["waiting", "paused"] as const)("ends a %s run", async (status) => {
      const { fixture, run } = await restingRun(status);
      const { engine, store } = await fixture.host();
      const before = await story(store, run);
      expect(await engine.cancel(run, "bob")).toBe("ended");
      expect(await store.runs.get(run)).toMatchObject({ status: "cancelled", holder: null });
      expect(await story(store, run)).toEqual([...before, "run.finished cancelled cancelled"]);
      await expect(engine.cancel(run, "bob")).rejects.toEqual(code("RUN_ENDED"));
    });

    it("ends the run once when two hosts cancel it at once", async () => {
      const { fixture, host, run } = await lostRun();
      const rival = await fixture.host();
      await Promise.allSettled([host.engine.cancel(run, "ann"), rival.engine.cancel(run, "bob")]);
      await until(async () => (await host.store.runs.get(run))?.status === "cancelled");
      expect((await story(host.store, run)).filter((line) => line.startsWith("run.finished"))).toHaveLength(1);
      expect(fixture.started).toEqual(["a 1"]);
    });
  });

  describe(`Engine contract: ${name}: pause`, () => {
    const GOING = planFrom(`
stages:
  - { id: a, action: test.work }
  - { id: b, action: test.work }
  - { id: c, command: [ok], effect: idempotent }
`);

    async function pausedRun() {
      let release = (): void => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const slow = (stage: string): Promise<void> =>
        stage === "a" ? gate : new Promise((resolve) => setTimeout(resolve, 20));
      const fixture = await engines({ action: ({ stage }) => slow(stage).then(() => ({ ok: true })) });
      const host = await fixture.host();
      const { run, ended } = await host.engine.start(newRun(GOING));
      const asker = await fixture.host();
      await asker.engine.pause(run, "bob");
      await asker.engine.pause(run, "bob");
      await new Promise((resolve) => setTimeout(resolve, 250));
      release();
      expect(await ended).toMatchObject({ status: "paused", reason: null });
      return { fixture, host, run };
    }

    it("rests at the next stage boundary, asked by another host", async () => {
      const { fixture, host, run } = await pausedRun();
      expect(fixture.started).toEqual([]);
      expect((await story(host.store, run)).slice(3)).toEqual([
        "run.pausing",
        "stage.finished a 1 success ok",
        "run.paused",
      ]);
      expect((await host.store.runs.get(run))?.holder).toBeNull();
    });

    it("is over with the resume", async () => {
      const { host, run } = await pausedRun();
      expect(await (await host.engine.resume(run, BY)).ended).toMatchObject({ status: "succeeded" });
      expect((await story(host.store, run)).filter((line) => line === "run.paused")).toHaveLength(1);
    });

    it("is over with the resume although the host was lost before it could forget the request", async () => {
      const { fixture, host, run } = await pausedRun();
      await host.store.control.request(run, { kind: "pause", by: "bob" });
      await host.lose();
      const { engine, store } = await fixture.host();
      expect(await (await engine.resume(run, BY)).ended).toMatchObject({ status: "succeeded" });
      expect((await story(store, run)).filter((line) => line === "run.paused")).toHaveLength(1);
    });

    it("refuses a run that nobody hosts", async () => {
      const { host, run } = await lostRun();
      await unchanged(host.store, run, () =>
        expect(host.engine.pause(run, "bob")).rejects.toEqual(code("RUN_NOT_HOSTED")),
      );
      const waiting = await restingRun("waiting");
      const refused = waiting.host.engine.pause(waiting.run, "bob");
      await expect(refused).rejects.toEqual(code("RUN_NOT_HOSTED"));
    });
  });

  describe(`Engine contract: ${name}: drain`, () => {
    it("ends processes, records nothing and leaves every run resumable", async () => {
      const fixture = await engines({ stages: { a: ["hang", "hang", {}] } });
      const { engine, store } = await fixture.host();
      const hosted = [await engine.start(newRun(TWO)), await engine.start(newRun(TWO))];
      for (const { run } of hosted) await busy(fixture, run, "a");
      const before = await Promise.all(hosted.map(({ run }) => story(store, run)));
      await engine.drain();
      await engine.drain();
      expect(fixture.alive).toEqual(new Set());
      expect(await Promise.all(hosted.map(({ ended }) => ended))).toEqual(
        hosted.map(({ run }) => expect.objectContaining({ run, status: "running", reason: null })),
      );
      expect(await Promise.all(hosted.map(({ run }) => story(store, run)))).toEqual(before);
      for (const { run } of hosted) {
        expect(await store.runs.get(run)).toMatchObject({ status: "running", holder: null });
        const other = await fixture.host();
        expect(await (await other.engine.resume(run, BY)).ended).toMatchObject({ status: "succeeded" });
      }
    });

    it("leaves a run whose time is limited without a timer", async () => {
      const plan = planFrom("limits: { wall: 1h }\nstages:\n  - { id: a, command: [ok], effect: idempotent }\n");
      const fixture = await engines({ stages: { a: ["hang"] } });
      const { engine } = await fixture.host();
      const { run } = await engine.start(newRun(plan));
      await busy(fixture, run, "a");
      await until(() => fixture.timers.size > 0);
      await engine.drain();
      const left = fixture.timers.size;
      for (const callOff of [...fixture.timers]) callOff();
      expect(left).toBe(0);
    });
  });

  describe(`Engine contract: ${name}: two writers`, () => {
    it("ends the hosting of a run that another writer touched, and stores nothing more", async () => {
      let release = (): void => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const fixture = await engines({ action: () => gate.then(() => ({ ok: true })) });
      const { engine, store } = await fixture.host();
      const { run, ended } = await engine.start(
        newRun(planFrom("stages:\n  - { id: a, action: test.work }\n  - { id: b, command: [ok] }\n")),
      );
      const { journal } = (await fixture.host()).store;
      await journal.append(run, 4, [{ type: "run.pausing", at: 1, by: "rival" }]);
      release();
      await expect(ended).rejects.toEqual(code("RUN_LOST"));
      expect(fixture.started).toEqual([]);
      expect((await story(store, run)).slice(3)).toEqual(["run.pausing"]);
      expect((await store.runs.get(run))?.holder).toBeNull();
    });

    it("tells a replay that differs from the journal, and where", async () => {
      const fixture = await engines({ stages: { a: ["hang"] } });
      const { engine, store, lose } = await fixture.host();
      const { run } = await engine.start(newRun(TWO));
      await busy(fixture, run, "a");
      await store.journal.append(run, 4, [
        { type: "stage.finished", at: 1, stage: "a", attempt: 1, outcome: "success", cause: "ok" },
        { type: "run.finished", at: 1, status: "succeeded", reason: "goal_achieved" },
      ]);
      await lose();
      const other = await fixture.host();
      expect(await other.engine.replay(run)).toMatchObject({
        equal: false,
        seq: 5,
        expected: expect.stringContaining("stage.started"),
        found: expect.stringContaining("goal_achieved"),
      });
    });
  });
}
