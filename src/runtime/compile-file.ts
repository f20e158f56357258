/** From a path to a plan: reads the blueprint and every blueprint it names, then compiles. Writes nothing. */
import { dirname, join, relative, resolve } from "node:path";
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { isPawlError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { failed } from "../base/result.ts";
import type { AgentContext, Blueprint, GateFileName, LeafSpec, StageSpec } from "../blueprint/blueprint.ts";
import { addGateFile, type GateFile, parseGateFile } from "../blueprint/gate/parse-gate-file.ts";
import { parseBlueprint } from "../blueprint/validate.ts";
import type { AgentSignature } from "../plan/agents/agent-signature.ts";
import { compile } from "../plan/compile.ts";
import type { ActionSignature } from "../plan/plan.ts";
import { cutStages } from "../plan/routes.ts";
import type { ContextPack } from "../run/context/context-pack.ts";
import { RUNTIME_ERRORS } from "./errors.ts";
import { loadPolicyLayers, type PolicyFiles } from "./policy/policy-layers.ts";
import { readBlueprint, sizeOfFile } from "./read-blueprint.ts";
import type { Compiled, CompileOptions } from "./runtime.ts";
import type { ContextOptions } from "./skills/context.ts";

interface Loading {
  readonly root: string;
  readonly sources: Record<string, string>;
  readonly blueprints: Map<string, Blueprint>;
  readonly problems: Diagnostic[];
  readonly gateFiles: Map<string, GateFile>;
  readonly scripts: Map<string, JsonObject>;
  readonly contexts: Map<AgentContext, ContextPack>;
  readonly pack: CompileHost["contextPack"];
  readonly seen: Set<string>;
}

export interface CompileHost {
  readonly actions: readonly ActionSignature[];
  readonly agents?: readonly AgentSignature[];
  readonly policyFiles: PolicyFiles;
  /** Puts together what agents are told besides their task. */
  readonly contextPack: (options: ContextOptions) => Promise<ContextPack>;
}

export async function compileFile(
  root: string,
  path: string,
  options: CompileOptions,
  host: CompileHost,
): Promise<Compiled> {
  const layers = await loadPolicyLayers(root, host.policyFiles);
  const loading: Loading = {
    root,
    sources: { ...layers.sources },
    blueprints: new Map(),
    problems: [],
    gateFiles: new Map(),
    scripts: new Map(),
    contexts: new Map(),
    pack: host.contextPack,
    seen: new Set(),
  };
  const file = resolve(root, path);
  await load(loading, file);
  const { sources, blueprints, problems } = loading;
  if (!layers.rules.ok) return { sources, plan: failed([...layers.rules.problems, ...problems]), cut: [], rules: [] };
  const blueprint = blueprints.get(file);
  if (blueprint === undefined || problems.length > 0) return { sources, plan: failed(problems), cut: [], rules: [] };
  const child = (name: string, from: string): Blueprint | undefined =>
    blueprints.get(resolve(root, dirname(from), name));
  const plan = compile(blueprint, {
    level: options.level ?? "L1",
    params: options.params ?? {},
    actions: host.actions,
    ...(host.agents === undefined ? {} : { agents: host.agents }),
    rules: layers.rules.value,
    child,
    script({ agent }, blueprintFile) {
      return agent.script && loading.scripts.get(resolve(root, dirname(blueprintFile), agent.script.name));
    },
    context({ agent }) {
      const pack = agent.context && loading.contexts.get(agent.context);
      return pack && { text: pack.text, sha256: pack.sha256 };
    },
    gateRules({ rules, by, from }, blueprintFile) {
      const found = from && loading.gateFiles.get(resolve(root, dirname(blueprintFile), from.name));
      return found === undefined ? undefined : addGateFile(rules, by, found);
    },
  });
  return { sources, plan, cut: plan.ok ? cutStages(blueprint, plan.value) : [], rules: blueprint.rules };
}

async function load(loading: Loading, file: string): Promise<void> {
  if (loading.seen.has(file)) return;
  loading.seen.add(file);
  const shown = relative(loading.root, file) || file;
  const text = await readBlueprint(file, shown);
  if (text.ok) loading.sources[shown] = text.value;
  const parsed = text.ok ? parseBlueprint(text.value, shown) : text;
  if (!parsed.ok) {
    loading.problems.push(...parsed.problems);
    return;
  }
  loading.blueprints.set(file, parsed.value);
  for (const from of gateFileNames(parsed.value.stages))
    await loadGateFile(loading, join(dirname(file), from.name), from);
  for (const script of scriptNames(parsed.value.stages))
    await loadScript(loading, join(dirname(file), script.name), script);
  for (const context of contextsOf(parsed.value.stages)) await loadContext(loading, context);
  for (const name of childNames(parsed.value.stages)) {
    const path = join(dirname(file), name);
    // A child that cannot be read is reported by the compiler, at the stage that names it.
    if ((await sizeOfFile(path)) !== null) await load(loading, path);
  }
}

async function loadGateFile(loading: Loading, file: string, { name, where }: GateFileName): Promise<void> {
  const shown = relative(loading.root, file);
  if ((await sizeOfFile(file)) === null) {
    loading.problems.push(diagnose(RUNTIME_ERRORS, "GATE_FILE_MISSING", { file: name }, where));
    return;
  }
  const text = await readBlueprint(file, shown);
  if (text.ok) loading.sources[shown] = text.value;
  const parsed = text.ok ? parseGateFile(text.value, shown) : text;
  if (parsed.ok) loading.gateFiles.set(file, parsed.value);
  else loading.problems.push(...parsed.problems);
}

async function loadContext({ contexts, problems, pack }: Loading, context: AgentContext): Promise<void> {
  try {
    contexts.set(context, await pack({ skills: context.skills, files: context.files }));
  } catch (error) {
    if (!isPawlError(error)) throw error;
    problems.push(...error.problems.map((problem) => ({ ...problem, where: context.where })));
  }
}

async function loadScript(loading: Loading, file: string, { name, where }: GateFileName): Promise<void> {
  const shown = relative(loading.root, file);
  if ((await sizeOfFile(file)) === null) {
    loading.problems.push(diagnose(RUNTIME_ERRORS, "AGENT_SCRIPT_MISSING", { file: name }, where));
    return;
  }
  const text = await readBlueprint(file, shown);
  if (text.ok) loading.sources[shown] = text.value;
  const { parseScript } = await import("../blueprint/agent/parse-script.ts");
  const parsed = text.ok ? parseScript(text.value, shown) : text;
  if (parsed.ok) loading.scripts.set(file, parsed.value);
  else loading.problems.push(...parsed.problems);
}

function leavesOf(stages: readonly StageSpec[]): readonly LeafSpec[] {
  return stages.flatMap((stage) => (stage.kind === "group" ? stage.members : [stage]));
}

function gateFileNames(stages: readonly StageSpec[]): readonly GateFileName[] {
  return leavesOf(stages).flatMap((leaf) => (leaf.kind === "inspection" && leaf.from !== undefined ? [leaf.from] : []));
}

function contextsOf(stages: readonly StageSpec[]): readonly AgentContext[] {
  return leavesOf(stages).flatMap((leaf) => (leaf.kind === "agent" && leaf.agent.context) || []);
}

function scriptNames(stages: readonly StageSpec[]): readonly GateFileName[] {
  return leavesOf(stages).flatMap((leaf) => (leaf.kind === "agent" && leaf.agent.script) || []);
}

function childNames(stages: readonly StageSpec[]): readonly string[] {
  return leavesOf(stages).flatMap((leaf) => (leaf.kind === "run" ? [leaf.blueprint] : []));
}
