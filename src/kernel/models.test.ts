import { describe, expect, it } from "vitest";
import { CALM } from "../../test/support/gateway/calm.ts";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost, type Ending, type Script } from "../../test/support/run-plan.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import { createMemoryStore } from "../adapters/memory/store.ts";
import { pawlError } from "../base/errors.ts";
import { NO_USAGE } from "../base/usage.ts";
import type { Cap } from "../limits/ledger/cap.ts";
import { GATEWAY_ERRORS } from "../ports/errors/gateway-errors.ts";
import type { ModelAccess, ModelGrant, ModelRefusal, ModelUse } from "../ports/models/model-access.ts";
import type { Purse } from "../ports/store/budget.ts";
import type { Store } from "../ports/store/store.ts";
import type { RunEvent } from "../run/events.ts";

const PLAN = planFrom(
  "stages:\n  - { id: a, command: [ok], env: { ANTHROPIC_BASE_URL: mine, X: y }, models: { tokens: 2k, usd: 0.5, providers: [anthropic] } }\n",
);
const USE: ModelUse = {
  usage: { tokens: 700, microUsd: 90 },
  calls: 3,
  refused: 0,
  missed: 0,
  parkedUntil: null,
};

interface Seen {
  readonly grants: ModelGrant[];
  readonly reconciled: string[];
  closed: number;
}

function access(
  use: Partial<ModelUse> = {},
  refusal: ModelRefusal | null = null,
): { readonly models: ModelAccess; readonly seen: Seen } {
  const seen: Seen = { grants: [], reconciled: [], closed: 0 };
  const models: ModelAccess = {
    open: async (grant) => {
      seen.grants.push(grant);
      const close = async (): Promise<ModelUse> => {
        seen.closed += 1;
        return { ...USE, ...use };
      };
      const calm = { ...CALM, lastRefusal: () => refusal };
      return { env: { ANTHROPIC_BASE_URL: "http://gateway" }, socket: "/tmp/models", ...calm, close };
    },
    reconcile: async (key) => {
      seen.reconciled.push(key);
      return { ...USE, usage: { tokens: 5, microUsd: 6 } };
    },
  };
  return { models, seen };
}

async function ended(script: Script): Promise<readonly RunEvent[]> {
  const host = createTestHost(PLAN, script);
  await host.start();
  return host.events();
}

const finished = (events: readonly RunEvent[]): RunEvent | undefined =>
  events.find(({ type }) => type === "stage.finished");

