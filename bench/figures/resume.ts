/** Resume: how soon a new process goes on with a killed run whose journal has 100,000 events. */
import { type MeasuredSystem, PAWL, RAW_FULL } from "../catalogue.ts";
import type { Figure, FigureContext } from "../figure.ts";
import { runCrash, runTask } from "../run-task.ts";
import { withStateDir } from "../state-dir.ts";
import type { Shape } from "../system.ts";
import type { ResumeReport } from "../tasks/task.ts";

/** A cycle also stores one event for each round of ten stages. */
const CASES: readonly { readonly system: MeasuredSystem; readonly shape: Shape; readonly stages: number }[] = [
  { system: RAW_FULL, shape: "line", stages: 50_000 },
  { system: PAWL, shape: "cycle", stages: 47_620 },
];

export const resume: Figure = {
  name: "resume",
  async measure(context) {
    const reports: (ResumeReport & { readonly system: string })[] = [];
    for (const entry of CASES) {
      context.log(`resume: ${entry.system.name}, writing ${entry.stages} stages`);
      reports.push({ system: entry.system.name, ...(await measureOnce(context, entry)) });
    }
    const pawl = reports.find((report) => report.system === PAWL.name);
    return {
      tables: [
        {
          title: "Resume of a killed run",
          columns: ["system", "events", "ms from opening to the next stage"],
          rows: reports.map((report) => [report.system, report.events, report.resumeMs]),
        },
      ],
      bars: [
        {
          name: "events in the resumed journal",
          measured: pawl?.events ?? Number.NaN,
          rule: "at_least",
          limit: 100_000,
          unit: "",
        },
        {
          name: "resume, from opening to the next stage",
          measured: pawl?.resumeMs ?? Number.NaN,
          rule: "at_most",
          limit: 2000,
          unit: "ms",
        },
      ],
      samples: reports,
    };
  },
};

function measureOnce(context: FigureContext, entry: (typeof CASES)[number]): Promise<ResumeReport> {
  const { module, variant } = entry.system;
  return withStateDir(context.dir, "resume", async (dir) => {
    await runCrash({ kind: "crash", module, variant, dir, stages: entry.stages, shape: entry.shape });
    return runTask<"resume">({ kind: "resume", module, variant, dir }, context.profileDir);
  });
}
