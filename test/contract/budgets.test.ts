/** Budgets on a real engine: who pays for child runs, and what becomes of runs that are refused. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryState } from "../../src/adapters/memory/state.ts";
import { createMemoryStore } from "../../src/adapters/memory/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { createEmbeddedEngine } from "../../src/engines/embedded/engine.ts";
import { type BudgetSpec, entryFor, paymentFor } from "../../src/limits/ledger/budget.ts";
import type { Account, Cap } from "../../src/limits/ledger/cap.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { NewRun } from "../../src/ports/engine.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { type CreateEngine, type EngineHost, openEngines, START_TREE } from "../support/engine-fixture.ts";
import { buildRunId } from "../support/events-builder.ts";
import { planFrom } from "../support/plan-from-yaml.ts";

const LOOP: Account = { scope: "loop", name: "test" };
const SPEND =
  "version: 1\nname: inner\npolicy: { allow: [{ action: 'test.*' }] }\nstages:\n  - { id: spend, action: test.work }\n";
const PARENT = planFrom("stages:\n  - { id: child, run: { blueprint: ./inner.yaml } }\n", {
  children: { "inner.yaml": SPEND },
});

const cap = (amount: number, fields: Partial<Cap> = {}): Cap => ({
  account: LOOP,
  unit: "tokens",
  window: "day",
  amount,
  source: "a test",
  ...fields,
});

const newRun = (plan: Plan): NewRun => ({
  run: buildRunId(),
  plan,
  params: {},
  tree: plan.workspace === null ? null : START_TREE,
});

async function host(caps: readonly Cap[]): Promise<EngineHost> {
  const spec: BudgetSpec = { caps, priorities: {} };
  const create: CreateEngine = (store, ports) =>
    createEmbeddedEngine({
      ports,
      runs: store.runs,
      lease: store.lease,
      control: store.control,
      budgets: {
        countsRuns: () => true,
        async for(lineage, { isDrill }) {
          const payment = paymentFor(spec, lineage, { user: "ann", tenant: null });
          return { ...payment, ledger: store.ledger, entry: entryFor(payment, lineage, isDrill) };
        },
      },
    });
  const state = createMemoryState();
  const another = async (): Promise<Store> => {
    const store = createMemoryStore({ clock: createSystemClock(), state });
    onTestFinished(() => store.close());
    return store;
  };
  const action = async () => ({ ok: true, usage: { tokens: 6, microUsd: 0 } }) as const;
  const fixture = await openEngines(async () => ({ store: await another(), another }), create, { action });
  return fixture.host();
}

describe("budgets of child runs", () => {
  it("are those of whoever has started them too: a loop does not escape its caps", async () => {
    const { engine, store } = await host([cap(15)]);
    const first = await engine.start(newRun(PARENT));
    expect(await first.ended).toMatchObject({ status: "succeeded" });
    const loops: Account[] = [LOOP, { scope: "loop", name: "inner" }];
    const standing = await store.ledger.standing(loops, Date.now());
    expect(standing.filter(({ unit }) => unit === "tokens").map(({ spent }) => spent.day)).toEqual([6, 6]);
    const second = await engine.start(newRun(PARENT));
    expect(await second.ended).toMatchObject({ status: "waiting", reason: "awaiting_budget" });
    const [child] = (await store.runs.list({ parent: second.run, limit: 1 })).rows;
    expect(child).toMatchObject({ status: "waiting", reason: "awaiting_budget" });
  });

  it("count a child run as a spawn and a run that nobody has started as a run", async () => {
    const caps = [cap(2, { unit: "runs" }), cap(1, { unit: "spawns" })];
    const { engine, store } = await host(caps);
    await (await engine.start(newRun(PARENT))).ended;
    const counted = await store.ledger.standing([LOOP], Date.now());
    expect(counted.map(({ unit, spent }) => [unit, spent.day])).toEqual([
      ["runs", 1],
      ["spawns", 1],
      ["tokens", 6],
      ["microUsd", 0],
    ]);
    const refused = { status: "waiting", reason: "awaiting_budget" };
    const [spawning, third] = [await engine.start(newRun(PARENT)), await engine.start(newRun(PARENT))];
    expect([await spawning.ended, await third.ended]).toMatchObject([refused, refused]);
    const children = await Promise.all(
      [spawning, third].map(async ({ run }) => (await store.runs.list({ parent: run, limit: 2 })).rows.length),
    );
    expect(children).toEqual([1, 0]);
  });
});

describe("a run that rests for budget", () => {
  it("holds nobody up when it was cancelled", async () => {
    const fleet: Account = { scope: "fleet", name: "*" };
    const { engine, store } = await host([cap(20)]);
    const hold = { at: Date.now(), accounts: [LOOP, fleet], caps: [cap(20)], priority: 0, wait: false };
    await store.ledger.reserve({ ...hold, key: "other", amounts: { tokens: 15 } });
    const work = planFrom("stages:\n  - { id: spend, action: test.work }\n");
    const { run, ended } = await engine.start(newRun(work));
    expect(await ended).toMatchObject({ status: "waiting", reason: "awaiting_budget" });
    const small = { ...hold, at: Date.now() + 1000, key: "small", amounts: { tokens: 5 } };
    expect(await store.ledger.reserve(small)).toMatchObject({ ahead: 1 });
    await engine.cancel(run, "ann");
    expect(await store.ledger.reserve(small)).toMatchObject({ granted: true });
  });
});
