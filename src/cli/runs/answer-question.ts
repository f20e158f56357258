/** An answer from the command line. The run then resumes here, unless the person says otherwise. */
import type { RunId } from "../../base/ids.ts";
import type { StoredEvent } from "../../run/events.ts";
import { isTerminal } from "../../run/reasons.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { AnswerOptions, ApprovalDetail } from "../../runtime/trust/approvals.ts";
import { EXIT, type ExitCode, exitOfRun } from "../exit-codes.ts";
import type { Context, OptionSpec } from "../spec.ts";
import { oneLine } from "../views/event-line.ts";
import { nextSteps, renderHeadline, renderNext } from "../views/run.ts";
import { beginStory, type RunStory, tell } from "../views/run-story.ts";
import { hostRun } from "./host-run.ts";
import { admissionWatch } from "./loops/admission.ts";
import { completeStory, readStory } from "./read-story.ts";
import { runDocument } from "./run-writers.ts";

export const ANSWER_OPTIONS: readonly OptionSpec[] = [
  { kind: "text", flags: "--why <text>", summary: "what you say about it, for the journal" },
  { kind: "text", flags: "--by <name>", summary: "who answers (your user name)" },
  { kind: "flag", flags: "--no-run", summary: "record the answer and do not go on with the run here" },
];

type Approval = ApprovalDetail["approval"];

export async function answerQuestion(context: Context, runtime: Runtime, answer: string): Promise<ExitCode> {
  const { given } = context;
  const why = given.text("why");
  const options = { answer, by: given.text("by") ?? context.by, ...(why === undefined ? {} : { why }) };
  const id = given.text("id") ?? "";
  if (!given.flag("no-run")) return answerAndResume(context, runtime, id, options);
  const { approval, goOn, journal } = await runtime.answer(id, options);
  sayAnswered(context, approval, options.by);
  return tellWhatIsNext(context, runtime, approval, await completeStory(runtime, storyOf(goOn, journal)));
}

function sayAnswered({ out }: Context, { id, status }: Approval, by: string): void {
  out.line(`${id} ${status} by ${oneLine(by)}`);
}

async function answerAndResume(
  context: Context,
  runtime: Runtime,
  id: string,
  options: AnswerOptions,
): Promise<ExitCode> {
  const waiting = new AbortController();
  const release = context.interrupts.handle(() => waiting.abort());
  let answered: Approval | null = null;
  const onAnswered = (approval: Approval): void => {
    answered = approval;
    sayAnswered(context, approval, options.by);
  };
  const watch = admissionWatch(context, runtime, null);
  const onLost = (run: RunId): void => admissionWatch(context, runtime, run).onLost();
  const { run, before, hosted, admission } = await runtime
    .answerAndResume(id, options, { ...watch, onLost, onAnswered, signal: waiting.signal })
    .finally(release);
  if (hosted === null) {
    if (waiting.signal.aborted || answered === null) return EXIT.interrupted;
    return tellWhatIsNext(context, runtime, answered, await readStory(runtime, run));
  }
  context.out.line(`run ${run}`);
  const story = storyOf(run, before);
  const autoResume = await runtime.autoResume();
  return hostRun(context, runtime, hosted, story, { autoResume, admission }).finally(() => admission.leave());
}

function storyOf(run: RunId, journal: readonly StoredEvent[]): RunStory {
  const story = beginStory(run);
  for (const stored of journal) tell(story, stored);
  return story;
}

async function tellWhatIsNext(
  context: Context,
  runtime: Runtime,
  approval: Approval,
  story: RunStory,
): Promise<ExitCode> {
  const { out } = context;
  const { holder } = await runtime.find(story.run);
  const hosted = holder !== null;
  const exit = isTerminal(story.status) ? exitOfRun(story.status, story.reason) : EXIT.succeeded;
  if (out.format !== "human") out.document({ approval, run: runDocument(story, { exit, hosted }) });
  out.line(renderHeadline(story, out.paint, context.now()));
  for (const line of renderNext(nextSteps(story, hosted), out.paint)) out.line(line);
  return exit;
}
