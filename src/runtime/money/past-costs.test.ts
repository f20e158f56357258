import { describe, expect, it } from "vitest";
import { buildRunId } from "../../../test/support/events-builder.ts";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createVirtualClock } from "../../../test/support/virtual-clock.ts";
import { createMemoryStore } from "../../adapters/memory/store.ts";
import type { RunId } from "../../base/ids.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Store } from "../../ports/store/store.ts";
import type { EventOf, RunEvent } from "../../run/events.ts";
import type { StopReason, TerminalStatus } from "../../run/reasons.ts";
import { costsOfRuns, noCosts, wholeOutlay } from "./past-costs.ts";

const PLAN = planFrom("stages:\n  - { id: work, action: test.work }\n");
const FREE = planFrom("stages:\n  - { id: look, command: [ok] }\n");
const CHILD =
  "version: 1\nname: child\npolicy: { allow: [ { action: 'test.*' } ] }\nstages:\n  - { id: work, action: test.work }\n";
const PARENT = planFrom("stages:\n  - { id: sub, run: { blueprint: ./child.yaml } }\n", {
  children: { "child.yaml": CHILD },
});

function storeNow(): Store {
  return createMemoryStore({ clock: createVirtualClock() });
}

interface Ended {
  readonly plan?: Plan;
  readonly stage?: string;
  readonly tokens?: number;
  readonly end?: readonly [TerminalStatus, StopReason] | null;
  readonly created?: Partial<EventOf<"run.created">>;
  readonly child?: RunId;
}

/** A run with one stage that spent so much and ended so. */
async function ran({ journal }: Store, ended: Ended = {}): Promise<RunId> {
  const { plan = PLAN, stage = "work", tokens = 0, end = ["succeeded", "reported"], created = {}, child } = ended;
  const run = (created.run ?? buildRunId()) as RunId;
  const first: RunEvent = {
    type: "run.created",
    at: 1,
    run,
    blueprint: plan.name,
    plan: plan.fingerprint,
    params: {},
    ...created,
  };
  const usage = { tokens, microUsd: tokens };
  const last: RunEvent[] = end === null ? [] : [{ type: "run.finished", at: 5, status: end[0], reason: end[1] }];
  await journal.create(run, plan, [
    first,
    { type: "run.started", at: 2 },
    { type: "stage.started", at: 3, stage, visit: 1, attempt: 1, rule: "r" },
    { type: "stage.finished", at: 4, stage, attempt: 1, outcome: "success", cause: "ok", usage, child },
    ...last,
  ]);
  return run;
}

describe("what the runs of a blueprint have cost", () => {
  it("counts failures, and neither what is not over nor drills nor other blueprints", async () => {
    const store = storeNow();
    await ran(store, { tokens: 100 });
    await ran(store, { tokens: 300, end: ["failed", "stage_failed"] });
    await ran(store, { tokens: 5000, end: null });
    await ran(store, { tokens: 7000, created: { drill: { id: "e_1", plant: "p" } } });
    await ran(store, { tokens: 9000, plan: PARENT, stage: "sub", created: { blueprint: "other" } });
    expect(await costsOfRuns(store, "test", 10)).toMatchObject({
      blueprint: "test",
      runs: 2,
      succeeded: 1,
      open: 1,
      total: { tokens: 400, microUsd: 400 },
      perSucceeded: { tokens: 400, microUsd: 400 },
      hasOlder: false,
    });
  });

  it("looks at the newest, and says that there are older ones", async () => {
    const store = storeNow();
    for (const tokens of [1, 2, 3, 4]) await ran(store, { tokens });
    expect(await costsOfRuns(store, "test", 2)).toMatchObject({ runs: 2, total: { tokens: 7 }, hasOlder: true });
  });

  it("counts what a child run spent once, with the run that started it", async () => {
    const store = storeNow();
    const parent = buildRunId();
    const child = await ran(store, { tokens: 40, created: { parent: { run: parent, stage: "sub" } } });
    await ran(store, { plan: PARENT, stage: "sub", tokens: 40, created: { run: parent }, child });
    expect(await costsOfRuns(store, "test", 10)).toMatchObject({ runs: 1, total: { tokens: 40 } });
  });

  it("is nothing where nothing ran", async () => {
    expect(await costsOfRuns(storeNow(), "test", 10)).toEqual(noCosts("test"));
  });
});

describe("what one run has cost", () => {
  it("is not looked for where nothing can be spent or merged", async () => {
    const store = storeNow();
    const run = await ran(store, { plan: FREE, stage: "look" });
    const unread = { ...store, journal: { ...store.journal, read: () => Promise.reject(new Error("read")) } };
    expect(await wholeOutlay(unread, run)).toEqual({ usage: { tokens: 0, microUsd: 0 }, merged: 0 });
    await expect(wholeOutlay(store, buildRunId())).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  });

  it("takes a child that was never stored for one that did nothing", async () => {
    const store = storeNow();
    const run = await ran(store, { plan: PARENT, stage: "sub", tokens: 1, child: buildRunId() });
    expect(await wholeOutlay(store, run)).toEqual({ usage: { tokens: 1, microUsd: 1 }, merged: 0 });
  });
});
