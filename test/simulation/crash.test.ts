/** Seeded lives of random runs. A red test prints its seed; `simulate(seed, rate)` repeats it exactly. */
import { describe, expect, it } from "vitest";
import { brokenLaw } from "./laws.ts";
import { simulate } from "./simulate.ts";

const SEEDS = Number(process.env["PAWL_SEEDS"] ?? (process.env["PAWL_FULL"] === "1" ? 20_000 : 3_000));
const FIRST = Number(process.env["PAWL_FIRST_SEED"] ?? 1);

describe("a run that is killed at any port call", () => {
  it(`holds every law in ${SEEDS} seeded lives`, { timeout: 900_000 }, async () => {
    let crashes = 0;
    const statuses = new Map<string, number>();
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
      const run = await simulate(seed, [0, 0.02, 0.05, 0.12][seed % 4] ?? 0);
      crashes += run.world.crashes();
      const status = run.state.status;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(brokenLaw(run), `seed ${seed}`).toBeNull();
    }
    expect(crashes).toBeGreaterThan(SEEDS / 10);
    // The lives must differ, or the laws would be judged on nothing.
    for (const status of ["succeeded", "failed", "blocked", "rejected", "cancelled"])
      expect(statuses.get(status), status).toBeGreaterThan(0);
    process.stderr.write(
      `simulated ${SEEDS} runs, ${crashes} crashes, ${JSON.stringify(Object.fromEntries(statuses))}\n`,
    );
  });
});
