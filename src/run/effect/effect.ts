/** Effect: exactly what a leaf stage is about to do, with every reference resolved. What is authorized is what is performed. */
import { type Expression, resolve } from "../../base/expression.ts";
import { canonical, type JsonObject, type JsonValue } from "../../base/json.ts";
import { matchesType } from "../../plan/params.ts";
import type {
  AgentStage,
  ApprovalStage,
  CommandStage,
  GateStage,
  InspectionStage,
  LeafStage,
  PlanProgram,
} from "../../plan/plan.ts";
import { requestJson } from "../../policy/describe.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { ArtifactRef } from "../events.ts";
import type { Progress, RunFacts } from "../state.ts";
import { type ItemScope, lookUp } from "./scope.ts";
import { foreignInputs, isForeign, stripValue } from "./taint.ts";

/** A leaf stage that does something; of one that a person judges there is nothing to do. */
export type ActingStage = Exclude<LeafStage, ApprovalStage>;

export type Effect =
  | {
      readonly kind: "process";
      readonly stage: CommandStage | GateStage;
      readonly request: PolicyRequest;
      readonly argv: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly inputs: Readonly<Record<string, ArtifactRef>>;
      /** Inputs that are third-party text: it gets them without hidden characters. */
      readonly strip: readonly string[];
    }
  | {
      readonly kind: "agent";
      readonly stage: AgentStage;
      /** Its program, where the author wrote one; else the backend by name. */
      readonly request: PolicyRequest;
      readonly goal: string;
      /** What the author set of the backend itself. */
      readonly settings: JsonObject;
      readonly inputs: Readonly<Record<string, ArtifactRef>>;
      readonly strip: readonly string[];
    }
  | {
      readonly kind: "action";
      readonly stage: Extract<LeafStage, { kind: "action" }>;
      readonly request: PolicyRequest;
      readonly input: JsonObject;
      readonly inputs: Readonly<Record<string, ArtifactRef>>;
    }
  | { readonly kind: "inspection"; readonly stage: InspectionStage }
  | {
      readonly kind: "run";
      readonly stage: Extract<LeafStage, { kind: "run" }>;
      readonly params: Readonly<Record<string, JsonValue>>;
    };

/** `stripped`: hidden characters that were taken out of third-party text, by reference; null: there were none. */
export type Resolved =
  | { readonly ok: true; readonly effect: Effect; readonly stripped: Readonly<Record<string, number>> | null }
  | { readonly ok: false; readonly error: string };

/** Resolves the values of one stage and remembers the first reason why it cannot begin. */
interface Resolver {
  value(expression: Expression): JsonValue;
  text(value: JsonValue, what: string): string;
  refuse(error: string): void;
}

/** The effect of a lane's stage, or why it cannot begin. */
export function resolveEffect(facts: RunFacts, progress: Progress, leaf: ActingStage, position: number): Resolved {
  const items = progress.group?.items ?? null;
  const item: ItemScope | null = items === null ? null : { item: items[position] as JsonValue, index: position };
  const stripped = new Map<string, number>();
  let refusal: string | null = null;
  const refuse = (error: string): void => {
    refusal ??= error;
  };
  const effect = effectOf(facts, leaf, {
    value(expression) {
      const resolved = resolve(expression, (path) => {
        const value = lookUp(facts, item, path);
        if (value === undefined || !isForeign(facts, leaf, path)) return value;
        const { kept, count } = stripValue(value);
        if (count > 0) stripped.set(path.join("."), count);
        return kept;
      });
      if (resolved.ok) return resolved.value;
      refuse(`\${${resolved.ref}} has no value`);
      return "";
    },
    text(value, what) {
      if (value === null) refuse(`${what} is null`);
      return typeof value === "object" ? canonical(value) : String(value);
    },
    refuse,
  });
  if (refusal !== null) return { ok: false, error: refusal };
  return { ok: true, effect, stripped: stripped.size === 0 ? null : Object.fromEntries(stripped) };
}