describe("a stage that may call models", () => {
  it("gets a door for its attempt, and what went through it is its usage", async () => {
    const { models, seen } = access();
    const host = createTestHost(PLAN, { ports: { models } });
    await host.start();
    expect(host.executed).toMatchObject([
      { env: { ANTHROPIC_BASE_URL: "http://gateway", X: "y" }, modelSocket: "/tmp/models" },
    ]);
    expect(finished(await host.events())).toMatchObject({ outcome: "success", usage: USE.usage });
    const key = `${host.run}/a/1/1`;
    const account = { scope: "run", name: key };
    expect(seen.grants).toEqual([
      {
        key,
        accounts: [account],
        caps: [
          { account, unit: "tokens", window: "run", amount: 2000, source: "models.tokens of stage a" },
          { account, unit: "microUsd", window: "run", amount: 500_000, source: "models.usd of stage a" },
        ],
        priority: 0,
        calls: 1000,
        providers: ["anthropic"],
        record: false,
      },
    ]);
    expect(seen.closed).toBeGreaterThan(0);
  });

  it("leaves all that passed as an artifact, beside its own", async () => {
    const traffic = { sha256: "1".repeat(64), bytes: 9 };
    const { models, seen } = access({ traffic });
    const plan = planFrom("stages:\n  - { id: a, command: [ok], models: { tokens: 1, usd: 1, record: true } }\n");
    const own = { sha256: "2".repeat(64), bytes: 1 };
    const host = createTestHost(plan, { ports: { models }, stages: { a: [{ artifacts: { own } }] } });
    await host.start();
    expect(finished(await host.events())).toMatchObject({ artifacts: { own, "model-traffic": traffic } });
    expect(seen.grants).toMatchObject([{ record: true, providers: null }]);
  });

  it("has failed when a replay had no answer for it, whatever it says itself", async () => {
    const { models } = access({ missed: 2 });
    expect(finished(await ended({ ports: { models } }))).toMatchObject({
      outcome: "failure",
      cause: "invalid_output",
      error: "2 calls to models were not in the record that is replayed",
      usage: USE.usage,
    });
  });

  it("rests until the quota of its provider comes back, when it failed because of that", async () => {
    const { models } = access({ parkedUntil: 1_700_000_900_000 });
    const stages = { a: [{ cause: "exit", exit: 1 }, {}] } as const;
    const host = createTestHost(PLAN, { ports: { models }, stages });
    await host.start();
    expect((await host.events()).find(({ type }) => type === "stage.parked")).toMatchObject({
      ...{ reason: "awaiting_quota", until: 1_700_000_900_000, usage: USE.usage },
    });
    expect(finished(await ended({ ports: { models } }))).toMatchObject({ outcome: "success" });
  });

  it("has failed for want of credit when it exits and its provider wanted money, and only then", async () => {
    const told = async (why: ModelRefusal["why"], ending: Ending): Promise<unknown> => {
      const { models } = access({}, { why, error: "add credit", isAll: true });
      const end = finished(await ended({ ports: { models }, stages: { a: [ending] } }));
      if (end?.type !== "stage.finished") throw new Error("the stage did not end");
      return { outcome: end.outcome, cause: end.cause, error: end.error };
    };
    const exit = { cause: "exit", exit: 1, error: "it exited with 1" } as const;
    expect([await told("billing", exit), await told("overloaded", exit), await told("billing", {})]).toEqual([
      { outcome: "failure", cause: "auth", error: "billing: add credit" },
      { outcome: "failure", cause: "exit", error: "it exited with 1" },
      { outcome: "success", cause: "ok", error: undefined },
    ]);
  });

  it("is not started, and costs nothing, where there is no way to a model", async () => {
    expect(finished(await ended({}))).toMatchObject({ cause: "spawn_error", usage: { tokens: 0, microUsd: 0 } });
    const { models } = access();
    const open = (): Promise<never> =>
      Promise.reject(pawlError(GATEWAY_ERRORS, "GATEWAY_KEY_MISSING", { provider: "anthropic" }));
    const refused = finished(await ended({ ports: { models: { ...models, open } } }));
    expect(refused).toMatchObject({ cause: "spawn_error", error: "There is no key for anthropic." });
  });

  it("costs nothing where there is no tree to work in", async () => {
    const { models, seen } = access();
    const host = createTestHost(PLAN, { ports: { models } });
    await host.start({}, "nothing");
    expect(finished(await host.events())).toMatchObject({ cause: "spawn_error", usage: { tokens: 0, microUsd: 0 } });
    expect(seen.grants).toEqual([]);
  });

  it("costs nothing when its run ended right before it began", async () => {
    const { models, seen } = access();
    const host = createTestHost(PLAN, {
      ports: (own) => ({
        models,
        journal: {
          ...own.journal,
          async create(...call) {
            const created = await own.journal.create(...call);
            await host.killSwitch.pull({ scope: "all", by: "ann", why: "", at: 1 });
            return created;
          },
        },
      }),
    });
    const end = await host.start();
    expect(finished(await host.events())).toMatchObject({ cause: "killed", usage: NO_USAGE, turns: 0 });
    expect([seen.grants, end]).toMatchObject([[], { state: { facts: { usage: NO_USAGE, turns: 0 } } }]);
  });

  it("lets go of the door when its host fails", async () => {
    const { models, seen } = access();
    const broken = createTestHost(PLAN, {
      ports: (own) => ({ models, executor: { ...own.executor, execute: () => Promise.reject(new Error("boom")) } }),
    });
    await expect(broken.start()).rejects.toThrow("boom");
    expect(seen.closed).toBe(1);
    const failing = createTestHost(PLAN, {
      ports: { models: { ...models, open: () => Promise.reject(new Error("defect")) } },
    });
    await expect(failing.start()).rejects.toThrow("defect");
  });

  it("is charged what is known of it when its host was lost", async () => {
    const { models, seen } = access();
    const host = createTestHost(PLAN, { ports: { models }, stages: { a: ["hang", {}] } });
    const lost = host.start();
    await host.busy();
    host.inbox.fail("drain");
    await expect(lost).rejects.toBe("drain");
    const next = createTestHost(PLAN, { ports: { models }, store: host.store });
    await next.resume();
    const events = await host.events();
    const interrupted = events.find(({ type }) => type === "stage.interrupted");
    expect(interrupted).toMatchObject({ usage: { tokens: 5, microUsd: 6 } });
    expect(seen.reconciled).toEqual([`${host.run}/a/1/1`]);
  });
});

