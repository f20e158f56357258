import { EXIT } from "../../exit-codes.ts";
import type { CommandSpec } from "../../spec.ts";

export const pauseCommand: CommandSpec = {
  name: "pause",
  summary: "Let a run rest at the next stage boundary",
  details: ["What is under way is finished first. `pawl resume` goes on."],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: true }],
  options: [],
  examples: [
    { line: "pawl pause @last", does: "let the newest run rest" },
    { line: "pawl resume @last", does: "and go on later" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const runtime = await context.open({ readOnly: false });
    const row = await runtime.find(context.given.text("run") ?? "");
    await runtime.pause(row.run, context.by);
    if (context.out.format === "json") context.out.document({ run: row.run, result: "requested" });
    context.out.line(`run ${row.run} was asked to rest; it goes on with: pawl resume ${row.run}`);
    return EXIT.succeeded;
  },
};
