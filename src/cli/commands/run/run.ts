import type { Plan } from "../../../plan/plan.ts";
import { explainPlan } from "../../../plan/show/explain.ts";
import { explainJson } from "../../../plan/show/view.ts";
import type { RunAdmission } from "../../../runtime/resume/run-admission.ts";
import type { Runtime, StartOptions } from "../../../runtime/runtime.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { NO_AUTO_RESUME_OPTION, resumesByItself } from "../../input/auto-resume.ts";
import { allowsDanger, DANGER_OPTION } from "../../input/danger.ts";
import { COMPILE_OPTIONS, compileGiven, isPattern } from "../../input/find-blueprint.ts";
import { refuseRounds, refuseTickWords, TICK_OPTIONS, tickOptionsGiven } from "../../input/tick-options.ts";
import { UNEARNED_OPTION, unearnedGiven } from "../../input/unearned.ts";
import { reportProblems } from "../../report-problems.ts";
import { hostRun } from "../../runs/host-run.ts";
import { admitToStart, withAdmission } from "../../runs/loops/admission.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderLeftOut } from "../../views/left-out.ts";
import { beginStory } from "../../views/run-story.ts";

export const runCommand: CommandSpec = {
  name: "run",
  summary: "Run a blueprint and wait for its end",
  details: [
    "The run is stored before its first stage starts and after every step: if this process dies, `pawl resume` goes on.",
    "Ctrl-C cancels the run; Ctrl-C twice kills its processes at once. On a terminal the stage under way is shown live.",
    "A run that was refused for now, by the quota of a vendor or by a budget that frees again, is waited for: it says until when. Ctrl-C leaves it resting then.",
    "A loop that may change something waits while another loop works on the same paths, and says for which; Ctrl-C ends the wait.",
    "A level above the earned one (`pawl level`) is refused, unless --unearned says why; the reason is stored and shown.",
    "A run starts from the last commit unless its workspace says otherwise; changed files that it therefore does not see are counted on standard error, and as `leftOut` in JSON.",
  ],
  arguments: [
    { name: "blueprint", summary: "path of a blueprint, or a name from `pawl list`", required: true },
    { name: "count", summary: "of a pattern: how many ticks", required: false },
  ],
  options: [
    ...COMPILE_OPTIONS,
    ...TICK_OPTIONS,
    { kind: "count", flags: "--max-rounds <n>", summary: "fewer rounds than the blueprint allows", min: 1 },
    {
      kind: "flag",
      flags: "--dry-run",
      summary: "show the plan and run nothing; a pattern runs in a copy that is thrown away",
    },
    {
      kind: "flag",
      flags: "--no-wait",
      summary: "of a loop: queue a run for `pawl serve`, print its id and leave",
    },
    NO_AUTO_RESUME_OPTION,
    DANGER_OPTION,
    UNEARNED_OPTION,
  ],
  examples: [
    { line: "pawl run blueprint.yaml", does: "run it" },
    { line: "pawl run fix-tests --level L2 --param tries=3", does: "by name, with a ceiling and a parameter" },
    { line: "pawl run fix-tests --no-wait", does: "queue a run of the loop for `pawl serve`" },
    { line: "pawl run blueprint.yaml --jsonl | jq .event.type", does: "every event as a line of JSON" },
  ],
  exits: [0, 1, 2, 3, 130],
  formats: ["json", "jsonl"],
  async run(context) {
    if (!context.given.flag("no-wait")) return runNow(context);
    const { queueRun } = await import("../../runs/loops/queue-run.ts");
    return queueRun(context, await context.open({ readOnly: false }));
  },
};

async function runNow(context: Context): Promise<ExitCode> {
  const isDry = context.given.flag("dry-run");
  const runtime = await context.open({ readOnly: isDry });
  if (isDry && context.given.text("level") !== "L0" && (await isPattern(context, runtime))) {
    refuseRounds(context.given);
    const { rehearseTicks } = await import("../../runs/loops/run-ticks.ts");
    return rehearseTicks(context, context.given.text("blueprint") ?? "");
  }
  const maxRounds = context.given.count("max-rounds");
  const { door } = tickOptionsGiven(context.given);
  const rounds = maxRounds === undefined ? {} : { maxRounds };
  const { plan, sources } = await compileGiven(context, runtime, { ...rounds, door });
  if (!plan.ok)
    return reportProblems(context.out, { problems: plan.problems, sources, root: context.root, cwd: context.cwd });
  const isTick = plan.value.origin?.door === "pattern";
  if (isTick) refuseRounds(context.given);
  else refuseTickWords(context.given);
  if (isDry || plan.value.level === "L0") return showPlan(context, plan.value);
  // Why a project cannot be looked at is told by the start.
  const leftOut = await runtime.leftOut(plan.value, sources).catch(() => []);
  const asked = { danger: allowsDanger(context.given), ...unearnedGiven(context, "run") };
  if (isTick) return (await import("../../runs/loops/run-ticks.ts")).runTicks(context, runtime, plan.value, asked);
  const admission = await admitToStart(context, runtime, plan.value);
  return withAdmission(context, admission, () => runOnce(context, runtime, plan.value, { asked, leftOut, admission }));
}

function showPlan({ out }: Context, plan: Plan): ExitCode {
  if (out.format === "human") out.write(`${explainPlan(plan)}\nNothing was run.\n`);
  else out.document({ plan, explained: explainJson(plan) });
  return EXIT.succeeded;
}

async function runOnce(
  context: Context,
  runtime: Runtime,
  plan: Plan,
  {
    asked,
    leftOut,
    admission,
  }: { readonly asked: StartOptions; readonly leftOut: readonly string[]; readonly admission: RunAdmission },
): Promise<ExitCode> {
  const handle = await runtime.start(plan, { ...asked, ...(admission.run === null ? {} : { run: admission.run }) });
  context.out.line(`run ${handle.run}`);
  const notice = renderLeftOut(leftOut);
  if (notice !== null) context.out.note(notice);
  const start = leftOut.length === 0 ? {} : { leftOut: leftOut.length };
  const autoResume = await resumesByItself(context, runtime);
  return hostRun(context, runtime, handle, beginStory(handle.run), { start, autoResume, admission });
}
