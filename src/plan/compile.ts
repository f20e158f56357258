/**
 * compile: Blueprint + level + parameters → Plan, or every problem at once. What it returns is checked, bounded, frozen and
 * named by its digest; nothing in it depends on anything but the arguments.
 */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { canonical, type JsonObject, type JsonValue } from "../base/json.ts";
import { failed, ok, type Result } from "../base/result.ts";
import type { Blueprint, ChangeRules, Level, LimitsSpec, StageSpec } from "../blueprint/blueprint.ts";
import { STAGNATION_DEFAULTS } from "../limits/stagnation/thresholds.ts";
import { frozen, type Rule } from "../policy/rule.ts";
import { GUARD } from "../policy/shipped/guard.ts";
import { SETS } from "../policy/shipped/sets.ts";
import type { AgentSignature, PlanAgent } from "./agents/agent-signature.ts";
import type { AgentSpecOfStage } from "./agents/agent-wall.ts";
import { checkAgents } from "./agents/check-agent.ts";
import { MEASURES, worstCase } from "./bound.ts";
import { checkLevel, checkStage, type InspectionSpec, type RunSpec } from "./checks.ts";
import { settle } from "./defaults.ts";
import { PLAN_ERRORS } from "./errors.ts";
import { policyDigest, seal } from "./fingerprint.ts";
import { defaultParams, giveParams, type ParamValues } from "./params.ts";
import { protectedPaths } from "./paths/protected.ts";
import type { ActionSignature, LeafStage, Origin, Plan, PlanLimits, PlanStage } from "./plan.ts";
import { isAbove, leadsBack, levelOf, type Routed, routeStages } from "./routes.ts";
import { buildStage, type Child } from "./stages.ts";
import type { Given } from "./taint/sources.ts";
import { findTaint, type Taint } from "./taint/taint.ts";
import { bringsTree } from "./taint/ways.ts";
import { worstVisits } from "./visits.ts";

export interface CompileInput {
  /** The ceiling. */
  readonly level: Level;
  /** What the user gave. */
  readonly params: ParamValues;
  /** Where the blueprint came from, when it was not written as one. */
  readonly origin?: Origin;
  readonly actions: readonly ActionSignature[];
  /** Rules from outside the blueprint; they stand before its own, for children too. */
  readonly rules: readonly Rule[];
  /** A blueprint already read: the name as written, and the file of the blueprint that names it. */
  readonly child: (name: string, from: string) => Blueprint | undefined;
  /** Backends of agents; without them no agent can be used. */
  readonly agents?: readonly AgentSignature[];
  /** What the script file of an agent says, which was read already; undefined: it names none. */
  readonly script?: (agent: AgentSpecOfStage, from: string) => JsonObject | undefined;
  /** What an agent is told besides its task, which was put together already; undefined: nothing. */
  readonly context?: (agent: AgentSpecOfStage) => PlanAgent["context"];
  /** The rules of a gate together with those of the file it names, which was read already; undefined: it names none. */
  readonly gateRules?: (gate: InspectionSpec, from: string) => ChangeRules | undefined;
}

const DEEPEST = 16;
const MOST_CHILDREN = 256;
const MEASURE_NAMES = {
  stages: "stages",
  wallMs: "milliseconds",
  tokens: "tokens",
  microUsd: "micro-dollars",
  spawns: "child runs",
  turns: "calls to models",
} as const;

/** One call of `compile`: shared by the blueprint and all its children. */
interface Session {
  readonly input: CompileInput;
  readonly actions: ReadonlyMap<string, ActionSignature>;
  readonly agents: ReadonlyMap<string, AgentSignature>;
  readonly problems: Diagnostic[];
  /** Each child is compiled once per set of inherited rules and third-party text; undefined: it has problems, which were reported. */
  readonly plans: Map<string, Plan | undefined>;
  /** Whether a run of the blueprint in this file leaves third-party text in its tree; undefined: it is being found out. */
  readonly brings: Map<string, boolean | undefined>;
}

export function compile(blueprint: Blueprint, input: CompileInput): Result<Plan> {
  const actions = new Map(input.actions.map((action) => [action.name, action]));
  const agents = new Map((input.agents ?? []).map((agent) => [agent.name, agent]));
  const session: Session = { input, actions, agents, problems: [], plans: new Map(), brings: new Map() };
  const params = giveParams(blueprint, input.params, session.problems);
  const plan = compileOne(blueprint, params, { ancestors: [], given: [], depth: null }, session);
  return plan === undefined || session.problems.length > 0 ? failed(session.problems) : ok(plan);
}

