import { EXIT } from "../../exit-codes.ts";
import { ANSWER_OPTIONS, answerQuestion } from "../../runs/answer-question.ts";
import { recordDue } from "../../runs/tend-approvals.ts";
import type { CommandSpec } from "../../spec.ts";
import { renderApproval } from "../../views/approval.ts";

export const approveCommand: CommandSpec = {
  name: "approve",
  summary: "Allow what a run asks about, and go on with it",
  details: [
    "The answer is for exactly what `pawl approvals ID` shows: commit, plan, policy, stage and inputs. It counts once, and not after the question has expired.",
    "What cannot be shown in full cannot be approved.",
  ],
  arguments: [{ name: "id", summary: "id of a question, or the beginning of one", required: true }],
  options: [
    { kind: "flag", flags: "--show", summary: "show all of it and answer nothing" },
    {
      kind: "flag",
      flags: "--for-run",
      summary: "do not ask about the same request again in this run; for questions of policy",
    },
    ...ANSWER_OPTIONS,
  ],
  examples: [
    { line: "pawl approve 4f --show", does: "see everything that it would allow" },
    { line: "pawl approve 4f", does: "allow it and go on with the run" },
    { line: "pawl approve 4f --for-run --no-run", does: "allow it for the whole run, and go on later" },
  ],
  exits: [0, 1, 2, 3, 130],
  formats: ["json", "jsonl"],
  async run(context) {
    const { given, out } = context;
    const runtime = await context.open({ readOnly: false });
    if (!given.flag("show")) return answerQuestion(context, runtime, given.flag("for-run") ? "approve_run" : "approve");
    await recordDue(context, runtime);
    const detail = await runtime.approval(given.text("id") ?? "");
    if (out.format !== "human") out.document(detail);
    for (const line of renderApproval(detail, out.paint, context.now())) out.line(line);
    return EXIT.succeeded;
  },
};
