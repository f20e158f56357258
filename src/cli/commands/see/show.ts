import { EXIT, exitOfRun } from "../../exit-codes.ts";
import { readStory } from "../../runs/read-story.ts";
import { runDocument } from "../../runs/run-writers.ts";
import type { CommandSpec } from "../../spec.ts";
import { renderRun } from "../../views/run.ts";

export const showCommand: CommandSpec = {
  name: "show",
  summary: "Show one run: its stages, its end, what to do next",
  details: ["With --json, `exit` in the document is the exit code that running it gave."],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: true }],
  options: [
    { kind: "count", flags: "--attempts <n>", summary: "how many of the newest attempts to show", min: 1, default: 50 },
  ],
  examples: [
    { line: "pawl show @last", does: "the newest run" },
    { line: "pawl show r_4f --json | jq .attempts", does: "every attempt as JSON" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const runtime = await context.open({ readOnly: true });
    const row = await runtime.find(context.given.text("run") ?? "");
    const story = await readStory(runtime, row.run);
    const hosted = row.holder !== null;
    if (context.out.format === "json") {
      context.out.document(runDocument(story, { exit: exitOfRun(story.status, story.reason), hosted }));
      return EXIT.succeeded;
    }
    const view = {
      now: context.now(),
      columns: context.out.columns(),
      most: context.given.count("attempts") ?? 50,
      hosted,
    };
    for (const line of renderRun(story, context.out.paint, view)) context.out.line(line);
    return EXIT.succeeded;
  },
};
