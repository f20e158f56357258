import { randomBytes } from "node:crypto";
import { pawlError } from "../../../base/errors.ts";
import { formatRunId } from "../../../base/ids.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { NO_AUTO_RESUME_OPTION, resumesByItself } from "../../input/auto-resume.ts";
import { allowsDanger, DANGER_OPTION } from "../../input/danger.ts";
import { UNEARNED_OPTION, unearnedGiven } from "../../input/unearned.ts";
import { hostRun } from "../../runs/host-run.ts";
import { admitToResume, withAdmission } from "../../runs/loops/admission.ts";
import { readStory } from "../../runs/read-story.ts";
import type { CommandSpec } from "../../spec.ts";

export const forkCommand: CommandSpec = {
  name: "fork",
  summary: "Go on from the stage of another run, as a new run",
  details: [
    "The new run has everything the other had when it began the stage: its plan, its results, its tree. Nothing before that stage runs again, and the other run stays as it is.",
  ],
  arguments: [
    { name: "run@stage", summary: "a run (id, beginning of one, @last), then @ and a stage", required: true },
  ],
  options: [NO_AUTO_RESUME_OPTION, DANGER_OPTION, UNEARNED_OPTION],
  examples: [
    { line: "pawl fork r_4f@fix", does: "run it again from its stage fix" },
    { line: "pawl fork @last@check", does: "the newest run, from check" },
  ],
  exits: [0, 1, 2, 3, 130],
  formats: ["json", "jsonl"],
  async run(context) {
    const given = context.given.text("run@stage") ?? "";
    const cut = given.lastIndexOf("@");
    if (cut < 1) throw pawlError(CLI_ERRORS, "CLI_FORK_STAGE_MISSING", { given });
    const runtime = await context.open({ readOnly: false });
    const row = await runtime.find(given.slice(0, cut));
    const asked = { danger: allowsDanger(context.given), ...unearnedGiven(context, "fork") };
    const run = formatRunId(randomBytes(12));
    const admission = admitToResume(context, runtime, run, row.run);
    return withAdmission(context, admission, async () => {
      const handle = await runtime.fork(row.run, given.slice(cut + 1), { ...asked, run });
      context.out.line(`run ${handle.run}, forked from ${row.run}`);
      const story = await readStory(runtime, handle.run);
      const autoResume = await resumesByItself(context, runtime);
      return hostRun(context, runtime, handle, story, { autoResume, admission });
    });
  },
};
