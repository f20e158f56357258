import type { RunId } from "../../../base/ids.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { EXIT } from "../../exit-codes.ts";
import { jsonText } from "../../output.ts";
import { readEvents } from "../../runs/read-events.ts";
import { eventDocument } from "../../runs/run-writers.ts";
import type { CommandSpec, Context } from "../../spec.ts";

export const exportCommand: CommandSpec = {
  name: "export",
  summary: "Make the files of another system again from the journal of a run",
  details: [
    "A run of an openloop workspace, or of other files that are no blueprint, keeps the files of that system true while it runs. This writes them again, as far as the journal tells.",
    "Of any other run, the events are printed as lines of JSON.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: true }],
  options: [],
  examples: [
    { line: "pawl export @last", does: "the files of the newest run" },
    { line: "pawl export r_4f > run.jsonl", does: "the events of a run of a blueprint" },
  ],
  exits: [0, 1, 3],
  formats: ["json", "jsonl"],
  async run(context) {
    const { out } = context;
    const runtime = await context.open({ readOnly: true });
    const { run, plan } = await runtime.find(context.given.text("run") ?? "");
    const notes: string[] = [];
    const stopNotes = runtime.onOutput((_, __, text) => notes.push(text.trimEnd()));
    const isRebuilt = await runtime.rebuild(run);
    stopNotes();
    if (isRebuilt) {
      const path = (await runtime.plan(plan))?.origin?.path ?? "";
      if (out.format === "human") out.line(`the files of ${path} are as the journal of ${run} tells`);
      else out.document({ run, path, notes });
      for (const note of notes) out.note(note);
      return notes.length === 0 ? EXIT.succeeded : EXIT.failed;
    }
    await printEvents(context, runtime, run);
    return EXIT.succeeded;
  },
};

async function printEvents({ out }: Context, runtime: Runtime, run: RunId): Promise<void> {
  const events: object[] = [];
  for await (const stored of readEvents(runtime, run, 0)) {
    if (out.format === "json") events.push(eventDocument(run, stored));
    else out.write(`${jsonText(eventDocument(run, stored), 0)}\n`);
  }
  if (out.format === "json") out.document({ run, events });
}
