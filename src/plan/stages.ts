/** A stage as written and checked → a stage of the plan, with every default filled in. */
import type { Expression } from "../base/expression.ts";
import type { JsonObject } from "../base/json.ts";
import type {
  AgentDefaults,
  Blueprint,
  ChangeRules,
  Judge,
  LeafSpec,
  ParamType,
  Program,
  StageSettings,
  StageSpec,
  WorkspaceKind,
} from "../blueprint/blueprint.ts";
import { QUESTION_MS } from "../blueprint/gate/read-gate.ts";
import type { PlanAgent, Toolset } from "./agents/agent-signature.ts";
import { type AgentSpecOfStage, stageWall } from "./agents/agent-wall.ts";
import { toolsetOf } from "./agents/toolsets.ts";
import { type ChildBounds, ENDING_MS, visitBound } from "./bound.ts";
import type { RunSpec } from "./checks.ts";
import { actionEffect, closeWall, processEffect, settle } from "./defaults.ts";
import type { ActionSignature, CommandStage, GroupStage, LeafStage, Plan, PlanStage } from "./plan.ts";
import type { Routes } from "./routes.ts";
import type { LeafTaint } from "./taint/taint.ts";

type Pairs = readonly (readonly [name: string, value: Expression])[];

/** A child as a run stage needs it: what it declares, and its plan. */
export interface Child {
  readonly blueprint: Blueprint;
  readonly plan: Plan;
}

/** What stages are built from. Every action and child they name is there: a stage that names another was refused. */
export interface Materials {
  readonly defaults: StageSettings;
  readonly workspace: WorkspaceKind;
  /** What agents get that say nothing else. */
  readonly agent: AgentDefaults;
  /** What the file says that the agent names; undefined: it names none. */
  readonly script: (spec: AgentSpecOfStage) => JsonObject | undefined;
  readonly context: (spec: AgentSpecOfStage) => PlanAgent["context"];
  readonly actions: ReadonlyMap<string, ActionSignature>;
  readonly child: (spec: RunSpec) => Child;
  /** What the gate itself says, together with the file it names. */
  readonly changeRules: (spec: Extract<LeafSpec, { kind: "inspection" }>) => ChangeRules;
  /** Worst cases of the children, by fingerprint. */
  readonly bounds: ChildBounds;
  readonly taint: (spec: LeafSpec) => LeafTaint;
}

export function buildStage(spec: StageSpec, routes: Routes, materials: Materials): PlanStage {
  return spec.kind === "group" ? buildGroup(spec, routes, materials) : buildLeaf(spec, routes, materials);
}

function buildLeaf(spec: LeafSpec, routes: Routes, materials: Materials): LeafStage {
  const { defaults } = materials;
  const settings = settle(spec, defaults);
  const common = {
    ...commonOf(spec, routes, materials),
    ...taintOf(spec, materials),
    maxAttempts: settings.maxAttempts,
    timeoutMs: settings.timeoutMs,
  };
  switch (spec.kind) {
    case "action": {
      const signature = materials.actions.get(spec.action) as ActionSignature;
      const effect = actionEffect(spec.effect, defaults, signature.effect);
      const { tokens, microUsd } = signature.cost;
      return {
        ...common,
        kind: "action",
        effect,
        action: spec.action,
        with: orderKeys(spec.with),
        cost: { tokens, microUsd },
      };
    }
    case "run":
      return buildRun(spec, common, materials.child(spec));
    case "gate":
      return { ...common, ...processOf(spec, materials), kind: "gate", judge: orderJudge(spec.judge) };
    case "inspection":
      return { ...common, kind: "inspection", effect: "idempotent", by: spec.by, rules: materials.changeRules(spec) };
    case "command":
      return { ...common, ...processOf(spec, materials), kind: "command", ...quotaOf(spec), ...modelsOf(spec) };
    case "agent":
      return buildAgent(spec, common, materials);
    case "approval":
      return buildApproval(spec, commonOf(spec, routes, materials));
  }
}

/** What its own keys do not say, the defaults of the blueprint do. A toolset that is not known was refused. */
function buildAgent(
  spec: AgentSpecOfStage,
  common: Omit<LeafStage & { kind: "agent" }, "kind" | "effect" | "agent" | keyof ReturnType<typeof walledOf>>,
  materials: Materials,
): LeafStage {
  const { role, goal, outcomes, schema = null, program, with: settings } = spec.agent;
  const { use = "", model = null, toolset, maxTurns = null } = { ...materials.agent, ...spec.agent };
  const [script, context] = [materials.script(spec), materials.context(spec)];
  const agent = {
    use,
    role,
    goal: orderKeys(goal),
    model,
    toolset: toolset === undefined ? null : (toolsetOf(toolset) as Toolset),
    outcomes,
    schema,
    maxTurns,
    ...(program === undefined ? {} : { program: orderProgram(program) }),
    ...(script === undefined ? {} : { script }),
    ...(context === undefined ? {} : { context }),
    with: orderKeys(settings),
  };
  return { ...common, ...walledOf(spec, materials), kind: "agent", agent, ...modelsOf(spec) };
}

