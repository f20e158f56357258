/**
 * Executes a plan: group after group, each call through the one door. A plan that fails may be replaced, at most so many times,
 * and each of those that follow names the one before. Whatever ends it, the log has an end and the hooks are told.
 */
import type { JsonValue } from "../../base/json.ts";
import { visibleLine } from "../../base/visible.ts";
import { type Ended, finish, type PlanReport } from "./end-plan.ts";
import type { ExecutionContext } from "./execution-context.ts";
import { type ExecutionPlan, limitsWithin } from "./reading/execution-plan.ts";
import { readExecutionPlan } from "./reading/read-plan.ts";
import { runGroups, type Walked } from "./run-groups.ts";
import { openSession, type PlanHost, type ReplanRequest, type Session } from "./session.ts";

/** Outcomes are data: it rejects only when the log cannot be written, and for defects. */
export async function executePlan(
  source: JsonValue,
  context: ExecutionContext,
  host: PlanHost,
  signal: AbortSignal,
): Promise<PlanReport> {
  const { calls, runtimeMs } = limitsWithin(host.limits ?? {});
  const { session, end } = openSession(context, host, signal, { calls, ms: runtimeMs, stop: "max_runtime" });
  try {
    return await finish(session, await executeIn(session, source));
  } finally {
    end();
  }
}

/** Tells nobody of its end: whoever opened the session does. */
export async function executeIn(session: Session, source: JsonValue): Promise<Ended> {
  let next = source;
  for (let replan = 1; ; replan += 1) {
    const read = readExecutionPlan(next, {
      tools: session.host.tools,
      steps: session.limits.steps,
      parent: replan === 1 ? null : (session.plans.at(-1) ?? null),
      done: new Set(session.outputs.keys()),
      plans: new Set(session.plans),
    });
    if (!read.ok) {
      const [problem] = read.problems;
      const error = { code: problem?.code ?? "", message: read.problems.map(({ what }) => what).join("\n") };
      return { stop: "invalid_plan", error, output: null };
    }
    const { trigger, failed, ...ended } = await runOne(session, read.value);
    if (trigger === null || failed === null) return ended;
    const made = await askForPlan(session, { trigger, plan: read.value, failed, results: [], replan });
    if ("stop" in made) return { ...ended, ...made };
    next = made.plan;
  }
}

async function runOne(session: Session, plan: ExecutionPlan): Promise<Walked> {
  session.plans.push(plan.id);
  const from = session.host.clock.now();
  await session.log.begin(plan);
  const walked = await runGroups(session, plan);
  const durationMs = session.host.clock.now() - from;
  await session.log.end(plan, { stop: walked.stop, error: walked.error?.message ?? null, durationMs });
  return walked;
}

type Made = { readonly plan: JsonValue } | Pick<Ended, "stop"> | Pick<Ended, "stop" | "error">;

/** Another plan, or why there is none. */
async function askForPlan(session: Session, request: ReplanRequest): Promise<Made> {
  const { host, context, limits, signal } = session;
  if (host.replan === undefined) return { stop: "fail_fast" };
  if (request.replan > limits.replans) return { stop: "replan_failed" };
  try {
    const plan = await unlessAborted(host.replan({ ...request, results: context.results() }, signal), signal);
    return plan === null ? { stop: "fail_fast" } : { plan };
  } catch (error) {
    const stop = session.halted();
    if (stop !== null) return { stop };
    const message = visibleLine(error instanceof Error ? error.message : String(error), 500);
    return { stop: "replan_failed", error: { code: "REPLAN_FAILED", message } };
  }
}

/** Rejects when the signal aborts, whether the work ends then or not. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = (): void => reject(new Error("it was ended"));
    signal.addEventListener("abort", give, { once: true });
    if (signal.aborted) give();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", give));
  });
}
