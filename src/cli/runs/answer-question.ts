/** An answer from the command line: recorded first, then the run goes on here unless the person says otherwise. */
import { isTerminal } from "../../run/reasons.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { AnswerReport } from "../../runtime/trust/approvals.ts";
import { EXIT, type ExitCode, exitOfRun } from "../exit-codes.ts";
import type { Context, OptionSpec } from "../spec.ts";
import { oneLine } from "../views/event-line.ts";
import { nextSteps, renderHeadline, renderNext } from "../views/run.ts";
import { goOn } from "./go-on.ts";
import { hostRun } from "./host-run.ts";
import { roomToGoOn, withRoom } from "./loops/room.ts";
import { readStory } from "./read-story.ts";
import { runDocument } from "./run-writers.ts";

export const ANSWER_OPTIONS: readonly OptionSpec[] = [
  { kind: "text", flags: "--why <text>", summary: "what you say about it, for the journal" },
  { kind: "text", flags: "--by <name>", summary: "who answers (your user name)" },
  { kind: "flag", flags: "--no-run", summary: "record the answer and do not go on with the run here" },
];

export async function answerQuestion(context: Context, runtime: Runtime, answer: string): Promise<ExitCode> {
  const { given, out } = context;
  const why = given.text("why");
  const by = given.text("by") ?? context.by;
  const report = await runtime.answer(given.text("id") ?? "", { answer, by, ...(why === undefined ? {} : { why }) });
  out.line(`${report.approval.id} ${report.approval.status} by ${oneLine(by)}`);
  const row = await runtime.find(report.goOn);
  if (given.flag("no-run") || isTerminal(row.status)) return tellWhatIsNext(context, runtime, report);
  const story = await readStory(runtime, report.goOn);
  const room = roomToGoOn(context, runtime, report.goOn);
  return withRoom(context, room, async () => {
    const handle = await goOn(runtime, report.goOn, by);
    out.line(`run ${handle.run}`);
    return hostRun(context, runtime, handle, story, { autoResume: await runtime.autoResume(), room });
  });
}

async function tellWhatIsNext(context: Context, runtime: Runtime, { approval, goOn }: AnswerReport): Promise<ExitCode> {
  const { out } = context;
  const story = await readStory(runtime, goOn);
  const hosted = false;
  const exit = isTerminal(story.status) ? exitOfRun(story.status, story.reason) : EXIT.succeeded;
  if (out.format !== "human") out.document({ approval, run: runDocument(story, { exit, hosted }) });
  out.line(renderHeadline(story, out.paint, context.now()));
  for (const line of renderNext(nextSteps(story, hosted), out.paint)) out.line(line);
  return exit;
}
