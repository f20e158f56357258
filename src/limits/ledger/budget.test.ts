import { describe, expect, it } from "vitest";
import { type BudgetSpec, EACH_RUN, entryFor, joinBudgets, NO_BUDGET, paymentFor } from "./budget.ts";
import { type Account, type Cap, FLEET } from "./cap.ts";

const cap = (account: Account, amount = 1): Cap => ({
  account,
  unit: "tokens",
  window: "day",
  amount,
  source: "pawl.yaml:1:1",
});
const loop = (name: string): Account => ({ scope: "loop", name });
const run = (name: string): Account => ({ scope: "run", name });

const PROVIDER = cap({ scope: "provider", name: "anthropic" });

const NOBODY = { user: null, tenant: null };
const ANN: Account = { scope: "user", name: "ann" };
const ACME: Account = { scope: "tenant", name: "acme" };

describe("budgets of several places", () => {
  it("all apply, and the first that gives a loop its priority counts", () => {
    const user: BudgetSpec = { caps: [cap(FLEET)], priorities: { a: 1 } };
    const project: BudgetSpec = { caps: [cap(loop("a"))], priorities: { a: 9, b: 2 } };
    expect(joinBudgets([user, project])).toEqual({
      caps: [cap(FLEET), cap(loop("a"))],
      priorities: { a: 1, b: 2 },
    });
    expect(joinBudgets([])).toEqual(NO_BUDGET);
  });
});

describe("who pays for a run", () => {
  const spec: BudgetSpec = {
    caps: [
      cap(FLEET),
      cap(loop("a")),
      cap(loop("other")),
      cap(EACH_RUN),
      cap({ scope: "user", name: "ann" }),
      cap({ scope: "tenant", name: "acme" }),
      PROVIDER,
    ],
    priorities: { a: 3, child: 9 },
  };

  it("is it, its loop, its user, its tenant and the fleet, with the caps of these", () => {
    expect(paymentFor(spec, [{ run: "r_1", loop: "a" }], { user: "ann", tenant: "acme" })).toEqual({
      accounts: [run("r_1"), loop("a"), ANN, ACME, FLEET],
      caps: [cap(FLEET), cap(loop("a")), cap(run("r_1")), cap(ANN), cap(ACME), PROVIDER],
      priority: 3,
    });
  });

  it("is also whoever has started it: a loop does not escape its caps into child runs", () => {
    const lineage = [
      { run: "r_3", loop: "a" },
      { run: "r_2", loop: "child" },
      { run: "r_1", loop: "a" },
    ];
    expect(paymentFor(spec, lineage, NOBODY)).toEqual({
      accounts: [run("r_3"), run("r_2"), run("r_1"), loop("a"), loop("child"), FLEET],
      caps: [cap(FLEET), cap(loop("a")), cap(run("r_3")), cap(run("r_2")), cap(run("r_1")), PROVIDER],
      priority: 3,
    });
    expect(paymentFor(NO_BUDGET, [], NOBODY)).toEqual({ accounts: [FLEET], caps: [], priority: 0 });
  });
});

describe("a cap of each run of a loop", () => {
  const lineage = [
    { run: "r_3", loop: "a" },
    { run: "r_2", loop: "child" },
    { run: "r_1", loop: "a" },
  ];
  const capsOf = (each: Partial<Cap>) =>
    paymentFor({ caps: [{ ...cap(loop("a")), window: "run", ...each }], priorities: {} }, lineage, NOBODY).caps;

  it("is one for every run of that loop, and for no other", () => {
    expect(capsOf({}).map(({ account }) => account)).toEqual([run("r_3"), run("r_1")]);
  });

  it("counts a child run for those that have started it, not for itself", () => {
    expect(capsOf({ unit: "spawns", amount: 0 })).toEqual([{ ...cap(run("r_1"), 0), unit: "spawns", window: "run" }]);
  });
});

describe("what a run itself counts as", () => {
  const counted = (unit: Cap["unit"]): BudgetSpec => ({ caps: [{ ...cap(FLEET), unit }], priorities: {} });
  const entry = (spec: BudgetSpec, runs: readonly string[], isDrill = false): unknown => {
    const lineage = runs.map((name) => ({ run: name, loop: "a" }));
    return entryFor(paymentFor(spec, lineage, NOBODY), lineage, isDrill);
  };

  it("is a run, or a spawn of the run that has started it, where a cap counts that", () => {
    expect(entry(counted("runs"), ["r_1"])).toEqual({ runs: 1 });
    expect(entry(counted("spawns"), ["r_2", "r_1"])).toEqual({ spawns: 1 });
    expect(entry(counted("runs"), ["r_2", "r_1"])).toBeNull();
    expect(entry(counted("tokens"), ["r_1"])).toBeNull();
    expect(entry(counted("runs"), ["r_1"], true)).toBeNull();
  });
});
