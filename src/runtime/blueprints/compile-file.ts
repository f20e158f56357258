/** From a path to a plan: reads the blueprint and every blueprint it names, then compiles. Writes nothing. */
import { dirname, join, relative, resolve } from "node:path";
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { isPawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { failed, type Result } from "../../base/result.ts";
import type { AgentContext, Blueprint, GateFileName, LeafSpec, StageSpec } from "../../blueprint/blueprint.ts";
import { addGateFile, type GateFile, parseGateFile } from "../../blueprint/gate/parse-gate-file.ts";
import { parseBlueprint } from "../../blueprint/validate.ts";
import type { AgentSignature } from "../../plan/agents/agent-signature.ts";
import { compile } from "../../plan/compile.ts";
import type { ParamValues } from "../../plan/params.ts";
import type { ActionSignature } from "../../plan/plan.ts";
import { cutStages } from "../../plan/routes.ts";
import type { ContextPack } from "../../run/context/context-pack.ts";
import type { LoadDoor } from "../doors/door.ts";
import type { Opened } from "../doors/open-door.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { loadPolicyLayers, type PolicyFiles } from "../policy/policy-layers.ts";
import type { Compiled, CompileOptions } from "../runtime.ts";
import type { ContextOptions } from "../skills/context.ts";
import { readBlueprint, sizeOfFile } from "./read-blueprint.ts";

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
  /** What came through a door. */
  readonly opened: Map<string, Pick<Opened, "origin" | "level" | "roundsCounted">>;
  readonly maxRounds: number | undefined;
  readonly doors: CompileHost["doors"];
  readonly options: CompileOptions;
  /** What becomes of a blueprint that was read. */
  readonly settle: (blueprint: Blueprint) => Promise<Blueprint>;
}

export interface CompileHost {
  readonly actions: readonly ActionSignature[];
  readonly agents?: readonly AgentSignature[];
  readonly policyFiles: PolicyFiles;
  /** Puts together what agents are told besides their task. */
  readonly contextPack: (options: ContextOptions) => Promise<ContextPack>;
  /** Instead of all doors. */
  readonly doors?: readonly LoadDoor[];
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
    opened: new Map(),
    maxRounds: options.maxRounds,
    doors: host.doors,
    options,
    settle: chooser(root, options, host),
  };
  const file = resolve(root, path);
  await load(loading, file, path);
  const { sources, blueprints, problems } = loading;
  if (!layers.rules.ok) return { sources, plan: failed([...layers.rules.problems, ...problems]), cut: [], rules: [] };
  const blueprint = blueprints.get(file);
  if (blueprint === undefined || problems.length > 0) return { sources, plan: failed(problems), cut: [], rules: [] };
  const { origin, level, roundsCounted } = loading.opened.get(file) ?? {};
  const child = (name: string, from: string): Blueprint | undefined =>
    blueprints.get(resolve(root, dirname(from), name));
  const plan = compile(roundsCounted ? blueprint : withMaxRounds(blueprint, options.maxRounds), {
    level: options.level ?? level ?? "L1",
    params: path.startsWith("builtin:") ? {} : ((options.params ?? {}) as ParamValues),
    ...(origin === undefined ? {} : { origin }),
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

/** `name` is the file as it was written: a door may know what is no file. */
async function load(loading: Loading, file: string, name = file): Promise<void> {
  if (loading.seen.has(file)) return;
  loading.seen.add(file);
  const parsed = await parseFile(loading, file, name);
  if (!parsed.ok) {
    loading.problems.push(...parsed.problems);
    return;
  }
  const blueprint = await loading.settle(parsed.value);
  loading.blueprints.set(file, blueprint);
  const folder = resolve(loading.root, dirname(blueprint.file));
  for (const from of gateFileNames(blueprint.stages)) await loadGateFile(loading, join(folder, from.name), from);
  for (const script of scriptNames(blueprint.stages)) await loadScript(loading, join(folder, script.name), script);
  for (const context of contextsOf(blueprint.stages)) await loadContext(loading, context);
  for (const name of childNames(blueprint.stages)) {
    const path = join(folder, name);
    // A child that cannot be read is reported by the compiler, at the stage that names it.
    if ((await sizeOfFile(path)) !== null) await load(loading, path);
  }
}

function chooser(root: string, { agent }: CompileOptions, { agents = [] }: CompileHost): Loading["settle"] {
  if (agent === undefined) return (blueprint) => Promise.resolve(blueprint);
  return async (blueprint) => (await import("../agents/choose-agent.ts")).withAgent(blueprint, agent, root, agents);
}

async function parseFile(loading: Loading, file: string, name: string): Promise<Result<Blueprint>> {
  const shown = relative(loading.root, file) || file;
  const text = name.startsWith("builtin:") ? await shipped(name, loading.options) : await readBlueprint(file, shown);
  if (text.ok) loading.sources[shown] = text.value;
  const native = text.ok ? parseBlueprint(text.value, shown) : text;
  return native.ok ? native : ((await translated(loading, file, name, text)) ?? native);
}

/** The text of a blueprint that comes with Pawl, written for this loop. */
async function shipped(name: string, { params = {}, agent, loop }: CompileOptions): Promise<Result<string>> {
  const { shippedText } = await import("../shipped/shipped-blueprints.ts");
  return shippedText(name, {
    params: { ...params, ...(agent === undefined ? {} : { agent }) },
    ...(loop === undefined ? {} : { loop }),
  });
}

/** What is no native blueprint may be of another system; null: no door claims it. */
async function translated(
  loading: Loading,
  file: string,
  name: string,
  text: Result<string>,
): Promise<Result<Blueprint> | null> {
  const { openDoor } = await import("../doors/open-door.ts");
  const { agent, door, level } = loading.options;
  const opened = await openDoor(loading.root, text.ok ? file : name, text.ok ? text.value : null, {
    ...{ doors: loading.doors, maxRounds: loading.maxRounds },
    options: { ...door, ...(agent === undefined ? {} : { agent }), ...(level === undefined ? {} : { level }) },
  });
  if (opened === null) return null;
  Object.assign(loading.sources, opened.sources);
  if (!opened.text.ok) return opened.text;
  loading.sources[opened.file] = opened.text.value;
  loading.opened.set(file, opened);
  return parseBlueprint(opened.text.value, opened.file);
}

/** The user may ask for fewer rounds than the author allows, never for more. */
function withMaxRounds(blueprint: Blueprint, most: number | undefined): Blueprint {
  if (most === undefined) return blueprint;
  return { ...blueprint, limits: { ...blueprint.limits, rounds: Math.min(most, blueprint.limits.rounds ?? most) } };
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
  const { parseScript } = await import("../../blueprint/agent/parse-script.ts");
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
