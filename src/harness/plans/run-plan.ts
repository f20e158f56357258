/**
 * runPlan: one bounded execution of plans that are made at run time. Policy, limits and the log have safe defaults; inside a run of an agent
 * a plan has no more time, calls or money than that run has left.
 */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";
import { EXECUTION_ERRORS } from "../../ports/agents/execution-errors.ts";
import { newRunId, policyFrom, withDefaults } from "../defaults.ts";
import { currentLineage, type Lineage } from "../delegate/lineage.ts";
import type { AgentPolicy, AgentPorts, AgentRules } from "../ports.ts";
import { createToolRegistry } from "../tools/registry.ts";
import type { Tool, ToolRisk } from "../tools/tool.ts";
import { createWorkspace } from "../workspace.ts";
import { createCallDoor, type Door } from "./call-door.ts";
import type { PlanReport } from "./end-plan.ts";
import { executePlan } from "./execute-plan.ts";
import { createExecutionContext, type ExecutionIds } from "./execution-context.ts";
import type { ExecutionLog } from "./execution-log.ts";
import { limitsWithin, type PlanLimits } from "./reading/execution-plan.ts";
import { type Planner, runReasoning } from "./reasoning-loop.ts";
import type { CallDoor } from "./run-step.ts";
import type { Replan } from "./session.ts";

export interface RunPlanOptions {
  /** An ExecutionPlan as JSON; or with `planner`, none. */
  readonly plan?: JsonValue;
  /** Whoever makes one plan after the other. */
  readonly planner?: Planner;
  /** All that its steps may call; a skill is the tool `skill__name`. */
  readonly tools: readonly Tool[];
  /** Rules, or somebody who decides. Without it: only tools of low risk. */
  readonly policy?: AgentRules | AgentPolicy;
  readonly ports?: Partial<Pick<AgentPorts, "hooks" | "approvals" | "artifacts" | "callers" | "clock">>;
  /** Dropped unless told. */
  readonly log?: ExecutionLog;
  /** Within the ceilings. */
  readonly limits?: Partial<PlanLimits>;
  readonly replan?: Replan;
  readonly ids?: Partial<ExecutionIds>;
  /** Milliseconds since 1970. */
  readonly deadline?: number;
  /** The workspace of its tools; without it, an empty folder that is gone afterwards. */
  readonly root?: string;
  readonly signal?: AbortSignal;
}

/** Outcomes are data; it rejects for a log that fails, for tools that cannot be used together, and for defects. */
export async function runPlan(options: RunPlanOptions): Promise<PlanReport> {
  const { plan, planner, ids = {}, replan } = options;
  if ((plan === undefined) === (planner === undefined))
    throw pawlError(EXECUTION_ERRORS, "EXECUTION_PLAN_INVALID", {
      at: "the options",
      problem: "need a plan or a planner",
    });
  const parent = currentLineage();
  const ports = withDefaults(options.ports);
  const run = parent?.run ?? newRunId();
  const workspace = createWorkspace(options.root);
  const own = ends(options.signal, parent);
  try {
    const door = doorOf(options, ports, { run, root: workspace.root(), parent });
    const { clock, hooks } = ports;
    const all = { request: run, assistant: "planner", session: run, tenant: "", user: "", ...ids };
    const context = createExecutionContext(all, clock.now(), options.deadline ?? null);
    const host = {
      ...{ run, clock, tools: door.tools, call: bounded(door.call, parent), log: options.log ?? NO_LOG },
      limits: limitsOf(options.limits, parent),
      ...(hooks === undefined ? {} : { hooks }),
      ...(replan === undefined ? {} : { replan }),
    };
    if (planner !== undefined) return await runReasoning(planner, context, host, own.signal);
    return await executePlan(plan as JsonValue, context, host, own.signal);
  } finally {
    own.end();
    workspace.remove();
  }
}

const NO_LOG: ExecutionLog = { append: () => undefined };

interface Seat {
  readonly run: RunId;
  readonly root: string;
  readonly parent: Lineage | undefined;
}

function doorOf({ tools, policy: given }: RunPlanOptions, ports: AgentPorts, { run, root, parent }: Seat): Door {
  const registry = createToolRegistry(tools);
  const policy = policyFrom(given);
  const riskOf = ({ tool }: ToolCall): ToolRisk => registry.get(tool)?.tool.risk ?? "high";
  const decide = async (call: ToolCall, signal: AbortSignal): Promise<Ruling> => {
    const ruling = await policy.decide(call, riskOf(call));
    if (ruling.answer !== "defer" || ports.approvals === undefined) return ruling;
    const answer = await ports.approvals.ask(call, ruling.why, signal);
    if (answer === "allow") return { answer: "allow" };
    return answer === "later" ? ruling : { answer: "deny", why: `${ruling.why}, and it was denied` };
  };
  const above = parent && {
    above: (call: ToolCall) => parent.rule(call, riskOf(call)),
    tellAbove: parent.tell,
    attach: parent.attach,
  };
  return createCallDoor({
    ...{ registry, toolset: null, root, run, decide, emit: () => undefined, ...above },
    holder: { name: "planner", author: "anyone", visibility: "private" },
    ...(ports.hooks === undefined ? {} : { hooks: ports.hooks }),
    ...(ports.artifacts === undefined ? {} : { artifacts: ports.artifacts }),
    ...(ports.callers === undefined ? {} : { callers: ports.callers }),
  });
}

/** Each call counts for the run around it, and none is made when that has nothing left. */
function bounded(call: CallDoor, parent: Lineage | undefined): CallDoor {
  if (parent === undefined) return call;
  return async (request, signal) => {
    const bound = parent.meter.reached();
    const error = `the run around it has reached its limit: ${bound}`;
    if (bound !== null && bound !== "max_turns") return { ending: "budget", output: null, code: "BUDGET", error };
    parent.meter.addCall();
    return call(request, signal);
  };
}

function limitsOf(asked: Partial<PlanLimits> = {}, parent: Lineage | undefined): PlanLimits {
  const own = limitsWithin(asked);
  if (parent === undefined) return own;
  const left = parent.meter.left().wallMs;
  return { ...own, runtimeMs: Math.min(own.runtimeMs, left), sessionMs: Math.min(own.sessionMs, left) };
}

/** Ended by its caller or by the run around it. */
function ends(
  caller: AbortSignal | undefined,
  parent: Lineage | undefined,
): { readonly signal: AbortSignal; end(): void } {
  const own = new AbortController();
  const outer = [caller, parent?.signal].filter((signal) => signal !== undefined);
  const stop = (): void => own.abort();
  for (const signal of outer) {
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  }
  return {
    signal: own.signal,
    end: () => {
      for (const signal of outer) signal.removeEventListener("abort", stop);
    },
  };
}
