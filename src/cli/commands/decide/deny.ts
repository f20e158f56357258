import { ANSWER_OPTIONS, answerQuestion } from "../../runs/answer-question.ts";
import type { CommandSpec } from "../../spec.ts";

export const denyCommand: CommandSpec = {
  name: "deny",
  summary: "Refuse what a run asks about",
  details: ["A gate that was denied has failed and its route is taken; anything else that is denied ends the run."],
  arguments: [{ name: "id", summary: "id of a question, or the beginning of one", required: true }],
  options: ANSWER_OPTIONS,
  examples: [
    { line: 'pawl deny 4f --why "the test is gone"', does: "refuse it, and let the run take its way" },
    { line: "pawl deny 4f --no-run", does: "refuse it, and go on later with pawl resume" },
  ],
  exits: [0, 1, 2, 3, 130],
  formats: ["json", "jsonl"],
  async run(context) {
    const runtime = await context.open({ readOnly: false });
    return answerQuestion(context, runtime, "deny");
  },
};
