/** Memory: what a process keeps for each 10,000 finished runs. */
import { PAWL, RAW_GROUP } from "../catalogue.ts";
import type { Figure } from "../figure.ts";
import { runTask } from "../run-task.ts";
import { withStateDir } from "../state-dir.ts";
import { median } from "../statistics.ts";
import type { MemoryReport } from "../tasks/task.ts";

const MEGABYTE = 1024 * 1024;

export const memory: Figure = {
  name: "memory",
  async measure(context) {
    const rounds = context.quick ? 1 : 3;
    const runs = context.quick ? 5000 : 10_000;
    const samples: Record<string, MemoryReport[]> = { [RAW_GROUP.name]: [], [PAWL.name]: [] };
    for (let round = 1; round <= rounds; round += 1) {
      for (const { name, module, variant } of [RAW_GROUP, PAWL]) {
        context.log(`memory: round ${round}/${rounds}, ${name}, ${runs} runs`);
        const report = await withStateDir(context.dir, name, (dir) =>
          runTask<"memory">({ kind: "memory", module, variant, dir, runs, concurrency: 64 }, context.profileDir),
        );
        samples[name]?.push(report);
      }
    }
    const per10k = (name: string, value: (report: MemoryReport) => number): number =>
      (median((samples[name] ?? []).map((report) => value(report) / report.runs)) * 10_000) / MEGABYTE;
    return {
      tables: [
        {
          title: "Memory kept for 10,000 finished 10-stage runs (after forced collection; medians)",
          columns: ["system", "RSS MB", "heap MB"],
          rows: [RAW_GROUP.name, PAWL.name].map((name) => [
            name,
            per10k(name, (report) => report.rssBytes),
            per10k(name, (report) => report.heapBytes),
          ]),
        },
      ],
      bars: [
        {
          name: "RSS per 10,000 finished runs",
          measured: per10k(PAWL.name, (report) => report.rssBytes),
          rule: "at_most",
          limit: 50,
          unit: "MB",
        },
      ],
      samples,
    };
  },
};