/** Where a blueprint stands: below which others, and with which third-party text. */
interface Place {
  readonly ancestors: readonly Blueprint[];
  readonly given: Given;
  /** How deep child runs may go below it, as those above say; null: none does. */
  readonly depth: number | null;
}

function compileOne(
  blueprint: Blueprint,
  params: ParamValues,
  { ancestors, given, depth }: Place,
  session: Session,
): Plan | undefined {
  const { input, actions, problems } = session;
  const lineage = [...ancestors, blueprint];
  const before = problems.length;
  const kept = routeStages(blueprint, input.level, problems);
  const limits = limitsOf(blueprint.limits, depth, kept);
  const find = (name: string): Blueprint | undefined => input.child(name, blueprint.file);
  for (const spec of blueprint.stages) problems.push(...checkStage(spec, { actions, child: find, of: blueprint }));
  for (const { spec } of kept) problems.push(...checkLevel(spec, actions, input.level));
  const rules = rulesOf(blueprint, ancestors, input.rules);
  const own = [...input.rules, ...inheritedRules(ancestors), ...blueprint.rules];
  for (const { spec } of kept)
    problems.push(...checkAgents(spec, { agents: session.agents, of: blueprint, own, rules }));
  problems.push(...unboundedCycles(blueprint, kept, limits));
  const protect = protectedPaths(blueprint, problems);
  const taint = findTaint(kept, { blueprint, actions, given, child: bringing(blueprint, session) });
  problems.push(...taint.problems);
  const below = { ancestors: lineage, depth: limits.depth === undefined ? null : Math.max(0, limits.depth - 1) };
  const children = compileChildren(kept, below, taint, session);
  if (children === undefined || problems.length > before) return undefined;

  const plans = distinct([...children.values()].map((child) => child.plan));
  const begun = limits.depth === 0 ? [] : plans;
  const bounds = new Map(begun.map((plan) => [plan.fingerprint, plan.bound]));
  const child = (spec: RunSpec): Child => children.get(spec) as Child;
  const stages = kept.map(({ spec, routes }) =>
    buildStage(spec, routes, {
      defaults: blueprint.defaults,
      workspace: blueprint.workspace.kind,
      agent: blueprint.agent ?? {},
      script: (agent) => input.script?.(agent, blueprint.file),
      context: (agent) => input.context?.(agent),
      actions,
      child,
      changeRules: (inspection) => input.gateRules?.(inspection, blueprint.file) ?? inspection.rules,
      bounds,
      taint: taint.leaf,
    }),
  );
  const bound = worstCase(stages, bounds, limits);
  const above = kept.flatMap(({ spec }) => (needsMore(spec, actions, child) ? [spec.id] : []));
  problems.push(...sizeProblems(blueprint, plans), ...inexact(blueprint, bound));
  if (problems.length > before) return undefined;
  return seal({
    version: 1,
    name: blueprint.name,
    ...originOf(input, ancestors),
    level: input.level,
    params,
    ...(taint.given.length === 0 ? {} : { untrusted: taint.given }),
    limits,
    rules,
    policy: policyDigest(rules),
    protect: leavesOf(stages).some(({ kind }) => kind === "gate") ? protect : [],
    workspace: needsWorkspace(stages, plans, actions) ? blueprint.workspace : null,
    start: (stages[0] as (typeof stages)[number]).id,
    ...(above.length === 0 ? {} : { above }),
    ...unreachedBelow(blueprint, input.level, kept),
    stages,
    children: plans,
    bound,
  });
}

function originOf({ origin }: CompileInput, ancestors: readonly Blueprint[]): Pick<Plan, "origin"> {
  return origin === undefined || ancestors.length > 0 ? {} : { origin };
}

/** Whether a stage, by itself, by its action or by what its child run does, needs more than L1. */
function needsMore(
  spec: StageSpec,
  actions: ReadonlyMap<string, ActionSignature>,
  child: (spec: RunSpec) => Child,
): boolean {
  if (isAbove(levelOf(spec), "L1")) return true;
  if (spec.kind === "group") return spec.members.some((member) => needsMore(member, actions, child));
  if (spec.kind === "run") return child(spec).plan.above !== undefined;
  return spec.kind === "action" && isAbove((actions.get(spec.action) as ActionSignature).level ?? "L1", "L1");
}

