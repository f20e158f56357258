/** A contained run, killed with SIGKILL at random instants and resumed until it ends: as if it had never been killed. */
import { describe, expect, it } from "vitest";
import { chance } from "../simulation/random.ts";
import { containedRun } from "../support/hostile/contained-run.ts";

const POINTS = process.env["PAWL_FULL"] === "1" ? 60 : 6;
const LONGEST_MS = 2800;
const KILLS_PER_RUN = 3;

describe("a contained run whose process is killed", () => {
  it(`ends as if nothing had happened, after ${POINTS} kills`, { timeout: 3_600_000 }, async () => {
    const dice = chance(11);
    let kills = 0;
    let runs = 0;
    while (kills < POINTS) {
      const moments = Array.from({ length: KILLS_PER_RUN }, () => dice.int(LONGEST_MS));
      const report = await containedRun(moments);
      expect(report.wrong, `killed after ${moments.join(", ")} ms`).toEqual([]);
      kills += report.kills;
      runs += 1;
    }
    process.stderr.write(
      `${kills} kills of ${runs} contained runs: every tree exact, one commit each, checkout untouched, nothing left\n`,
    );
  });
});