function effectOf(facts: RunFacts, leaf: ActingStage, resolver: Resolver): Effect {
  switch (leaf.kind) {
    case "command":
    case "gate": {
      const { request, argv } = programOf(leaf.program, resolver);
      const env = Object.fromEntries(
        leaf.env.map(([name, value]) => [name, resolver.text(resolver.value(value), `env ${name}`)]),
      );
      const inputs = inputsOf(facts, leaf, resolver);
      return { kind: "process", stage: leaf, request, argv, env, inputs, strip: foreignInputs(facts, leaf) };
    }
    case "agent":
      return agentOf(facts, leaf, resolver);
    case "action": {
      const request: PolicyRequest = { kind: "action", action: leaf.action };
      // The author writes `with` as a map, so it resolves to one.
      const input = resolver.value(leaf.with) as JsonObject;
      return { kind: "action", stage: leaf, request, input, inputs: inputsOf(facts, leaf, resolver) };
    }
    case "inspection":
      return { kind: "inspection", stage: leaf };
    case "run":
      return { kind: "run", stage: leaf, params: paramsOf(leaf, resolver) };
  }
}

function agentOf(facts: RunFacts, leaf: AgentStage, resolver: Resolver): Extract<Effect, { kind: "agent" }> {
  const { use, goal, program, script, with: settings } = leaf.agent;
  const started = program === undefined ? null : programOf(program, resolver);
  return {
    kind: "agent",
    stage: leaf,
    request: started?.request ?? { kind: "action", action: `agent.${use}` },
    goal: resolver.text(resolver.value(goal), "the goal"),
    settings: {
      // The author writes `with` as a map, so it resolves to one.
      ...(resolver.value(settings) as JsonObject),
      ...(started === null ? {} : { run: started.argv }),
      ...(script === undefined ? {} : { script }),
    },
    inputs: inputsOf(facts, leaf, resolver),
    strip: foreignInputs(facts, leaf),
  };
}

function paramsOf(leaf: Extract<LeafStage, { kind: "run" }>, resolver: Resolver): Readonly<Record<string, JsonValue>> {
  const params = leaf.params.map(([name, expression]): [string, JsonValue] => [name, resolver.value(expression)]);
  for (const [name, value] of params) {
    const type = leaf.types?.[name];
    if (type !== undefined && !matchesType(value, type)) resolver.refuse(`parameter ${name} is not a ${type}`);
  }
  return Object.fromEntries(params);
}

function programOf(
  program: PlanProgram,
  resolver: Resolver,
): { readonly request: PolicyRequest; readonly argv: readonly string[] } {
  if ("shell" in program) {
    const script = resolver.text(resolver.value(program.shell), "the command");
    return { request: { kind: "shell", script }, argv: ["/bin/sh", "-c", script] };
  }
  const list = resolver.value(program.argv);
  const items: readonly JsonValue[] = Array.isArray(list) ? list : [];
  if (items.length === 0) resolver.refuse("the command is not a list of arguments");
  const argv = items.map((argument, index) => resolver.text(argument, `argument ${index}`));
  return { request: { kind: "run", argv }, argv };
}

/** The artifacts that a stage is given; `refuse` is told of each that does not exist. */
export function inputsOf(
  facts: RunFacts,
  leaf: Pick<LeafStage, "inputs">,
  { refuse }: Pick<Resolver, "refuse">,
): Readonly<Record<string, ArtifactRef>> {
  const inputs: Record<string, ArtifactRef> = {};
  for (const name of leaf.inputs) {
    const dot = name.indexOf(".");
    const result = facts.results.get(name.slice(0, dot));
    const wanted = name.slice(dot + 1);
    const ref = wanted === "log" ? result?.log : result?.artifacts?.[wanted];
    if (ref === undefined) refuse(`input ${name} does not exist: its stage has not produced it`);
    else inputs[name] = { sha256: ref.sha256, bytes: ref.bytes };
  }
  return inputs;
}

/** Everything that would happen, as a person is shown it before it is allowed. */
export function effectJson(effect: Exclude<Effect, { kind: "run" | "inspection" }>): JsonObject {
  const request = { ...requestJson(effect.request), inputs: effect.inputs as unknown as JsonObject };
  if (effect.kind === "action") return { ...request, with: effect.input };
  const { cwd, wall } = effect.stage;
  if (effect.kind === "agent") {
    const { goal, settings, stage } = effect;
    const { use, role, model, toolset } = stage.agent;
    const agent = { use, role, model, toolset: toolset?.name ?? null, goal, settings };
    return { ...request, agent, cwd, wall: wall as unknown as JsonObject };
  }
  return { ...request, env: effect.env, cwd, wall: wall as unknown as JsonObject };
}
