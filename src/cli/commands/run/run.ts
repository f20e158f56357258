import { explainPlan } from "../../../plan/show/explain.ts";
import { explainJson } from "../../../plan/show/view.ts";
import { EXIT } from "../../exit-codes.ts";
import { NO_AUTO_RESUME_OPTION, resumesByItself } from "../../input/auto-resume.ts";
import { allowsDanger, DANGER_OPTION } from "../../input/danger.ts";
import { COMPILE_OPTIONS, compileGiven } from "../../input/find-blueprint.ts";
import { UNEARNED_OPTION, unearnedGiven } from "../../input/unearned.ts";
import { reportProblems } from "../../report-problems.ts";
import { hostRun } from "../../runs/host-run.ts";
import type { CommandSpec } from "../../spec.ts";
import { renderLeftOut } from "../../views/left-out.ts";
import { beginStory } from "../../views/run-story.ts";

export const runCommand: CommandSpec = {
  name: "run",
  summary: "Run a blueprint and wait for its end",
  details: [
    "The run is stored before its first stage starts and after every step: if this process dies, `pawl resume` goes on.",
    "Ctrl-C cancels the run; Ctrl-C twice kills its processes at once. On a terminal the stage under way is shown live.",
    "A run that was refused for now, by the quota of a vendor or by a budget that frees again, is waited for: it says until when. Ctrl-C leaves it resting then.",
    "A level above the earned one (`pawl level`) is refused, unless --unearned says why; the reason is stored and shown.",
    "A run starts from the last commit unless its workspace says otherwise; changed files that it therefore does not see are counted on standard error, and as `leftOut` in JSON.",
  ],
  arguments: [{ name: "blueprint", summary: "path of a blueprint, or a name from `pawl list`", required: true }],
  options: [
    ...COMPILE_OPTIONS,
    { kind: "flag", flags: "--dry-run", summary: "show the plan and run nothing" },
    NO_AUTO_RESUME_OPTION,
    DANGER_OPTION,
    UNEARNED_OPTION,
  ],
  examples: [
    { line: "pawl run blueprint.yaml", does: "run it" },
    { line: "pawl run fix-tests --level L2 --param tries=3", does: "by name, with a ceiling and a parameter" },
    {
      line: 'pawl run fix-tests --level L3 --unearned "a first try, I watch it"',
      does: "above the level that was earned",
    },
    { line: "pawl run blueprint.yaml --jsonl | jq .event.type", does: "every event as a line of JSON" },
  ],
  exits: [0, 1, 2, 3, 130],
  formats: ["json", "jsonl"],
  async run(context) {
    const runtime = await context.open({ readOnly: false });
    const { plan, sources } = await compileGiven(context, runtime);
    if (!plan.ok)
      return reportProblems(context.out, { problems: plan.problems, sources, root: context.root, cwd: context.cwd });
    if (context.given.flag("dry-run")) {
      if (context.out.format === "human") context.out.write(`${explainPlan(plan.value)}\nNothing was run.\n`);
      else context.out.document({ plan: plan.value, explained: explainJson(plan.value) });
      return EXIT.succeeded;
    }
    // Why a project cannot be looked at is told by the start.
    const leftOut = await runtime.leftOut(plan.value, sources).catch(() => []);
    const asked = { danger: allowsDanger(context.given), ...unearnedGiven(context, "run") };
    const handle = await runtime.start(plan.value, asked);
    context.out.line(`run ${handle.run}`);
    const notice = renderLeftOut(leftOut);
    if (notice !== null) context.out.note(notice);
    const start = leftOut.length === 0 ? {} : { leftOut: leftOut.length };
    const autoResume = await resumesByItself(context, runtime);
    return hostRun(context, runtime, handle, beginStory(handle.run), { start, autoResume });
  },
};
