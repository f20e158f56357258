import { pawlError } from "../../../base/errors.ts";
import { isTerminal } from "../../../run/reasons.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import type { ExitCode } from "../../exit-codes.ts";
import { NO_AUTO_RESUME_OPTION, resumesByItself } from "../../input/auto-resume.ts";
import { hostRun } from "../../runs/host-run.ts";
import { admitToResume, withAdmission } from "../../runs/loops/admission.ts";
import { readStory } from "../../runs/read-story.ts";
import { resumeDue } from "../../runs/resume-due.ts";
import { recordDue } from "../../runs/tend-approvals.ts";
import type { CommandSpec, Context } from "../../spec.ts";

export const resumeCommand: CommandSpec = {
  name: "resume",
  summary: "Go on with a run that waits, rests or was interrupted",
  details: [
    "A finished effect is never repeated. A run that asks a question needs --answer; `pawl show` tells the question and its answers.",
    "A run that rests until a time, because a quota or a budget was used up, is waited for; --now tries at once.",
    "A run of a loop that may change something waits while another loop works on the same paths, and says for which; Ctrl-C ends the wait.",
    "With --due every run whose time has come goes on, one by one: first a single one, and the others when that got through.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: false }],
  options: [
    { kind: "text", flags: "--answer <answer>", summary: "the answer to the open question of the run" },
    { kind: "flag", flags: "--now", summary: "try what was refused for now at once, before its time" },
    { kind: "flag", flags: "--due", summary: "go on with every run whose time has come" },
    NO_AUTO_RESUME_OPTION,
  ],
  examples: [
    { line: "pawl resume @last", does: "go on with the newest run" },
    { line: "pawl resume r_4f --answer approve", does: "answer its question and go on" },
    { line: "pawl resume r_4f --now", does: "do not wait until its quota is there again" },
    { line: "pawl resume --due", does: "go on with all runs that waited for a time that has come" },
  ],
  exits: [0, 1, 2, 3, 130],
  formats: ["json", "jsonl"],
  async run(context) {
    const { given } = context;
    const name = given.text("run");
    if ((name === undefined) !== given.flag("due"))
      throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { message: "give either a run or --due", command: "resume" });
    const runtime = await context.open({ readOnly: false });
    await recordDue(context, runtime);
    return name === undefined ? resumeDue(context, runtime) : resumeOne(context, runtime, name);
  },
};

async function resumeOne(context: Context, runtime: Runtime, name: string): Promise<ExitCode> {
  const { given, out, by } = context;
  const row = await runtime.find(name);
  const story = await readStory(runtime, row.run);
  const answer = given.text("answer");
  const autoResume = await resumesByItself(context, runtime);
  const early = given.flag("now");
  const isResting = story.until !== null && story.until > context.now();
  const admission = admitToResume(context, runtime, row.run);
  if (isResting && autoResume && !early && answer === undefined) {
    out.line(`run ${row.run}`);
    return hostRun(context, runtime, null, story, { autoResume, admission }).finally(() => admission.leave());
  }
  const goOn = async (): Promise<ExitCode> => {
    out.line(`run ${row.run}`);
    const handle = await runtime.resume(row.run, { by, early, ...(answer === undefined ? {} : { answer }) });
    return hostRun(context, runtime, handle, story, { autoResume, admission });
  };
  // What cannot go on is told at once.
  const isAsking = story.open.length > 0 && answer === undefined;
  const isRefused = row.holder !== null || isTerminal(row.status) || isAsking || (isResting && !early);
  return isRefused ? goOn().finally(() => admission.leave()) : withAdmission(context, admission, goOn);
}
