/**
 * May these rules be promised of this backend? What it does not ask us about, only the wall bounds: a rule about it could not be
 * kept, and neither could the default, which denies. Edits are no part of this: what has changed is judged after each attempt.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { compilePolicy } from "../../policy/compile.ts";
import { decide } from "../../policy/decide.ts";
import type { Pattern, Rule } from "../../policy/rule.ts";
import { PLAN_ERRORS } from "../errors.ts";
import type { Wall } from "../plan.ts";
import type { AgentPower, AgentSignature, Toolset } from "./agent-signature.ts";
import type { AgentSpecOfStage } from "./agent-wall.ts";

export interface Promised {
  readonly signature: AgentSignature;
  readonly wall: Wall;
  readonly toolset: Toolset | undefined;
  /** Rules that somebody wrote for this plan. */
  readonly own: readonly Rule[];
  /** Those and the shipped ones. */
  readonly rules: readonly Rule[];
}

const USUAL_PORT = 443;
const RULED = ["read", "run", "mcp", "tool"] as const;
/** Powers that every program behind a wall has, whether it was made to or not. */
const INNATE: readonly AgentPower[] = ["read", "run"];

export function checkOversight(spec: AgentSpecOfStage, promised: Promised): readonly Diagnostic[] {
  const { oversight } = promised.signature.capabilities;
  const problems = RULED.filter((power) => oversight[power] !== "mediated").flatMap(
    (power) => powerProblem(spec, power, promised) ?? [],
  );
  return oversight.fetch === "mediated" ? problems : [...problems, ...hostProblems(spec, promised)];
}

function powerProblem(spec: AgentSpecOfStage, power: (typeof RULED)[number], promised: Promised): Diagnostic | null {
  const { signature, toolset, own, rules } = promised;
  const { name: agent, capabilities } = signature;
  const data = { stage: spec.id, agent, power, oversight: capabilities.oversight[power] };
  const about = own.filter((rule) => rule.shadow !== true && powersOf(rule.pattern).includes(power));
  const strict = about.find(({ effect }) => effect !== "allow");
  if (strict !== undefined) {
    const { id: rule, effect } = strict;
    return diagnose(PLAN_ERRORS, "PLAN_AGENT_RULE_UNENFORCEABLE", { ...data, rule, effect }, spec.agent.where);
  }
  const isInnate = INNATE.includes(power);
  if (isInnate && toolset !== undefined && !toolset.powers.includes(power)) {
    const { name } = toolset;
    return diagnose(PLAN_ERRORS, "PLAN_AGENT_TOOLSET_UNENFORCEABLE", { ...data, toolset: name }, spec.agent.where);
  }
  const isWanted = isInnate || about.length > 0;
  if (!isWanted || rules.some((rule) => allowsAll(rule, power))) return null;
  return diagnose(PLAN_ERRORS, "PLAN_AGENT_POWER_PARTIAL", { ...data, whole: WHOLE[power] }, spec.agent.where);
}

/** The wall lets it reach these hosts and no others, so that each of them must be allowed. */
function hostProblems(spec: AgentSpecOfStage, { signature, wall, rules }: Promised): readonly Diagnostic[] {
  if (wall.network.length === 0) return [];
  const policy = compilePolicy(rules);
  return wall.network.flatMap((entry) => {
    const at = entry.search(/:\d+$/);
    const host = (at < 0 ? entry : entry.slice(0, at)).replace(/^\*\./, "any.");
    const port = at < 0 ? USUAL_PORT : Number(entry.slice(at + 1));
    if (decide(policy, { kind: "fetch", host, port }).effect === "allow") return [];
    const data = { stage: spec.id, agent: signature.name, host: entry };
    return [diagnose(PLAN_ERRORS, "PLAN_AGENT_HOST_UNALLOWED", data, spec.agent.where)];
  });
}

/** The rule that allows a power as a whole. */
const WHOLE = {
  read: '{ read: "**" }',
  run: '{ run: ["**"] }',
  mcp: '{ mcp: "*/*" }',
  tool: '{ tool: "*" }',
} as const;

function allowsAll({ effect, pattern, when, except, shadow }: Rule, power: (typeof RULED)[number]): boolean {
  if (effect !== "allow" || when !== undefined || except !== undefined || shadow === true) return false;
  if ("any" in pattern) return true;
  switch (power) {
    case "read":
      return "read" in pattern && pattern.read === "**";
    case "run":
      return "run" in pattern && pattern.run.length === 1 && pattern.run[0] === "**";
    case "mcp":
      return "mcp" in pattern && pattern.mcp === "*/*";
    case "tool":
      return "tool" in pattern && pattern.tool === "*";
  }
}

/** What a rule is about. A shell and git are programs; actions and money are no powers of an agent. */
function powersOf(pattern: Pattern): readonly AgentPower[] {
  if ("any" in pattern) return ["read", "run", "mcp", "tool"];
  if ("run" in pattern || "shell" in pattern || "git" in pattern) return ["run"];
  if ("read" in pattern) return ["read"];
  if ("mcp" in pattern) return ["mcp"];
  return "tool" in pattern ? ["tool"] : [];
}
