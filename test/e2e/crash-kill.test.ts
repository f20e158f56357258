/** A real process, killed with SIGKILL at random instants of a run of every kind of stage, then resumed until it ends. */
import { describe, expect, it } from "vitest";
import { chance } from "../simulation/random.ts";
import { type Crasher, type CrashReport, crashRun } from "../support/crash-run.ts";

const POINTS = process.env["PAWL_FULL"] === "1" ? 320 : 24;
/** Longer than a whole run takes: some kills come too late, which is a life too. */
const LONGEST_MS = 1300;

function killAfter(ms: number): Crasher {
  return {
    command: (argv) => argv,
    started(child) {
      const timer = setTimeout(() => child.kill("SIGKILL"), ms);
      child.on("exit", () => clearTimeout(timer));
    },
  };
}

describe("a run whose process is killed", () => {
  it(`loses, repeats and skips nothing at ${POINTS} random points`, { timeout: 1_800_000 }, async () => {
    const dice = chance(7);
    let kills = 0;
    let acknowledged = 0;
    while (kills < POINTS) {
      const moments = [dice.int(LONGEST_MS), dice.int(LONGEST_MS)];
      const report: CrashReport = await crashRun(moments.map(killAfter));
      kills += report.kills;
      acknowledged += report.acknowledged;
      expect(report, `killed after ${moments.join(" and ")} ms`).toMatchObject({
        lost: [],
        repeated: [],
        skipped: [],
        status: "succeeded",
      });
    }
    process.stderr.write(
      `${kills} kills, ${acknowledged} acknowledged events, none lost, no effect repeated or skipped\n`,
    );
  });
});
