import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script, type TestHost } from "../../../test/support/run-plan.ts";
import { createVirtualClock } from "../../../test/support/virtual-clock.ts";
import { createMemoryStore } from "../../adapters/memory/store.ts";
import { NO_USAGE } from "../../base/usage.ts";
import { type Cap, FLEET } from "../../limits/ledger/cap.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ActionReport } from "../../ports/actions.ts";
import type { Breakers } from "../../ports/store/breakers.ts";
import type { Budget, Purse } from "../../ports/store/budget.ts";
import type { Ledger, Standing } from "../../ports/store/ledger.ts";
import type { Store } from "../../ports/store/store.ts";
import type { EventOf } from "../../run/events.ts";

/** One call of `test.work` costs at most 10 tokens and 100 micro-dollars. */
const WORK = planFrom("stages:\n  - { id: pay, action: test.work }\n");
const TWICE = planFrom(
  "stages:\n  - { id: pay, action: test.work, max_attempts: 3 }\n  - { id: more, action: test.work }\n",
);

const cap = (amount: number, fields: Partial<Cap> = {}): Cap => ({
  account: FLEET,
  unit: "tokens",
  window: "run",
  amount,
  source: "pawl.yaml:1:1",
  ...fields,
});

const purseOf = (budget: Budget): Purse => ({
  isCounted: budget.entry !== null,
  waiting: new Set(),
  open: async () => budget,
});

interface Funded {
  readonly budget: Budget;
  readonly host: TestHost;
  readonly store: Store;
  readonly calls: () => number;
}

/** A host whose run has these caps; `usage` is what each call says that it has spent. */
function fundedHost(
  plan: Plan,
  caps: readonly Cap[],
  fields: Partial<Budget> & { readonly usage?: ActionReport["usage"]; readonly store?: Store } = {},
): Funded {
  const {
    usage = { tokens: 4, microUsd: 40 },
    store = createMemoryStore({ clock: createVirtualClock() }),
    ...own
  } = fields;
  let calls = 0;
  const budget: Budget = { ledger: store.ledger, accounts: [FLEET], caps, priority: 0, entry: null, ...own };
  const script: Script = {
    store,
    purse: purseOf(budget),
    async action() {
      calls += 1;
      return { ok: true, usage };
    },
  };
  return { budget, host: createTestHost(plan, script), store, calls: () => calls };
}

const tokensOf = async ({ host, store }: Funded): Promise<Pick<Standing, "reserved"> & { readonly spent: number }> => {
  const [standing] = await store.ledger.standing([FLEET], host.clock.now());
  return { spent: standing?.spent.run ?? 0, reserved: standing?.reserved ?? 0 };
};

const endOf = async ({ host }: Funded): Promise<unknown> => {
  const events = await host.events();
  return events
    .filter((event): event is EventOf<"run.finished"> => event.type === "run.finished")
    .map((end) => end.reason)[0];
};

async function spend(store: Store, tokens: number, at: number, key = "before"): Promise<void> {
  await store.ledger.reserve({
    key,
    at,
    accounts: [FLEET],
    amounts: { tokens },
    caps: [],
    priority: 0,
    wait: false,
  });
  await store.ledger.settle(key, { tokens }, at);
}