/** Nothing runs and a question is asked once: the time people take is not the run's, and there is nothing to repeat. */
function buildApproval(spec: Extract<LeafSpec, { kind: "approval" }>, common: ReturnType<typeof commonOf>): LeafStage {
  const { question = null, expiresMs = QUESTION_MS, remindMs = null } = spec;
  const fixed = { effect: "idempotent", maxAttempts: 1, timeoutMs: 0 } as const;
  return { ...common, ...fixed, kind: "approval", question, expiresMs, remindMs };
}

/** Without a timeout of its own a child run may take its worst case: the default for one process would cut it short. */
function buildRun(
  spec: RunSpec,
  common: Omit<LeafStage & { kind: "run" }, "kind" | "effect" | "plan" | "params">,
  child: Child,
): LeafStage {
  const given = new Set(spec.params.map(([name]) => name));
  const typed = child.blueprint.params.filter(([name, { type }]) => given.has(name) && type !== undefined);
  return {
    ...common,
    kind: "run",
    effect: "keyed",
    // A child that cannot begin anything must have time to say so.
    timeoutMs: spec.timeoutMs ?? Math.max(ENDING_MS, child.plan.bound.wallMs),
    plan: child.plan.fingerprint,
    params: orderPairs(spec.params),
    ...(typed.length === 0
      ? {}
      : { types: Object.fromEntries(typed.map(([name, { type }]) => [name, type as ParamType])) }),
  };
}

/** A group has one attempt, whatever the defaults say: its members have their own. It may take its worst case. */
function buildGroup(spec: Extract<StageSpec, { kind: "group" }>, routes: Routes, materials: Materials): GroupStage {
  const { maxItems, maxParallel, failFast } = spec;
  const members = spec.members.map((member) => ({ ...buildLeaf(member, {}, materials), maxVisits: null }));
  const forEach = spec.forEach === undefined ? null : orderKeys(spec.forEach);
  const fixed = { kind: "group", effect: "idempotent", maxAttempts: 1 } as const;
  const group: GroupStage = {
    ...commonOf(spec, routes, materials),
    ...fixed,
    ...{ members, forEach, maxItems, maxParallel, failFast, timeoutMs: 0 },
  };
  return { ...group, timeoutMs: Math.min(visitBound(group, materials.bounds).wallMs, Number.MAX_SAFE_INTEGER) };
}

function commonOf(spec: StageSpec, routes: Routes, materials: Materials) {
  const { backoff, maxVisits } = settle(spec, materials.defaults);
  return {
    id: spec.id,
    ...(spec.title === undefined ? {} : { title: spec.title }),
    backoff,
    maxVisits,
    inputs: spec.inputs.map(({ name }) => name),
    routes,
  };
}

function taintOf(spec: LeafSpec, { taint }: Materials): Pick<LeafStage, "taint" | "untrusted"> {
  const { reads, leaves } = taint(spec);
  return { ...(reads.length === 0 ? {} : { taint: reads }), ...(leaves ? { untrusted: true } : {}) };
}

function processOf(spec: Extract<LeafSpec, { kind: "command" | "gate" }>, materials: Materials) {
  return {
    ...walledOf(spec, materials),
    program: orderProgram(spec.program),
    env: orderPairs(spec.env),
    capture: spec.capture,
    ...(spec.keep === undefined ? {} : { keep: [...new Set(spec.keep)].sort() }),
  };
}

/** What every process has, an agent's too. */
function walledOf(spec: Extract<LeafSpec, { kind: "command" | "gate" | "agent" }>, materials: Materials) {
  const { defaults, workspace } = materials;
  const { cwd, stallMs } = settle(spec, defaults);
  const open = stageWall(spec, { defaults, workspace, agent: materials.agent });
  const wall = materials.taint(spec).reads.length === 0 ? open : closeWall(open);
  return {
    effect: processEffect(spec, defaults, wall),
    wall,
    cwd,
    stallMs,
    outputs: spec.outputs.map(({ name, path }) => ({ name, path })).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function modelsOf({ models }: Extract<LeafSpec, { kind: "command" | "agent" }>): Pick<CommandStage, "models"> {
  return models === undefined ? {} : { models };
}

function quotaOf({ quota }: Extract<LeafSpec, { kind: "command" }>): Pick<CommandStage, "quota"> {
  return quota === undefined ? {} : { quota };
}

function orderJudge(judge: Judge): Judge {
  if (judge.by !== "exit") return judge;
  return { by: "exit", escalateExits: [...new Set(judge.escalateExits)].sort((a, b) => a - b) };
}

/** The same expression with the keys of every map sorted: the order of keys has no meaning and must not change a plan. */
function orderKeys(expression: Expression): Expression {
  if ("list" in expression) return { list: expression.list.map(orderKeys) };
  if ("map" in expression) return { map: orderPairs(expression.map) };
  return expression;
}

function orderPairs(pairs: Pairs): Pairs {
  return pairs.map(([name, value]) => [name, orderKeys(value)] as const).sort(([a], [b]) => (a < b ? -1 : 1));
}

function orderProgram(program: Program): Program {
  return "argv" in program ? { argv: orderKeys(program.argv) } : { shell: orderKeys(program.shell) };
}