describe("a stage that may call models under caps", () => {
  const FLEET = { scope: "fleet", name: "*" } as const;
  const CAP = { account: FLEET, unit: "tokens", window: "run", amount: 5000, source: "pawl.yaml:1:1" } as const;

  function purseOver(store: Store, caps: readonly Cap[] = [CAP]): Purse {
    const payment = { accounts: [FLEET], caps, priority: 3 };
    const budget = { ...payment, ledger: store.ledger, entry: null };
    return { isCounted: false, waiting: new Set(), open: async () => budget };
  }

  it("is paid for by its run, its loop and all the others, under their caps", async () => {
    const { models, seen } = access();
    const store = createMemoryStore({ clock: createVirtualClock() });
    await createTestHost(PLAN, { store, purse: purseOver(store), ports: { models } }).start();
    expect(seen.grants[0]).toMatchObject({ accounts: [{ scope: "run" }, FLEET], priority: 3 });
    expect(seen.grants[0]?.caps.at(-1)).toEqual(CAP);
    expect(await store.ledger.open({ limit: 5 })).toMatchObject({ reservations: [] });
  });

  it("gives back what it has asked for when its host is lost before it begins", async () => {
    const { models } = access();
    const store = createMemoryStore({ clock: createVirtualClock() });
    const dying = { ...store.ledger, withdraw: () => Promise.reject(new Error("the host is lost")) };
    const lost = createTestHost(PLAN, {
      store,
      purse: purseOver({ ...store, ledger: dying }),
      ports: { models },
    });
    await expect(lost.start()).rejects.toThrow("the host is lost");
    expect((await store.ledger.open({ limit: 5 })).reservations).toHaveLength(1);
    await createTestHost(PLAN, { store, purse: purseOver(store), ports: { models } }).resume();
    expect((await store.ledger.open({ limit: 5 })).reservations).toEqual([]);
  });

  it("does not begin when nothing is left", async () => {
    const { models, seen } = access();
    const store = createMemoryStore({ clock: createVirtualClock() });
    const all = { at: 0, accounts: [FLEET], amounts: { tokens: 5000 }, caps: [], priority: 0, wait: false } as const;
    await store.ledger.reserve({ ...all, key: "all", outright: true });
    const host = createTestHost(PLAN, { store, purse: purseOver(store), ports: { models } });
    await host.start();
    expect([seen.grants, (await host.events()).at(-1)]).toMatchObject([[], { reason: "budget_exhausted" }]);
  });

  it("has made no call when it has to wait until a cap frees", async () => {
    const { models } = access();
    const store = createMemoryStore({ clock: createVirtualClock() });
    const purse = purseOver(store, [{ ...CAP, window: "day" }]);
    const host = createTestHost(PLAN, { store, purse, ports: { models } });
    const today = { at: host.clock.now(), accounts: [FLEET], caps: [], priority: 0, wait: false } as const;
    await store.ledger.reserve({ ...today, key: "all", amounts: { tokens: 5000 }, outright: true });
    expect(await host.start()).toMatchObject({
      state: { status: "waiting", reason: "awaiting_budget", facts: { usage: NO_USAGE, turns: 0 } },
    });
  });

  it("is not tried again when it failed because a budget was reached, and its run ends with that", async () => {
    const { models, seen } = access({ refused: 1 });
    const plan = planFrom("stages:\n  - { id: a, command: [ok], max_attempts: 3, models: { tokens: 2k, usd: 0.5 } }\n");
    const stages = { a: [{ cause: "exit", exit: 1, error: "402" }] } as const;
    const host = createTestHost(plan, { ports: { models }, stages });
    await host.start();
    expect(seen.grants).toHaveLength(1);
    expect((await host.events()).at(-1)).toMatchObject({ type: "run.finished", reason: "budget_exhausted" });
  });
});
