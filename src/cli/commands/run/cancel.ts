import { EXIT } from "../../exit-codes.ts";
import type { CommandSpec } from "../../spec.ts";

export const cancelCommand: CommandSpec = {
  name: "cancel",
  summary: "End a run",
  details: [
    "The request is durable. A run that no process hosts is ended here and now; otherwise its host ends it and its processes.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: true }],
  options: [],
  examples: [
    { line: "pawl cancel @last", does: "end the newest run" },
    { line: "pawl cancel r_4f --json", does: "and tell the result as JSON" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const runtime = await context.open({ readOnly: false });
    const row = await runtime.find(context.given.text("run") ?? "");
    const result = await runtime.cancel(row.run, context.by);
    if (context.out.format === "json") context.out.document({ run: row.run, result });
    context.out.line(
      result === "ended" ? `run ${row.run} cancelled` : `run ${row.run} was asked to end; see: pawl status ${row.run}`,
    );
    return EXIT.succeeded;
  },
};
