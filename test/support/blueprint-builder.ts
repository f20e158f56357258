/** Blueprint values for tests, without a parser: every field that a test does not care about has a plain value. */
import type { Span } from "../../src/base/diagnostic.ts";
import type { Expression } from "../../src/base/expression.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { Blueprint, GroupSpec, LeafSpec, ParamSpec, StageSpec } from "../../src/blueprint/blueprint.ts";
import { type CompileInput, compile } from "../../src/plan/compile.ts";
import type { ActionSignature, Plan } from "../../src/plan/plan.ts";

type Kind<K extends StageSpec["kind"]> = Extract<StageSpec, { kind: K }>;
type Fields<K extends StageSpec["kind"]> = Omit<Partial<Kind<K>>, "on" | "inputs" | "kind" | "id"> & {
  /** Outcome → target. */
  readonly on?: Readonly<Record<string, string>>;
  readonly inputs?: readonly string[];
};

/** Every span is a place of its own, so that a test can tell which one was reported. */
function at(line: number, column = 1): Span {
  return { file: "blueprint.yaml", line, column, length: 1 };
}

export function lit(value: JsonValue): Expression {
  return { lit: value };
}

export function ref(path: string): Expression {
  return { ref: path.split(".") };
}

export function argv(...words: readonly string[]): { readonly argv: Expression } {
  return { argv: { list: words.map(lit) } };
}

function commonOf(id: string, fields: Fields<StageSpec["kind"]>) {
  const { on = {}, inputs = [], ...rest } = fields;
  return {
    where: at(1),
    ...rest,
    id,
    inputs: inputs.map((name) => ({ name, where: at(3) })),
    on: Object.entries(on).map(([outcome, target]) => ({ outcome, target, where: at(2) })),
  };
}

const PROCESS = { program: argv("true"), env: [], capture: "none", outputs: [] } as const;

export function command(id: string, fields: Fields<"command"> = {}): Kind<"command"> {
  return { ...PROCESS, ...commonOf(id, fields), kind: "command" };
}

export function gate(id: string, fields: Fields<"gate"> = {}): Kind<"gate"> {
  return { ...PROCESS, judge: { by: "exit", escalateExits: [] }, ...commonOf(id, fields), kind: "gate" };
}

export function action(id: string, fields: Fields<"action"> = {}): Kind<"action"> {
  return { action: "note", with: { map: [] }, ...commonOf(id, fields), kind: "action" };
}

export function run(id: string, blueprint: string, fields: Fields<"run"> = {}): Kind<"run"> {
  return { params: [], ...commonOf(id, fields), blueprint, kind: "run" };
}

export function group(id: string, members: readonly LeafSpec[], fields: Fields<"group"> = {}): GroupSpec {
  return { maxItems: 1, maxParallel: 1, failFast: false, ...commonOf(id, fields), members, kind: "group" };
}

export function param(fields: Omit<ParamSpec, "where"> = {}): ParamSpec {
  return { ...fields, where: at(4) };
}

export function blueprint(stages: readonly StageSpec[], fields: Partial<Omit<Blueprint, "stages">> = {}): Blueprint {
  const name = fields.name ?? "demo";
  const workspace: Blueprint["workspace"] = { kind: "clone", from: "head", share: [] };
  const common = {
    version: 1,
    params: [],
    defaults: {},
    workspace,
    limits: {},
    use: [],
    rules: [],
    protect: [],
    unprotect: [],
  } as const;
  return { ...common, file: `${name}.yaml`, ...fields, name, stages };
}

export function signature(fields: Partial<ActionSignature> = {}): ActionSignature {
  return {
    name: "note",
    summary: "Notes it.",
    effect: "idempotent",
    cost: { tokens: 0, microUsd: 0 },
    input: {},
    ...fields,
  };
}

/** What `compile` is given; children are found by the name of their blueprint. */
export function compileInput(fields: Partial<CompileInput> = {}, children: readonly Blueprint[] = []): CompileInput {
  const byName = new Map(children.map((child) => [child.name, child]));
  return { level: "L3", params: {}, actions: [signature()], rules: [], child: (name) => byName.get(name), ...fields };
}

/** The plan, or a failed test that names the problems. */
export function planOf(
  source: Blueprint,
  fields: Partial<CompileInput> = {},
  children: readonly Blueprint[] = [],
): Plan {
  const result = compile(source, compileInput(fields, children));
  if (!result.ok) throw new Error(result.problems.map((problem) => `${problem.code}: ${problem.what}`).join("\n"));
  return result.value;
}

/** The problems, or a failed test when there are none. */
export function problemsOf(source: Blueprint, fields: Partial<CompileInput> = {}, children: readonly Blueprint[] = []) {
  const result = compile(source, compileInput(fields, children));
  if (result.ok) throw new Error(`compiles: ${result.value.fingerprint}`);
  return result.problems;
}

export function codesOf(...given: Parameters<typeof problemsOf>): readonly string[] {
  return problemsOf(...given).map((problem) => problem.code);
}