describe("an attempt that may spend", () => {
  it("is held before it begins and settled with what it has spent", async () => {
    const funded = fundedHost(WORK, [cap(100)]);
    await funded.host.start();
    expect(await tokensOf(funded)).toEqual({ spent: 4, reserved: 0 });
    expect(await funded.store.ledger.usage(`${funded.host.run}/pay/1`)).toEqual({ tokens: 4, microUsd: 40 });
    expect(await funded.store.integrity()).toEqual([]);
  });

  it("is charged what was held when it does not say what it has spent, or says it in parts of a token", async () => {
    const silent = fundedHost(WORK, []);
    const { budget, store } = silent;
    const mute = createTestHost(WORK, { store, purse: purseOf(budget), action: async () => ({ ok: true }) });
    await mute.start();
    expect(await tokensOf(silent)).toEqual({ spent: 10, reserved: 0 });
    const odd = fundedHost(WORK, [], { usage: { tokens: 0.5, microUsd: 0 } });
    await odd.host.start();
    expect(await tokensOf(odd)).toEqual({ spent: 10, reserved: 0 });
  });

  it("is charged what was held when it was lost with its host", async () => {
    const { budget, store } = fundedHost(WORK, [cap(100)]);
    const settle: Ledger["settle"] = () => Promise.reject(new Error("the host is lost"));
    const dying = { ...budget, ledger: { ...store.ledger, settle } };
    const lost = createTestHost(WORK, { store, purse: purseOf(dying) });
    await expect(lost.start()).rejects.toThrow("the host is lost");
    const next = fundedHost(WORK, [cap(100)], { store });
    expect(await tokensOf(next)).toEqual({ spent: 0, reserved: 10 });
    await next.host.resume();
    expect(await tokensOf(next)).toEqual({ spent: 14, reserved: 0 });
    expect(await endOf(next)).toBe("reported");
  });

  it("says what the ledger has booked for it when it was lost after that", async () => {
    const { budget, store } = fundedHost(WORK, [cap(100)]);
    const settle: Ledger["settle"] = async (...booking) => {
      await store.ledger.settle(...booking);
      throw new Error("the host is lost");
    };
    const usage = { tokens: 4, microUsd: 40 };
    const purse = purseOf({ ...budget, ledger: { ...store.ledger, settle } });
    const lost = createTestHost(WORK, { store, purse, action: async () => ({ ok: true, usage }) });
    await expect(lost.start()).rejects.toThrow("the host is lost");
    const next = fundedHost(WORK, [cap(100)], { store });
    await next.host.resume();
    const events = await next.host.events();
    expect(events.find(({ type }) => type === "stage.interrupted")).toMatchObject({ usage });
    expect(await tokensOf(next)).toEqual({ spent: 8, reserved: 0 });
  });

  it("has spent nothing when it was lost before anything was held for it", async () => {
    const { budget, store } = fundedHost(WORK, [cap(100)]);
    const reserve: Ledger["reserve"] = () => Promise.reject(new Error("the host is lost"));
    const lost = createTestHost(WORK, { store, purse: purseOf({ ...budget, ledger: { ...store.ledger, reserve } }) });
    await expect(lost.start()).rejects.toThrow("the host is lost");
    const next = fundedHost(WORK, [cap(100)], { store });
    await next.host.resume();
    const events = await next.host.events();
    expect(events.find(({ type }) => type === "stage.interrupted")).toMatchObject({ usage: NO_USAGE });
    expect(await tokensOf(next)).toEqual({ spent: 4, reserved: 0 });
  });

  it("is charged nothing when a breaker keeps it from beginning", async () => {
    const remote = planFrom("stages:\n  - { id: pay, action: test.remote }\n");
    const dear = remote.stages.map((stage) => ({ ...stage, cost: { tokens: 10, microUsd: 100 } }) as typeof stage);
    const funded = fundedHost({ ...remote, stages: dear }, [cap(100)]);
    const admit: Breakers["admit"] = async () => ({ go: false, until: null, why: "gone" });
    const kept = createTestHost(
      { ...remote, stages: dear },
      {
        ...{ store: funded.store, purse: purseOf(funded.budget) },
        ports: (own) => ({ breakers: { ...own.breakers, admit } }),
      },
    );
    expect(await kept.start()).toMatchObject({ state: { reason: "circuit_open", facts: { usage: NO_USAGE } } });
    expect(await tokensOf(funded)).toEqual({ spent: 0, reserved: 0 });
  });

  it("never touches the ledger when it costs nothing", async () => {
    const touched = (): never => {
      throw new Error("touched");
    };
    const ledger = { reserve: touched, settle: touched, withdraw: touched };
    const plan = planFrom("stages:\n  - { id: a, command: [ok] }\n");
    const free = fundedHost(plan, [cap(0)], { ledger });
    await free.host.start();
    expect(await endOf(free)).toBe("reported");
  });
});

describe("a budget that is used up", () => {
  it("ends the run, and nothing is tried again", async () => {
    const funded = fundedHost(TWICE, [cap(13)]);
    await funded.host.start();
    expect([funded.calls(), await endOf(funded)]).toEqual([1, "budget_exhausted"]);
    const refused = (await funded.host.events()).filter(({ type }) => type === "budget.refused");
    expect(refused).toMatchObject([{ stage: "more", spent: 4, reserved: 0, asked: 10, cap: cap(13) }]);
    expect(await tokensOf(funded)).toEqual({ spent: 4, reserved: 0 });
  });

  it("lays the run to rest when it frees by itself, and the run goes on then", async () => {
    const funded = fundedHost(TWICE, [cap(13, { window: "day" })]);
    await funded.host.start();
    expect(funded.calls()).toBe(1);
    const waiting = (await funded.host.events()).at(-1) as EventOf<"run.waiting">;
    const midnight = Math.ceil(funded.host.clock.now() / 86_400_000) * 86_400_000;
    expect(waiting).toMatchObject({ type: "run.waiting", reason: "awaiting_budget", until: midnight });
    funded.host.clock.after(midnight - funded.host.clock.now(), () => {});
    funded.host.clock.advance();
    await funded.host.resume([{ type: "run.resumed", after: "wait" }]);
    expect([funded.calls(), await endOf(funded)]).toEqual([2, "reported"]);
  });

  it("that an attempt has overdrawn ends the run: at most one call is too much, and it is booked in full", async () => {
    const funded = fundedHost(TWICE, [cap(50)], { usage: { tokens: 60, microUsd: 0 } });
    await funded.host.start();
    expect([funded.calls(), await endOf(funded)]).toEqual([1, "budget_exhausted"]);
    expect(await tokensOf(funded)).toEqual({ spent: 60, reserved: 0 });
    const other = fundedHost(WORK, [cap(50)], { store: funded.store, entry: null });
    expect(
      await other.store.ledger.reserve({
        key: "other",
        at: 0,
        accounts: [FLEET],
        amounts: { microUsd: 1 },
        caps: [cap(50)],
        priority: 0,
        wait: false,
      }),
    ).toMatchObject({ granted: false });
  });

  it("ends the run after an attempt that cost more than it said, whatever is left", async () => {
    const funded = fundedHost(TWICE, [cap(1000)], { usage: { tokens: 11, microUsd: 0 } });
    await funded.host.start();
    expect([funded.calls(), await endOf(funded)]).toEqual([1, "budget_exhausted"]);
    expect(await funded.host.types()).not.toContain("budget.refused");
  });

  it("gives back what was held for an attempt that the end of its run has overtaken", async () => {
    const { budget, store } = fundedHost(WORK, [cap(100)]);
    const reserve: Ledger["reserve"] = async (reservation) => {
      const answer = await store.ledger.reserve(reservation);
      stopped.inbox.ask({ kind: "cancel", by: "ann" });
      await new Promise((resolve) => setImmediate(resolve));
      return answer;
    };
    const stopped = createTestHost(WORK, {
      store,
      purse: purseOf({ ...budget, ledger: { ...store.ledger, reserve } }),
    });
    await stopped.start();
    expect((await stopped.events()).at(-1)).toMatchObject({ type: "run.finished", reason: "cancelled" });
    expect(await store.ledger.standing([FLEET], 0)).toMatchObject([{ reserved: 0 }, { reserved: 0 }]);
    expect(await store.ledger.usage(stopped.run)).toEqual({});
  });
});

