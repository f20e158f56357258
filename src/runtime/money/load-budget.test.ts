import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { createMemoryStore } from "../../adapters/memory/store.ts";
import { createSystemClock } from "../../adapters/system/clock.ts";
import { type BudgetPlaces, createBudgets, loadBudget } from "./load-budget.ts";

const RUN = [{ run: "r_1", loop: "sweeper" }] as const;
const OF = { level: "L1", isDrill: false, isPattern: false } as const;

/** A project and the configuration of a user with these texts. */
function places(project: string | null, user: string | null): BudgetPlaces {
  const folder = tempDir();
  const [root, home] = [join(folder, "project"), join(folder, "home")];
  for (const each of [root, home]) mkdirSync(each);
  const file = join(home, "budget.yaml");
  if (project !== null) writeFileSync(join(root, "pawl.yaml"), project);
  if (user !== null) writeFileSync(file, user, { mode: 0o600 });
  return { root, budgetFile: { value: file, origin: "default" }, user: "ann", tenant: null };
}

describe("the budget of a project", () => {
  it("is that of its user and that of pawl.yaml together", async () => {
    const found = places(
      "budget: { loops: { sweeper: { day: { runs: 3 }, priority: 2 } } }",
      "users: { ann: { week: { usd: 1 } } }",
    );
    const { spec, sources } = await loadBudget(found);
    expect(Object.keys(sources)).toEqual([found.budgetFile.value, "pawl.yaml"]);
    const { caps = [], priorities } = spec.ok ? spec.value("L1") : {};
    expect(caps.map(({ account, unit, window, amount }) => [account.name, unit, window, amount])).toEqual([
      ["ann", "microUsd", "week", 1_000_000],
      ["sweeper", "runs", "day", 3],
    ]);
    expect(priorities).toEqual({ sweeper: 2 });
  });

  it("is nothing where nobody has written one", async () => {
    const found = places(null, null);
    const budgets = createBudgets(found);
    await budgets.require();
    const { ledger } = createMemoryStore({ clock: createSystemClock() });
    expect(await budgets.on(ledger).for(RUN, OF)).toMatchObject({ caps: [], entry: null, priority: 0 });
  });

  it("gives a run who pays, its caps and its priority", async () => {
    const budgets = createBudgets(places("budget: { day: { runs: 3 }, loops: { sweeper: { priority: 4 } } }", null));
    const { ledger } = createMemoryStore({ clock: createSystemClock() });
    const budget = await budgets.on(ledger).for(RUN, OF);
    expect(budget).toMatchObject({ priority: 4, entry: { runs: 1 }, caps: [{ unit: "runs", amount: 3 }] });
    expect(budget.accounts.map(({ scope }) => scope)).toEqual(["run", "loop", "user", "fleet"]);
  });

  it("holds a run to the caps of its tenant, and to those of no other", async () => {
    const found = places("budget: { tenants: { acme: { day: { usd: 2 } }, zenith: { day: { usd: 1 } } } }", null);
    const { ledger } = createMemoryStore({ clock: createSystemClock() });
    const capsOf = async (tenant: string | null) =>
      (
        await createBudgets({ ...found, tenant })
          .on(ledger)
          .for(RUN, OF)
      ).caps.map(({ amount }) => amount);
    expect([await capsOf("acme"), await capsOf(null)]).toEqual([[2_000_000], []]);
  });

  it("holds a run of a pattern to the registry that comes with Pawl, and no other run", async () => {
    const budgets = createBudgets(places(null, null));
    const { ledger } = createMemoryStore({ clock: createSystemClock() });
    const lineage = [{ run: "r_1", loop: "daily-triage" }];
    const capsOf = async (isPattern: boolean) =>
      (await budgets.on(ledger).for(lineage, { ...OF, isPattern })).caps.map(({ unit, amount }) => [unit, amount]);
    expect([await capsOf(false), await capsOf(true), await capsOf(false)]).toEqual([[], [["tokens", 100_000]], []]);
  });

  it("that cannot be read lets nothing begin", async () => {
    for (const [project, user] of [
      ["budget: { day: { euro: 1 } }", null],
      [null, "day: 25"],
    ] as const) {
      const budgets = createBudgets(places(project, user));
      await expect(budgets.require()).rejects.toMatchObject({ code: expect.stringMatching(/^BLUEPRINT_/) });
      const { ledger } = createMemoryStore({ clock: createSystemClock() });
      const budget = await budgets.on(ledger).for(RUN, OF);
      expect(budget.entry).toEqual({ runs: 1 });
      await expect(budget.ledger.reserve({} as never)).rejects.toMatchObject({
        code: expect.stringMatching(/^BLUEPRINT_/),
      });
    }
  });
});
