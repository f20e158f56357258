/** Ticks of a pattern, told as loop-runtime tells them. */
import { pawlError } from "../../../base/errors.ts";
import type { Level } from "../../../blueprint/blueprint.ts";
import type { PastTick } from "../../../runtime/loops/past-tick.ts";
import type { Compiled, Runtime, StartOptions } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode, exitOfRun } from "../../exit-codes.ts";
import { parseParams } from "../../input/params.ts";
import { tickOptionsGiven } from "../../input/tick-options.ts";
import type { Context } from "../../spec.ts";
import { renderTicks } from "../../views/loops/ticks.ts";
import { renderBudgetLine } from "../../views/money/budget.ts";
import { beginStory } from "../../views/run-story.ts";
import { hostRun } from "../host-run.ts";
import { admitToStart, withAdmission } from "./admission.ts";

/** A dry run: nothing of the project is written, its state neither. */
export async function rehearseTicks(context: Context, pattern: string): Promise<ExitCode> {
  const { out, given, root, by } = context;
  const choice = tickOptionsGiven(given);
  const { rehearse } = await import("../../../runtime/loops/rehearse.ts");
  const level = given.text("level") as Level | undefined;
  const {
    ticks,
    today,
    level: at,
  } = await rehearse(root, {
    ...{ pattern: nameOf(pattern), params: parseParams(given.list("param")), ticks: choice.ticks, by },
    door: choice.door,
    ...(level === undefined ? {} : { level }),
  });
  if (out.format !== "human") out.document({ pattern, level: at, backend: choice.backend, ticks, today });
  else {
    const name = await titleOf(context, pattern);
    out.write(renderTicks(ticks, { name, level: at, backend: choice.backend, isDry: true }));
    if (today !== null) out.write(`\n${renderBudgetLine(today)}\n`);
  }
  return exitOfTicks(ticks);
}

function exitOfTicks(ticks: readonly Pick<PastTick, "status" | "reason">[]): ExitCode {
  const exits = ticks.map(({ status, reason }) => exitOfRun(status, reason));
  return exits.find((exit) => exit !== EXIT.succeeded) ?? EXIT.succeeded;
}

function nameOf(pattern: string): string {
  return pattern.replace(/^pattern:/, "");
}

/** The name for people that the registry of the project gives it, or that which comes with Pawl. */
async function titleOf(context: Context, pattern: string): Promise<string> {
  const runtime = await context.open({ readOnly: true });
  const { shippedPatterns } = await import("../../../runtime/doors/pattern-door.ts");
  const patterns = [...(await runtime.foreign()).filter(({ door }) => door === "pattern"), ...shippedPatterns()];
  return patterns.find(({ name }) => name === nameOf(pattern))?.title ?? nameOf(pattern);
}

/** Ticks that count: each is a run like any other, one after the other. The first that does not end well is the last. */
export async function runTicks(
  context: Context,
  runtime: Runtime,
  plan: Extract<Compiled["plan"], { ok: true }>["value"],
  asked: StartOptions,
): Promise<ExitCode> {
  const { ticks, door } = tickOptionsGiven(context.given);
  if (door.isMock === true) throw pawlError(CLI_ERRORS, "CLI_MOCK_REAL", {});
  for (let tick = 1; ; tick += 1) {
    const admission = await admitToStart(context, runtime, plan);
    const exit = await withAdmission(context, admission, async () => {
      const handle = await runtime.start(plan, { ...asked, ...(admission.run === null ? {} : { run: admission.run }) });
      context.out.line(`run ${handle.run}`);
      return hostRun(context, runtime, handle, beginStory(handle.run), { autoResume: false, admission });
    });
    if (exit !== EXIT.succeeded || tick === ticks) return exit;
  }
}
