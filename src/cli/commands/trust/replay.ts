import { EXIT } from "../../exit-codes.ts";
import type { CommandSpec } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { countOf } from "../../views/text/format-time.ts";

export const replayCommand: CommandSpec = {
  name: "replay",
  summary: "Decide a run again from its journal and compare",
  details: [
    "Nothing is executed: every decision is made again from the plan and the recorded facts, and must be the one that was recorded.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: true }],
  options: [],
  examples: [
    { line: "pawl replay @last", does: "the newest run" },
    { line: "pawl replay r_4f --json", does: "the result as JSON" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out } = context;
    const runtime = await context.open({ readOnly: true });
    const { run } = await runtime.find(context.given.text("run") ?? "");
    const report = await runtime.replay(run);
    if (out.format === "json") out.document({ run, ...report });
    if (report.equal) {
      out.line(`${out.paint.green("equal")}  run ${run}, ${countOf(report.events, "event")}`);
      return EXIT.succeeded;
    }
    out.line(`${out.paint.red("different")}  run ${run}, from event ${report.seq} on`);
    out.line(`  expected  ${oneLine(report.expected)}`);
    out.line(`  found     ${oneLine(report.found)}`);
    return EXIT.failed;
  },
};
