/** What the compiler asks of an agent: a backend that exists, what it needs, and rules that it can be held to. */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { Expression } from "../../base/expression.ts";
import { isJsonObject } from "../../base/json.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { Blueprint, StageSpec } from "../../blueprint/blueprint.ts";
import type { Rule } from "../../policy/rule.ts";
import { PLAN_ERRORS } from "../errors.ts";
import type { AgentKey, AgentSignature } from "./agent-signature.ts";
import { type AgentSpecOfStage, wallIn } from "./agent-wall.ts";
import { checkOversight } from "./oversight.ts";
import { TOOLSET_NAMES, toolsetOf } from "./toolsets.ts";

export interface AgentsKnown {
  readonly agents: ReadonlyMap<string, AgentSignature>;
  readonly of: Blueprint;
  /** Rules that somebody wrote for the plan, and all that hold. */
  readonly own: readonly Rule[];
  readonly rules: readonly Rule[];
}

/** Every problem of the agents of a stage. */
export function checkAgents(spec: StageSpec, known: AgentsKnown): readonly Diagnostic[] {
  if (spec.kind === "group") return spec.members.flatMap((member) => checkAgents(member, known));
  return spec.kind === "agent" ? checkAgent(spec, known) : [];
}

function checkAgent(spec: AgentSpecOfStage, known: AgentsKnown): readonly Diagnostic[] {
  const { agents, of } = known;
  const { id: stage } = spec;
  const { where } = spec.agent;
  const { use, toolset: name } = { ...of.agent, ...spec.agent };
  if (use === undefined) return [diagnose(PLAN_ERRORS, "PLAN_AGENT_UNNAMED", { stage }, where)];
  const signature = agents.get(use);
  if (signature === undefined) {
    const data = { stage, agent: use, known: [...agents.keys()].join(", "), near: nearest(use, agents.keys()) ?? null };
    return [diagnose(PLAN_ERRORS, "PLAN_AGENT_UNKNOWN", data, where)];
  }
  const toolset = name === undefined ? undefined : toolsetOf(name);
  if (name !== undefined && toolset === undefined) {
    const near = nearest(name, TOOLSET_NAMES) ?? null;
    const data = { stage, toolset: name, known: TOOLSET_NAMES.join(", "), near };
    return [diagnose(PLAN_ERRORS, "PLAN_AGENT_TOOLSET_UNKNOWN", data, where)];
  }
  const wall = wallIn(spec, of);
  return [
    ...(wall.sandbox === "danger_full_access" ? [diagnose(PLAN_ERRORS, "PLAN_AGENT_UNWALLED", { stage }, where)] : []),
    ...checkModels(spec, signature),
    ...checkKeys(spec, signature, of),
    ...checkSettings(spec, signature),
    ...checkOversight(spec, { signature, wall, toolset, own: known.own, rules: known.rules }),
  ];
}

/** What calls models must say how much; what may call them without saying so would find no way to one. */
function checkModels(spec: AgentSpecOfStage, { name: agent, capabilities }: AgentSignature): readonly Diagnostic[] {
  if (!capabilities.callsModels || spec.models !== undefined) return [];
  return [diagnose(PLAN_ERRORS, "PLAN_AGENT_MODELS_MISSING", { stage: spec.id, agent }, spec.agent.where)];
}

/** A default beside the name of another backend is about that one. */
function checkKeys(spec: AgentSpecOfStage, signature: AgentSignature, of: Blueprint): readonly Diagnostic[] {
  const { id: stage, agent } = spec;
  const { model, maxTurns } = { ...(agent.use === undefined ? of.agent : {}), ...agent };
  const said: Readonly<Record<AgentKey, boolean>> = {
    model: model !== undefined,
    max_turns: maxTurns !== undefined,
    skills: (agent.context?.skills ?? []).length > 0,
    context: (agent.context?.files ?? []).length > 0,
  };
  const ignored = (signature.ignores ?? []).filter((key) => said[key]);
  return ignored.map((key) =>
    diagnose(PLAN_ERRORS, "PLAN_AGENT_KEY_IGNORED", { stage, agent: signature.name, key }, agent.where),
  );
}

function checkSettings(spec: AgentSpecOfStage, signature: AgentSignature): readonly Diagnostic[] {
  const { id: stage, agent } = spec;
  const { name, settings = {} } = signature;
  const named = namesIn(agent.with);
  if (named === null) return [diagnose(PLAN_ERRORS, "PLAN_AGENT_SETTINGS_NOT_MAP", { stage }, agent.where)];
  const given = [
    ...(agent.program === undefined ? [] : ["run"]),
    ...(agent.script === undefined ? [] : ["script"]),
    ...named,
  ];
  const names = Object.keys(settings);
  const unknown = given.filter((setting) => !names.includes(setting));
  const missing = Object.entries(settings).filter(([setting, { required }]) => required && !given.includes(setting));
  return [
    ...unknown.map((setting) => {
      const data = { stage, agent: name, setting, near: nearest(setting, names) ?? null };
      return diagnose(PLAN_ERRORS, "PLAN_AGENT_SETTING_UNKNOWN", data, agent.where);
    }),
    ...missing.map(([setting, { summary }]) => {
      const data = { stage, agent: name, setting, summary };
      return diagnose(PLAN_ERRORS, "PLAN_AGENT_SETTING_MISSING", data, agent.where);
    }),
  ];
}

/** null: it is no map whose names are known before the run. */
export function namesIn(settings: Expression): readonly string[] | null {
  if ("map" in settings) return settings.map.map(([name]) => name);
  return "lit" in settings && isJsonObject(settings.lit) ? Object.keys(settings.lit) : null;
}
