/**
 * SkillExecutor: loads skills and runs them. Nothing is started that is not loaded, not granted, not allowed by policy, or that a breaker
 * keeps back; and whatever happens comes back as one of five statuses.
 */

import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { BREAKER_RULES, type BreakerRules } from "../../limits/breaker/rules.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";
import type { Breakers } from "../../ports/store/breakers.ts";
import { createCallDoor } from "../plans/call-door.ts";
import type { PlanReport } from "../plans/end-plan.ts";
import { executePlan } from "../plans/execute-plan.ts";
import type { ExecutionContext } from "../plans/execution-context.ts";
import type { PlanHost } from "../plans/session.ts";
import type { Hooks } from "../ports.ts";
import { createToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { failure, NO_USE, type Outcome, runSkill, type SkillProcess, type SkillResult } from "./run-skill.ts";
import { type Skill, skillToolName } from "./skill.ts";
import { createSkillShelf, type LoadedSkill, type SkillShelf } from "./skill-shelf.ts";
import { type SkillEnds, skillTool } from "./skill-tools.ts";

export interface SkillExecutorOptions extends SkillProcess {
  readonly breakers: Pick<Breakers, "admit" | "report">;
  readonly breakerRules?: BreakerRules;
  /** The ruling of policy; what goes wrong is a deny. */
  decide(call: ToolCall): Promise<Ruling>;
  /** Permissions that skills may need; none unless told. */
  readonly granted?: readonly string[];
  /** A folder of ours in which their files are laid out. */
  readonly dir: string;
}

export interface SkillRequest {
  readonly skill: string;
  readonly input: JsonValue;
  /** Shorter than what the skill says; never longer. */
  readonly timeoutMs?: number;
  readonly tenant?: string;
  readonly user?: string;
  /** Of whoever asked; a new one when it is missing. */
  readonly request?: string;
}

export interface SkillPlanParts extends Pick<PlanHost, "log" | "limits" | "replan"> {
  readonly hooks?: Hooks;
  /** Tools besides the skills. */
  readonly tools?: readonly Tool[];
  /** The workspace of those tools. */
  readonly root: string;
}

export interface SkillExecutor {
  /** Rejects with SKILL_NOT_LOADED for a skill that has only instructions. */
  load(skill: Skill): Promise<void>;
  /** Loaded, and so is everything that it needs. */
  canExecute(id: string): boolean;
  /** Outcomes are data: it rejects only for defects and for a store that fails. */
  execute(request: SkillRequest, signal: AbortSignal): Promise<SkillResult>;
  /** With the skills that are loaded, and nothing else but `tools`. */
  executePlan(
    plan: JsonValue,
    context: ExecutionContext,
    parts: SkillPlanParts,
    signal: AbortSignal,
  ): Promise<PlanReport>;
  /** The loaded skills as tools `skill__name`; the toolbox that calls them asks policy. */
  tools(ends?: SkillEnds): readonly Tool[];
}

interface Asked {
  readonly input: JsonValue;
  readonly timeoutMs?: number | undefined;
}

export function createSkillExecutor(options: SkillExecutorOptions): SkillExecutor {
  const shelf = createSkillShelf(options.dir, options.granted ?? []);
  const perform = createPerformance(options, shelf);

  const toolsOf = (ends?: SkillEnds): readonly Tool[] =>
    shelf
      .all()
      .map((one) => skillTool(one.skill, one.callable, (input, signal) => perform(one, { input }, signal), ends));

  return {
    load: shelf.load,
    canExecute: (id) => shelf.missing(id) === null,
    async execute(request, signal) {
      const { skill } = request;
      const one = shelf.get(skill);
      if (one === undefined) return ended(failure("rejected", "SKILL_NOT_LOADED", { skill }));
      const ruling = await ruled(options, one, request);
      if (ruling.answer === "allow") return perform(one, request, signal);
      return ended(failure("rejected", "SKILL_POLICY_REJECTED", { skill, problem: ruling.why }));
    },
    tools: toolsOf,
    executePlan(plan, context, parts, signal) {
      const ends: SkillEnds = new Map();
      const { hooks, root } = parts;
      const door = createCallDoor({
        registry: createToolRegistry([...toolsOf(ends), ...(parts.tools ?? [])]),
        ...{ toolset: null, root, run: options.run, decide: options.decide, emit: () => undefined },
        holder: { name: context.ids.assistant, author: "anyone", visibility: "private" },
        endOf: (id) => ends.get(id),
        ...(hooks === undefined ? {} : { hooks }),
      });
      return executePlan(plan, context, { ...parts, ...door, clock: options.clock, run: options.run }, signal);
    },
  };
}

type Perform = (one: LoadedSkill, asked: Asked, signal: AbortSignal) => Promise<SkillResult>;

/** What policy has allowed: the shelf and the breaker have the last word. */
function createPerformance(options: SkillExecutorOptions, shelf: SkillShelf): Perform {
  const { breakers, clock, breakerRules = BREAKER_RULES } = options;
  let number = 0;
  return async (one, { input, timeoutMs }, signal) => {
    const { skill, callable } = one;
    const refused = shelf.refusal(one, input);
    if (refused !== null) return ended(refused);
    const admission = await breakers.admit(`skill:${skill.id}`, breakerRules, clock.now());
    if (!admission.go)
      return ended(failure("rejected", "SKILL_CIRCUIT_OPEN", { skill: skill.id, problem: admission.why }));
    number += 1;
    const most = Math.min(callable.timeoutMs, timeoutMs ?? callable.timeoutMs);
    const result = await runSkill(options, { ...one, input, timeoutMs: most, number }, signal);
    await breakers.report(admission.ticket, endFor(result), clock.now());
    return result;
  };
}

function ended(outcome: Outcome): SkillResult {
  return { ...outcome, durationMs: 0, usage: NO_USE };
}

/** A cancel, and what is refused before anything is started, say nothing about the skill. */
function endFor({ status }: SkillResult): "success" | "failure" | "ignored" {
  if (status === "success") return "success";
  return status === "failed" || status === "timeout" ? "failure" : "ignored";
}

async function ruled(
  options: SkillExecutorOptions,
  { skill, callable }: LoadedSkill,
  request: SkillRequest,
): Promise<Ruling> {
  const { tenant, user, input } = request;
  const tool = skillToolName(skill.id);
  const args: JsonObject = isJsonObject(input) ? input : { input };
  const who = { ...(tenant === undefined ? {} : { tenant }), ...(user === undefined ? {} : { user }) };
  const asked: PolicyRequest = { kind: "tool", tool, args, tier: callable.risk, who };
  try {
    return await options.decide({ id: request.request ?? skill.digest, tool, input: args, requests: [asked] });
  } catch (error) {
    return { answer: "deny", why: error instanceof Error ? error.message : String(error) };
  }
}
