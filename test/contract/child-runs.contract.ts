/** The contract of the ChildRuns port (src/ports/child-runs.ts), seen through the engine that hosts parent and child. */
import { describe, expect, it } from "vitest";
import { effectKey, type RunId } from "../../src/base/ids.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { NewRun } from "../../src/ports/engine.ts";
import type { RunRow } from "../../src/ports/store/run-index.ts";
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
import type { OpenStore, StoreFixture } from "./store-fixture.ts";

type Store = StoreFixture["store"];

const WORK = "stages:\n  - { id: work, command: [ok], effect: idempotent }\n";
const ASK = "stages:\n  - { id: work, command: [ask], effect: idempotent }\n";
const SPEND = "stages:\n  - { id: spend, action: test.work }\n";

/** A plan whose stage `child` runs the blueprint `child.yaml`, and whose stage `after` comes after it. */
function parentOf(child: string, more = "", children: Readonly<Record<string, string>> = {}): Plan {
  const text = `
stages:
  - { id: child, run: { blueprint: ./child.yaml }${more} }
  - { id: after, command: [ok], effect: idempotent }
`;
  return planFrom(text, { children: { "child.yaml": child, ...children } });
}

/** Beside the child run, a member `side` of the same group. */
function groupOf(child: string): Plan {
  const text = `
stages:
  - id: both
    group:
      parallel:
        - { id: child, run: { blueprint: ./child.yaml } }
        - { id: side, command: [ok], effect: idempotent }
`;
  return planFrom(text, { children: { "child.yaml": child } });
}

const newRun = (plan: Plan): NewRun => ({ run: buildRunId(), plan, params: {}, tree: START_TREE });
const code = (name: string) => expect.objectContaining({ code: name });
const BY = { by: "ann" };

async function childrenOf(store: Store, parent: RunId): Promise<readonly RunRow[]> {
  return (await store.runs.list({ parent, limit: 100 })).rows;
}

/** The only child of a run, once it exists. */
async function onlyChild(store: Store, parent: RunId): Promise<RunId> {
  await until(async () => (await childrenOf(store, parent)).length > 0);
  const rows = await childrenOf(store, parent);
  expect(rows).toHaveLength(1);
  return (rows[0] as RunRow).run;
}

async function statusOf(store: Store, run: RunId): Promise<unknown> {
  const row = await store.runs.get(run);
  return [row?.status, row?.reason, row?.holder];
}

