import { hostRun } from "../../runs/host-run.ts";
import { readStory } from "../../runs/read-story.ts";
import type { CommandSpec } from "../../spec.ts";

export const resumeCommand: CommandSpec = {
  name: "resume",
  summary: "Go on with a run that waits, rests or was interrupted",
  details: [
    "A finished effect is never repeated. A run that asks a question needs --answer; `pawl show` tells the question and its answers.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: true }],
  options: [{ kind: "text", flags: "--answer <answer>", summary: "the answer to the open question of the run" }],
  examples: [
    { line: "pawl resume @last", does: "go on with the newest run" },
    { line: "pawl resume r_4f --answer approve", does: "answer its question and go on" },
  ],
  exits: [0, 1, 2, 3, 130],
  formats: ["json", "jsonl"],
  async run(context) {
    const runtime = await context.open({ readOnly: false });
    await runtime.sweepApprovals();
    const row = await runtime.find(context.given.text("run") ?? "");
    const story = await readStory(runtime, row.run);
    const answer = context.given.text("answer");
    const handle = await runtime.resume(
      row.run,
      answer === undefined ? { by: context.by } : { by: context.by, answer },
    );
    context.out.line(`run ${handle.run}`);
    return hostRun(context, runtime, handle, story);
  },
};
