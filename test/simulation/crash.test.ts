/** Seeded lives of random runs. A red test prints its seed; `simulate(seed, rate)` repeats it exactly. */
import { describe, expect, it } from "vitest";
import { seeds } from "../support/property.ts";
import { brokenLaw } from "./laws.ts";
import { leafAt, ofType } from "./life.ts";
import { type Simulated, simulate } from "./simulate.ts";

const SEEDS = seeds(Number(process.env["PAWL_SEEDS"] ?? (process.env["PAWL_FULL"] === "1" ? 20_000 : 3_000)));

/** How often a gate passed a tree whose protected paths had been changed, with those of the base. */
function restoredBy(run: Simulated): number {
  return ofType(run, "stage.finished").filter(({ stage, judged, tree }) => {
    return leafAt(run.plan, stage).kind === "gate" && judged !== undefined && tree === judged;
  }).length;
}

describe("a run that is killed at any port call", () => {
  it(`holds every law in ${SEEDS.length} seeded lives`, { timeout: 3_600_000 }, async () => {
    let crashes = 0;
    let restored = 0;
    const statuses = new Map<string, number>();
    const reasons = new Map<string, number>();
    const rulings = new Map<string, number>();
    for (const seed of SEEDS) {
      const run = await simulate(seed, [0, 0.02, 0.05, 0.12][seed % 4] ?? 0);
      crashes += run.world.crashes();
      const status = run.state.status;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const reason = ofType(run, "run.finished")[0]?.reason ?? "";
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      restored += restoredBy(run);
      for (const { answer, path } of run.world.agents.calls)
        rulings.set(`${path.split("/")[0]} ${answer}`, (rulings.get(`${path.split("/")[0]} ${answer}`) ?? 0) + 1);
      expect(brokenLaw(run), `seed ${seed}`).toBeNull();
    }
    expect(crashes).toBeGreaterThan(SEEDS.length / 10);
    // The lives must differ, or the laws would be judged on nothing.
    for (const status of ["succeeded", "failed", "blocked", "rejected", "cancelled"])
      expect(statuses.get(status), status).toBeGreaterThan(0);
    for (const reason of ["max_rounds", "max_spawns", "consecutive_failures", "stagnation"])
      expect(reasons.get(reason), reason).toBeGreaterThan(0);
    expect(restored).toBeGreaterThan(0);
    for (const ruling of ["free allow", "asked defer", "asked allow", "asked deny", "denied deny"])
      expect(rulings.get(ruling), ruling).toBeGreaterThan(0);
    const counted = JSON.stringify(Object.fromEntries(statuses));
    process.stderr.write(
      `simulated ${SEEDS.length} runs, ${crashes} crashes, ${restored} trees that passed with protected paths put back, ${counted}\n`,
    );
  });
});
