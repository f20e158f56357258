/** Queries: a page of runs and one run, in a store of 1,000 and of 100,000 runs. */
import { PAWL, RAW_GROUP } from "../catalogue.ts";
import type { Figure } from "../figure.ts";
import { runTask } from "../run-task.ts";
import { withStateDir } from "../state-dir.ts";
import type { QuerySample } from "../tasks/task.ts";

export const queries: Figure = {
  name: "queries",
  async measure(context) {
    const sizes = [1000, context.quick ? 20_000 : 100_000];
    const samples = new Map<string, readonly QuerySample[]>();
    for (const { name, module, variant } of [RAW_GROUP, PAWL]) {
      context.log(`queries: ${name}, ${sizes.at(-1)} runs`);
      const report = await withStateDir(context.dir, name, (dir) =>
        runTask<"queries">({ kind: "queries", module, variant, dir, sizes }, context.profileDir),
      );
      samples.set(name, report);
    }
    const [small, large] = samples.get(PAWL.name) ?? [];
    const over = (value: (sample: QuerySample) => number): number =>
      small === undefined || large === undefined ? Number.NaN : value(large) - value(small);
    const at = `${large?.runs} runs over 1000`;
    return {
      tables: [
        {
          title: "Queries (medians of 200)",
          columns: ["system", "runs", "list(20) ms", "list(20) failed ms", "list(20) page 26 ms", "show ms"],
          rows: [...samples].flatMap(([name, rows]) =>
            rows.map((row) => [name, row.runs, row.listMs, row.listFailedMs, row.listDeepMs, row.showMs]),
          ),
        },
      ],
      bars: [
        { name: `list page, ${at}`, measured: over((sample) => sample.listMs), rule: "at_most", limit: 5, unit: "ms" },
        {
          name: `list page of failed runs, ${at}`,
          measured: over((sample) => sample.listFailedMs),
          rule: "at_most",
          limit: 5,
          unit: "ms",
        },
        {
          name: `list page 26, ${at}`,
          measured: over((sample) => sample.listDeepMs),
          rule: "at_most",
          limit: 5,
          unit: "ms",
        },
        { name: `show, ${at}`, measured: over((sample) => sample.showMs), rule: "at_most", limit: 5, unit: "ms" },
      ],
      samples: Object.fromEntries(samples),
    };
  },
};