/** What a run at a lower level did not use says nothing about it: evidence is compared by what both have. */
function unreachedBelow(blueprint: Blueprint, ceiling: Level, kept: readonly Routed[]): Pick<Plan, "unreached"> {
  const found = (["L1", "L2"] as const).flatMap((level) => {
    if (level >= ceiling) return [];
    const there = new Set(routeStages(blueprint, level, []).map(({ spec }) => spec.id));
    const gone = kept.map(({ spec }) => spec.id).filter((id) => !there.has(id));
    return gone.length === 0 ? [] : [[level, gone] as const];
  });
  return found.length === 0 ? {} : { unreached: Object.fromEntries(found) };
}

function leavesOf(stages: readonly PlanStage[]): readonly LeafStage[] {
  return stages.flatMap((stage) => (stage.kind === "group" ? stage.members : [stage]));
}

/** All that applies, each rule once. The guard is part of every plan, whoever compiles it. */
function rulesOf(blueprint: Blueprint, ancestors: readonly Blueprint[], outer: readonly Rule[]): readonly Rule[] {
  const sets = blueprint.use.flatMap((name) => SETS[name]);
  const all = [...GUARD, ...outer, ...sets, ...inheritedRules(ancestors), ...blueprint.rules];
  return [...new Map(all.map((rule) => [rule.id, frozen(rule)])).values()];
}

/** A plan whose stages run no process and touch no tree works nowhere. */
function needsWorkspace(
  stages: readonly PlanStage[],
  children: readonly Plan[],
  actions: ReadonlyMap<string, ActionSignature>,
): boolean {
  return (
    children.some(({ workspace }) => workspace !== null) ||
    leavesOf(stages).some(
      (leaf) =>
        "wall" in leaf ||
        leaf.kind === "inspection" ||
        (leaf.kind === "action" && actions.get(leaf.action)?.usesTree === true),
    )
  );
}

/** A child may only tighten: what its ancestors deny or ask about stays denied or asked about. */
function inheritedRules(ancestors: readonly Blueprint[]): readonly Rule[] {
  return ancestors.flatMap(({ name, rules }) =>
    rules.filter((rule) => rule.effect !== "allow").map((rule) => ({ ...rule, id: `${name}:${rule.id}` })),
  );
}

function limitsOf(limits: LimitsSpec, inherited: number | null, kept: readonly Routed[]): PlanLimits {
  return {
    stages: limits.stages ?? null,
    wallMs: limits.wallMs ?? null,
    rounds: limits.rounds ?? null,
    consecutiveFailures: limits.consecutiveFailures ?? null,
    tokens: limits.tokens ?? null,
    microUsd: limits.microUsd ?? null,
    ...limitsBelow(limits, inherited),
    ...limitsOnRepeats(limits, kept),
  };
}

/** On what begins below a run. Of its own depth and that which those above leave it, the lesser counts. */
function limitsBelow(limits: LimitsSpec, inherited: number | null): Pick<PlanLimits, "turns" | "spawns" | "depth"> {
  const depths = [limits.depth, inherited].flatMap((depth) => depth ?? []);
  return {
    ...(limits.turns === undefined ? {} : { turns: limits.turns }),
    ...(limits.spawns === undefined ? {} : { spawns: limits.spawns }),
    ...(depths.length === 0 ? {} : { depth: Math.min(...depths) }),
  };
}

/** Where nothing leads back, nothing repeats. */
function limitsOnRepeats(
  { consecutiveFailures, stagnation }: LimitsSpec,
  kept: readonly Routed[],
): Pick<PlanLimits, "failedRounds" | "stagnation"> {
  const canRepeat = stagnation !== undefined || kept.some(({ routes }) => leadsBack(routes));
  return {
    ...(consecutiveFailures === undefined ? {} : { failedRounds: consecutiveFailures }),
    ...(canRepeat ? { stagnation: { ...STAGNATION_DEFAULTS, ...stagnation } } : {}),
  };
}

/** The children of every run stage that is part of the plan, or undefined when one of them has problems. */
function compileChildren(
  kept: readonly Routed[],
  below: Omit<Place, "given">,
  taint: Taint,
  session: Session,
): ReadonlyMap<RunSpec, Child> | undefined {
  const found = new Map<RunSpec, Child>();
  let complete = true;
  for (const spec of kept.flatMap((row) => runsIn(row.spec))) {
    const child = compileChild(spec, { ...below, given: taint.child(spec) }, session);
    if (child === undefined) complete = false;
    else found.set(spec, child);
  }
  return complete ? found : undefined;
}