describe("a budget of which most is spent", () => {
  const text = `stages:
  - { id: look, action: test.work }
  - { id: change, action: test.work, level: L2 }
`;

  it("lets the run only report: it ends before the stage that needs more", async () => {
    const plan = planFrom(text, { level: "L2" });
    expect(plan.above).toEqual(["change"]);
    const funded = fundedHost(plan, [cap(100)]);
    await spend(funded.store, 80, 0);
    await funded.host.start();
    expect([funded.calls(), await endOf(funded)]).toEqual([1, "reported"]);
    const events = await funded.host.events();
    expect(events.map(({ type }) => type)).toEqual([
      "run.created",
      "run.started",
      "stage.started",
      "run.degraded",
      "stage.finished",
      "run.finished",
    ]);
    expect(events[3]).toMatchObject({ stage: "look", level: "L1", cap: cap(100) });
    expect(events[5]).toMatchObject({ detail: 'the level ends before "change"' });
  });

  it("does not begin a stage that needs more, and gives back what was held for it", async () => {
    const plan = planFrom(text, { level: "L2" });
    const funded = fundedHost(plan, [cap(100)]);
    await spend(funded.store, 76, 0);
    await funded.host.start();
    expect([funded.calls(), await endOf(funded)]).toEqual([1, "reported"]);
    expect(await tokensOf(funded)).toEqual({ spent: 80, reserved: 0 });
    expect(await funded.host.types()).toEqual([
      "run.created",
      "run.started",
      "stage.started",
      "stage.finished",
      "stage.started",
      "run.degraded",
      "run.finished",
    ]);
  });

  it("says so once, and changes nothing for a run that only reports", async () => {
    const funded = fundedHost(TWICE, [cap(100)]);
    await spend(funded.store, 80, 0);
    await funded.host.start();
    expect([funded.calls(), await endOf(funded)]).toEqual([2, "reported"]);
    const types = await funded.host.types();
    expect(types.filter((type) => type === "run.degraded")).toHaveLength(1);
  });
});

describe("a run that counts", () => {
  const runs = cap(1, { unit: "runs", window: "day" });

  it("is counted with its first stage, once, whatever host goes on with it", async () => {
    const plan = planFrom("stages:\n  - { id: a, command: [ok] }\n  - { id: b, command: [ok], on_success: paused }\n");
    const first = fundedHost(plan, [runs], { entry: { runs: 1 } });
    await first.host.start();
    const second = fundedHost(plan, [runs], { entry: { runs: 1 }, store: first.store });
    await second.host.resume([{ type: "run.resumed", after: "pause" }]);
    expect(await first.store.ledger.standing([FLEET], first.host.clock.now())).toMatchObject([
      { unit: "runs", spent: { day: 1 }, reserved: 0 },
    ]);
  });

  it("rests before it has begun when no more may run today", async () => {
    const plan = planFrom("stages:\n  - { id: a, command: [ok] }\n");
    const funded = fundedHost(plan, [runs], { entry: { runs: 1 } });
    await funded.store.ledger.reserve({
      key: "another",
      at: funded.host.clock.now(),
      accounts: [FLEET],
      amounts: { runs: 1 },
      caps: [runs],
      priority: 0,
      wait: false,
      outright: true,
    });
    await funded.host.start();
    expect(funded.host.executed).toEqual([]);
    expect((await funded.host.events()).at(-1)).toMatchObject({ type: "run.waiting", reason: "awaiting_budget" });
  });
});