export function childRunsContract(name: string, open: OpenStore, create: CreateEngine): void {
  const engines = (script: EngineScript = {}): Promise<EngineFixture> => openEngines(open, create, script);

  /** A parent whose child is under way in its stage `work`. */
  async function busyChild(plan: Plan = parentOf(WORK), endings: EngineScript["stages"] = { work: ["hang", {}] }) {
    const fixture = await engines({ stages: endings });
    const host = await fixture.host();
    const parent = await host.engine.start(newRun(plan));
    const child = await onlyChild(host.store, parent.run);
    await busy(fixture, child, "work");
    return { fixture, host, parent, child };
  }

  /** A parent that waits because its child asks. */
  async function askingChild(child = ASK, endings: EngineScript["stages"] = {}) {
    const fixture = await engines({ stages: endings });
    const host = await fixture.host();
    const parent = await host.engine.start(newRun(parentOf(child)));
    expect(await parent.ended).toMatchObject({ status: "waiting", reason: "awaiting_approval" });
    return { fixture, host, parent, child: await onlyChild(host.store, parent.run) };
  }

  describe(`ChildRuns contract: ${name}: ends`, () => {
    it("goes on after a child that succeeded", async () => {
      const { engine, store } = await (await engines()).host();
      const { run, ended } = await engine.start(newRun(parentOf(WORK)));
      expect(await ended).toMatchObject({ status: "succeeded" });
      const child = await onlyChild(store, run);
      expect(await store.runs.get(child)).toMatchObject({ status: "succeeded", parent: run, holder: null });
      expect((await eventsOf(store, child))[0]).toMatchObject({ parent: { run, stage: "child" } });
      const finished = (await eventsOf(store, run)).find((event) => event.type === "stage.finished");
      expect(finished).toMatchObject({ stage: "child", outcome: "success", cause: "ok", child });
      for (const each of [run, child]) expect(await engine.replay(each)).toMatchObject({ equal: true });
    });

    it("makes a failure of a child that failed, and starts a new child for each attempt", async () => {
      const fixture = await engines({ stages: { work: [{ cause: "exit", exit: 1, error: "exited" }] } });
      const { engine, store } = await fixture.host();
      const plan = parentOf(WORK, ", max_attempts: 2, backoff: { first: 10ms }");
      const { run, ended } = await engine.start(newRun(plan));
      expect(await ended).toMatchObject({ status: "failed", reason: "stage_failed" });
      const rows = await childrenOf(store, run);
      expect(rows.map((row) => [row.status, row.reason])).toEqual([
        ["failed", "stage_failed"],
        ["failed", "stage_failed"],
      ]);
      const ends = (await eventsOf(store, run)).filter((event) => event.type === "stage.finished");
      expect(ends.map((event) => [event.cause, event.child])).toEqual(rows.map((row) => ["child", row.run]).reverse());
    });

    it("counts what a child has spent, also when it failed, once", async () => {
      let failed = false;
      const fixture = await engines({
        async action() {
          const usage = { tokens: 3, microUsd: 30 };
          if (failed) return { ok: true, usage };
          failed = true;
          return { ok: false, error: "no luck", usage };
        },
      });
      const { engine, store } = await fixture.host();
      const plan = parentOf(SPEND, ", max_attempts: 2, backoff: { first: 10ms }");
      const { run, ended } = await engine.start(newRun(plan));
      expect(await ended).toMatchObject({ status: "succeeded", usage: { tokens: 6, microUsd: 60 } });
      const ends = (await eventsOf(store, run)).filter((event) => event.type === "stage.finished");
      expect(ends.map((event) => event.usage?.tokens)).toEqual([3, 3, undefined]);
    });

    it("hosts the child of a child", async () => {
      const plan = parentOf("stages:\n  - { id: inner, run: { blueprint: ./leaf.yaml } }\n", "", {
        "leaf.yaml": SPEND,
      });
      const fixture = await engines({ action: async () => ({ ok: true, usage: { tokens: 2, microUsd: 0 } }) });
      const { engine, store } = await fixture.host();
      const { run, ended } = await engine.start(newRun(plan));
      expect(await ended).toMatchObject({ status: "succeeded", usage: { tokens: 2, microUsd: 0 } });
      const child = await onlyChild(store, run);
      const leaf = await onlyChild(store, child);
      expect(await statusOf(store, leaf)).toEqual(["succeeded", "reported", null]);
      expect(new Set([run, child, leaf]).size).toBe(3);
    });

    it("ends a child whose stage has no time left, as a failure by timeout", async () => {
      const { parent, child, host } = await busyChild(parentOf(WORK, ", timeout: 100ms"), { work: ["hang"] });
      expect(await parent.ended).toMatchObject({ status: "failed" });
      expect(await statusOf(host.store, child)).toEqual(["cancelled", "cancelled", null]);
      const finished = (await eventsOf(host.store, parent.run)).find((event) => event.type === "stage.finished");
      expect(finished).toMatchObject({ stage: "child", cause: "timeout", child });
    });

    it("makes a failure of a child that may not be stored, and leaves nothing of it", async () => {
      const child = `params: { login: { type: string } }\n${WORK}`;
      const text = `
stages:
  - { id: read, command: [ok], capture: text, effect: idempotent }
  - { id: child, run: { blueprint: ./child.yaml, params: { login: "password=\${stages.read.output}" } } }
`;
      const plan = planFrom(text, { children: { "child.yaml": child } });
      const fixture = await engines({ stages: { read: [{ output: "correct-horse-battery-staple" }] } });
      const { engine, store } = await fixture.host();
      const { run, ended } = await engine.start(newRun(plan));
      expect(await ended).toMatchObject({ status: "failed" });
      expect(await childrenOf(store, run)).toEqual([]);
    });
  });

  describe(`ChildRuns contract: ${name}: rests`, () => {
    it("rests with a child that waits, and completes after the child was answered", async () => {
      const { fixture, host, parent, child } = await askingChild();
      expect(await statusOf(host.store, child)).toEqual(["waiting", "awaiting_approval", null]);
      expect((await story(host.store, parent.run)).slice(-2)).toEqual([
        "stage.rested child 1",
        "run.waiting awaiting_approval",
      ]);
      const other = await fixture.host();
      const answered = await other.engine.resume(child, { ...BY, answer: "approve" });
      expect(await answered.ended).toMatchObject({ status: "succeeded" });
      expect(await (await other.engine.resume(parent.run, BY)).ended).toMatchObject({ status: "succeeded" });
      expect(fixture.started).toEqual(["work 1", "after 1"]);
      expect(await onlyChild(other.store, parent.run)).toBe(child);
      expect(await other.engine.replay(parent.run)).toMatchObject({ equal: true });
    });

    it("rests again when the parent is resumed before the child was answered", async () => {
      const { fixture, host, parent, child } = await askingChild();
      expect(await (await host.engine.resume(parent.run, BY)).ended).toMatchObject({ status: "waiting" });
      await expect(host.engine.resume(parent.run, { ...BY, answer: "approve" })).rejects.toEqual(
        code("RUN_ANSWER_UNKNOWN"),
      );
      expect(await statusOf(host.store, child)).toEqual(["waiting", "awaiting_approval", null]);
      expect(fixture.started).toEqual([]);
    });

    it("makes a failure of a child that a person denied", async () => {
      const { host, parent, child } = await askingChild();
      await (await host.engine.resume(child, { ...BY, answer: "deny" })).ended;
      expect(await (await host.engine.resume(parent.run, BY)).ended).toMatchObject({ status: "failed" });
    });

    it("goes on with a child that was paused when the parent is resumed", async () => {
      const pausing = "stages:\n  - { id: work, command: [ok], on_success: paused }\n  - { id: more, command: [ok] }\n";
      const { fixture, host, parent, child } = await askingChild(pausing);
      expect(await statusOf(host.store, child)).toEqual(["paused", null, null]);
      expect(await (await host.engine.resume(parent.run, BY)).ended).toMatchObject({ status: "succeeded" });
      expect(fixture.started).toEqual(["work 1", "more 1", "after 1"]);
    });

    it("waits for a child that is hosted here already, and hosts it once", async () => {
      const { fixture, host, parent, child } = await askingChild(ASK, { work: ["hang", {}] });
      const answered = await host.engine.resume(child, { ...BY, answer: "approve" });
      await busy(fixture, child, "work");
      const resumed = await host.engine.resume(parent.run, BY);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect([fixture.started, fixture.reaped]).toEqual([["work 1"], []]);
      await host.engine.cancel(child, "bob");
      expect(await answered.ended).toMatchObject({ status: "cancelled" });
      expect(await resumed.ended).toMatchObject({ status: "failed" });
    });

    it("leaves a child alone that another host has, and the parent resumable", async () => {
      const { fixture, host, parent, child } = await askingChild(ASK, { work: ["hang", {}] });
      const other = await fixture.host();
      const answered = await other.engine.resume(child, { ...BY, answer: "approve" });
      await busy(fixture, child, "work");
      await expect((await host.engine.resume(parent.run, BY)).ended).rejects.toEqual(code("RUN_HELD"));
      expect(fixture.timers.size).toBe(0);
      expect([fixture.started, fixture.reaped]).toEqual([["work 1"], []]);
      await other.engine.cancel(child, "bob");
      await answered.ended;
      expect(await (await host.engine.resume(parent.run, BY)).ended).toMatchObject({ status: "failed" });
    });
  });

  describe(`ChildRuns contract: ${name}: goes on after its host`, () => {
    it("goes on with the same child after a drain", async () => {
      const { fixture, host, parent, child } = await busyChild();
      const before = [await story(host.store, parent.run), await story(host.store, child)];
      await host.engine.drain();
      expect(await parent.ended).toMatchObject({ status: "running" });
      expect([await story(host.store, parent.run), await story(host.store, child)]).toEqual(before);
      for (const run of [parent.run, child]) expect(await statusOf(host.store, run)).toEqual(["running", null, null]);
      expect(fixture.alive).toEqual(new Set());
      const other = await fixture.host();
      expect(await (await other.engine.resume(parent.run, BY)).ended).toMatchObject({ status: "succeeded" });
      expect(await onlyChild(other.store, parent.run)).toBe(child);
      expect(fixture.started).toEqual(["work 1", "work 2", "after 1"]);
    });

    it("goes on with the same child after a loss, and ends what it left running", async () => {
      const { fixture, host, parent, child } = await busyChild();
      await host.lose();
      const { engine, store } = await fixture.host();
      expect(await (await engine.resume(parent.run, BY)).ended).toMatchObject({ status: "succeeded" });
      expect(await onlyChild(store, parent.run)).toBe(child);
      expect(fixture.reaped).toEqual([effectKey(child, "work", 1)]);
      for (const run of [parent.run, child]) expect(await engine.replay(run)).toMatchObject({ equal: true });
    });

    it("takes the end of a child that ended after its parent was lost, and its usage, once", async () => {
      const fixture = await engines({
        stages: { work: ["hang", {}] },
        action: async () => ({ ok: true, usage: { tokens: 5, microUsd: 0 } }),
      });
      const first = await fixture.host();
      const spending = `${WORK}  - { id: spend, action: test.work }\n`;
      const { run } = await first.engine.start(newRun(parentOf(spending)));
      const child = await onlyChild(first.store, run);
      await busy(fixture, child, "work");
      await first.lose();
      const { engine } = await fixture.host();
      expect(await (await engine.resume(child, BY)).ended).toMatchObject({ usage: { tokens: 5, microUsd: 0 } });
      const end = await (await engine.resume(run, BY)).ended;
      expect(end).toMatchObject({ status: "succeeded", usage: { tokens: 5, microUsd: 0 } });
    });

    it("starts no child once the drain has begun", async () => {
      const fixture = await engines({ stages: { work: ["hang"] } });
      let open = (): void => {};
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      let asked = false;
      const { engine, store } = await fixture.host((real) => ({
        ...real,
        runs: {
          ...real.runs,
          async get(run) {
            asked = true;
            await gate;
            return real.runs.get(run);
          },
        },
      }));
      const parent = await engine.start(newRun(parentOf(WORK)));
      await until(() => asked);
      const drained = engine.drain();
      open();
      const late = new Promise((resolve) => setTimeout(resolve, 1000, "hangs"));
      expect(await Promise.race([drained, late])).toBeUndefined();
      expect(await parent.ended).toMatchObject({ status: "running" });
      expect(fixture.alive).toEqual(new Set());
      for (const row of await childrenOf(store, parent.run)) expect(row.holder).toBeNull();
    });

    it("lets go of the child, resumable, when the parent is lost to another writer", async () => {
      const fixture = await engines({ stages: { work: ["hang", {}], "both.side": ["hang"] } });
      const { engine, store } = await fixture.host();
      const { run, ended } = await engine.start(newRun(groupOf(WORK)));
      const child = await onlyChild(store, run);
      await busy(fixture, child, "work");
      const rival = await fixture.host();
      const seq = (await eventsOf(store, run)).length + 1;
      await rival.store.journal.append(run, seq, [{ type: "run.pausing", at: 1, by: "rival" }]);
      await engine.pause(run, "ann");
      const late = new Promise((_resolve, reject) => setTimeout(reject, 1000, new Error("hangs")));
      await expect(Promise.race([ended, late])).rejects.toEqual(code("RUN_LOST"));
      expect(fixture.alive).toEqual(new Set());
      expect(await statusOf(store, child)).toEqual(["running", null, null]);
    });
  });

  describe(`ChildRuns contract: ${name}: ends with its parent`, () => {
    it("is cancelled when its parent is", async () => {
      const { fixture, host, parent, child } = await busyChild();
      expect(await host.engine.cancel(parent.run, "bob")).toBe("requested");
      expect(await parent.ended).toMatchObject({ status: "cancelled" });
      expect(await statusOf(host.store, child)).toEqual(["cancelled", "cancelled", null]);
      expect((await eventsOf(host.store, child)).at(-1)).toMatchObject({ detail: `asked by run ${parent.run}` });
      expect(fixture.alive).toEqual(new Set());
    });

    it("is killed when its parent is, and never goes on", async () => {
      const fixture = await openEngines(open, create, { stages: { work: ["hang"] } });
      const { engine, store } = await fixture.host();
      const { run, ended } = await engine.start(newRun(parentOf(WORK)));
      const child = await onlyChild(store, run);
      await busy(fixture, child, "work");
      await fixture.kill(run);
      expect(await ended).toMatchObject({ status: "killed", reason: "kill_switch" });
      expect(await statusOf(store, child)).toEqual(["killed", "kill_switch", null]);
      expect(fixture.started).toEqual(["work 1"]);
    });

    it("is not begun, nor gone on with, when the switch is pulled for it alone", async () => {
      const fixture = await openEngines(open, create, { stages: { work: ["hang"] } });
      const first = await fixture.host();
      const { run } = await first.engine.start(newRun(parentOf(WORK)));
      const child = await onlyChild(first.store, run);
      await busy(fixture, child, "work");
      await first.lose();
      await fixture.kill(child);
      const { engine, store } = await fixture.host();
      expect(await (await engine.resume(run, BY)).ended).toMatchObject({ status: "failed" });
      expect(await childrenOf(store, run)).toHaveLength(1);
      expect(fixture.started).toEqual(["work 1"]);
    });

    it("is asked to pause when its parent is, and its own child too", async () => {
      const plan = parentOf("stages:\n  - { id: inner, run: { blueprint: ./leaf.yaml } }\n", "", { "leaf.yaml": WORK });
      const fixture = await engines({ stages: { work: ["hang", {}] } });
      const { engine, store } = await fixture.host();
      const { run } = await engine.start(newRun(plan));
      const child = await onlyChild(store, run);
      const leaf = await onlyChild(store, child);
      await busy(fixture, leaf, "work");
      await engine.pause(run, "ann");
      for (const each of [run, child, leaf]) {
        await expect
          .poll(() => eventsOf(store, each))
          .toContainEqual(expect.objectContaining({ type: "run.pausing", by: "ann" }));
      }
      await engine.drain();
    });

    it("is cancelled with a parent that nobody hosts, and so is its own child", async () => {
      const plan = parentOf("stages:\n  - { id: inner, run: { blueprint: ./leaf.yaml } }\n", "", { "leaf.yaml": WORK });
      const fixture = await engines({ stages: { work: ["hang", {}] } });
      const first = await fixture.host();
      const { run } = await first.engine.start(newRun(plan));
      const child = await onlyChild(first.store, run);
      const leaf = await onlyChild(first.store, child);
      await busy(fixture, leaf, "work");
      await first.lose();
      const { engine, store } = await fixture.host();
      expect(await engine.cancel(run, "bob")).toBe("ended");
      for (const each of [run, child, leaf]) {
        expect(await statusOf(store, each)).toEqual(["cancelled", "cancelled", null]);
      }
      expect(fixture.reaped).toEqual([effectKey(leaf, "work", 1)]);
      expect(fixture.started).toEqual(["work 1"]);
    });

    it("is cancelled with a parent that waits for it", async () => {
      const { host, parent, child } = await askingChild();
      expect(await host.engine.cancel(parent.run, "bob")).toBe("ended");
      expect(await statusOf(host.store, parent.run)).toEqual(["cancelled", "cancelled", null]);
      expect(await statusOf(host.store, child)).toEqual(["cancelled", "cancelled", null]);
    });

    it("is cancelled although it rests while its parent is under way", async () => {
      const fixture = await engines({ stages: { "both.side": ["hang"] } });
      const { engine, store } = await fixture.host();
      const { run, ended } = await engine.start(newRun(groupOf(ASK)));
      const child = await onlyChild(store, run);
      await until(async () => (await story(store, run)).includes("stage.rested both.child 1"));
      await engine.cancel(run, "bob");
      expect(await ended).toMatchObject({ status: "cancelled" });
      expect(await statusOf(store, child)).toEqual(["cancelled", "cancelled", null]);
    });

    it("is cancelled when its parent, resumed, may not start it again", async () => {
      const plan = planFrom("limits: { stages: 1 }\nstages:\n  - { id: child, run: { blueprint: ./child.yaml } }\n", {
        children: { "child.yaml": WORK },
      });
      const { fixture, host, parent, child } = await busyChild(plan);
      await host.lose();
      const { engine, store } = await fixture.host();
      expect(await (await engine.resume(parent.run, BY)).ended).toMatchObject({
        status: "blocked",
        reason: "max_stages",
      });
      expect(await statusOf(store, child)).toEqual(["cancelled", "cancelled", null]);
      expect(fixture.reaped).toEqual([effectKey(child, "work", 1)]);
    });
  });
}