function runsIn(spec: StageSpec): readonly RunSpec[] {
  if (spec.kind === "group") return spec.members.flatMap(runsIn);
  return spec.kind === "run" ? [spec] : [];
}

function compileChild(spec: RunSpec, place: Place, session: Session): Child | undefined {
  const { input, plans, problems } = session;
  const { ancestors: lineage, given, depth } = place;
  const parent = lineage.at(-1) as Blueprint;
  const blueprint = input.child(spec.blueprint, parent.file);
  if (blueprint === undefined) return undefined;
  const loop = lineage.findIndex((ancestor) => ancestor.file === blueprint.file);
  if (loop >= 0) {
    const chain = [...lineage.slice(loop), blueprint].map(({ name }) => name).join(" -> ");
    problems.push(diagnose(PLAN_ERRORS, "PLAN_CHILD_RECURSIVE", { stage: spec.id, chain }, spec.where));
    return undefined;
  }
  if (lineage.length > DEEPEST) {
    problems.push(diagnose(PLAN_ERRORS, "PLAN_CHILD_TOO_DEEP", { stage: spec.id, most: DEEPEST }, spec.where));
    return undefined;
  }
  const key = canonical([blueprint.file, inheritedRules(lineage) as unknown as JsonValue, given, depth]);
  if (!plans.has(key)) plans.set(key, compileOne(blueprint, defaultParams(blueprint, problems), place, session));
  const plan = plans.get(key);
  return plan === undefined ? undefined : { blueprint, plan };
}

/** Whether a child of this blueprint leaves third-party text in the tree. One that runs itself, or lies too deep, is refused elsewhere. */
function bringing({ file }: Blueprint, session: Session, depth = 0): (spec: RunSpec) => boolean {
  const { input, actions, brings } = session;
  return (spec) => {
    const blueprint = input.child(spec.blueprint, file);
    if (blueprint === undefined || depth > DEEPEST) return false;
    if (!brings.has(blueprint.file)) {
      brings.set(blueprint.file, undefined);
      const rows = routeStages(blueprint, input.level, []);
      const child = bringing(blueprint, session, depth + 1);
      brings.set(blueprint.file, bringsTree(rows, { blueprint, actions, child }));
    }
    return brings.get(blueprint.file) ?? false;
  };
}

function distinct(plans: readonly Plan[]): readonly Plan[] {
  return [...new Map(plans.map((plan) => [plan.fingerprint, plan])).values()];
}

function unboundedCycles(blueprint: Blueprint, kept: readonly Routed[], limits: PlanLimits): readonly Diagnostic[] {
  if (limits.stages !== null) return [];
  const nodes = kept.map(({ spec, routes }) => ({
    id: spec.id,
    maxVisits: settle(spec, blueprint.defaults).maxVisits,
    routes,
  }));
  const specs = new Map(kept.map(({ spec }) => [spec.id, spec]));
  return worstVisits(nodes, limits).uncapped.map((cycle) => {
    const [first, last] = [cycle[0], cycle.at(-1)] as [string, string];
    const closing = (specs.get(last) as StageSpec).on.find(({ target }) => target === first || target === "paused");
    return diagnose(PLAN_ERRORS, "PLAN_CYCLE_UNBOUNDED", { cycle: [...cycle, first].join(" -> ") }, closing?.where);
  });
}

/** Child plans are nested, so one that several others share is stored several times. */
function sizeProblems(blueprint: Blueprint, plans: readonly Plan[]): readonly Diagnostic[] {
  if (countPlans(plans) <= MOST_CHILDREN) return [];
  const data = { blueprint: blueprint.name, most: MOST_CHILDREN };
  return [diagnose(PLAN_ERRORS, "PLAN_CHILDREN_TOO_MANY", data, blueprint.stages[0]?.where)];
}

function countPlans(plans: readonly Plan[]): number {
  return plans.reduce((count, plan) => count + 1 + countPlans(plan.children), 0);
}

function inexact(blueprint: Blueprint, bound: Plan["bound"]): readonly Diagnostic[] {
  return MEASURES.filter((measure) => !Number.isSafeInteger(bound[measure])).map((measure) => {
    const data = { blueprint: blueprint.name, measure: MEASURE_NAMES[measure] };
    return diagnose(PLAN_ERRORS, "PLAN_BOUND_TOO_LARGE", data, blueprint.stages[0]?.where);
  });
}
