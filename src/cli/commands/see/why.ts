import { pawlError } from "../../../base/errors.ts";
import { loopOptions } from "../../../runtime/loops/loop-options.ts";
import type { LoopReason } from "../../../runtime/money/money-actions.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { findLoop } from "../../input/find-loop.ts";
import { suggest } from "../../input/suggest.ts";
import { reportProblems } from "../../report-problems.ts";
import { type NextWake, nextWakeLines, nextWakes } from "../../runs/next-wakes.ts";
import { tendApprovals } from "../../runs/tend-approvals.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderWhy } from "../../views/money/why.ts";

export const whyCommand: CommandSpec = {
  name: "why",
  summary: "Say why nothing happens: one reason for each loop, and what clears it",
  details: [
    "The first that holds: the kill switch, a run under way, a run whose process is gone, an open question, a cap, a quota, a pause, a path lock of another loop, too many open proposals, an open breaker, a spent budget, the end of the last run, or that it never ran.",
    "Only what holds now is told in the present tense. How the last run ended is told only when nothing is blocked or under way.",
  ],
  arguments: [
    { name: "blueprint", summary: "only this blueprint: its name, or its path in the project", required: false },
  ],
  options: [],
  examples: [
    { line: "pawl why", does: "every blueprint of the project, and every one that has runs" },
    { line: "pawl why fix-tests", does: "one of them" },
    { line: "pawl why --json | jq '.loops[] | {loop, kind, nextWake}'", does: "for a script" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out, given } = context;
    const runtime = await context.open({ readOnly: true });
    await tendApprovals(context, runtime);
    const name = given.text("blueprint");
    const loops = name === undefined ? await runtime.why() : [await whyOne(runtime, name)];
    const wakes = await nextWakes(context.root);
    const { file, sources } = await runtime.project();
    const problems = file?.ok === false ? file.problems : [];
    const exit = problems.length === 0 ? EXIT.succeeded : EXIT.usage;
    if (out.format === "json") {
      const next = wakes.length === 0 ? {} : { next: wakes };
      out.document({ loops, ...next, ...(exit === EXIT.usage ? { problems } : {}) });
      return exit;
    }
    if (exit === EXIT.usage) reportProblems(out, { problems, sources, root: context.root, cwd: context.cwd });
    else await noteCaps(context, runtime);
    // What the runs say is shown all the same, because a loop of a broken pawl.yaml can still have a run that waits.
    writeReasons(context, loops, wakes, exit === EXIT.succeeded);
    return exit;
  },
};

async function noteCaps({ out }: Context, runtime: Runtime): Promise<void> {
  const { caps } = await runtime.budget();
  if (!caps.ok)
    out.note("The caps of the project cannot be read, and no run starts until they can: `pawl budget` tells why.");
}

function writeReasons(
  { out, now }: Context,
  loops: readonly LoopReason[],
  wakes: readonly NextWake[],
  isKnown: boolean,
): void {
  const lines = loops.flatMap((why, at) => [...(at === 0 ? [] : [""]), ...renderWhy(why, out.paint, now())]);
  for (const line of lines.length === 0 && isKnown ? ["no blueprints and no runs"] : lines) out.line(line);
  for (const line of wakes.length === 0 ? [] : ["", ...nextWakeLines(wakes)]) out.line(line);
}

async function whyOne(runtime: Runtime, name: string): Promise<LoopReason> {
  const found = await findLoop(runtime, name);
  // A blueprint of its own may have another name; one that comes with Pawl has that of its loop.
  if (found?.ok === true && found.loop.source.startsWith("builtin:")) return (await runtime.why(name))[0] as LoopReason;
  const known = await runtime.blueprints();
  const wanted = found?.ok === true ? found.loop.source : name;
  if (found?.ok === true && !known.some((each) => each.path === wanted)) {
    const { plan } = await runtime.compile(wanted, loopOptions(found.loop));
    if (plan.ok) return (await runtime.why(plan.value.name))[0] as LoopReason;
  }
  const file = known.find((each) => each.path === wanted) ?? known.find((each) => each.name === name);
  const [why] = await runtime.why(file?.name ?? name);
  if (why !== undefined && (file !== undefined || why.run !== null)) return why;
  throw pawlError(CLI_ERRORS, "CLI_BLUEPRINT_UNKNOWN", {
    name,
    near: suggest(
      name,
      known.map((each) => each.name),
    ),
  });
}
