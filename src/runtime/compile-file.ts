/** From a path to a plan: reads the blueprint and every blueprint it names, then compiles. Writes nothing. */
import { dirname, join, relative, resolve } from "node:path";
import type { Diagnostic } from "../base/diagnostic.ts";
import { failed } from "../base/result.ts";
import type { Blueprint, LeafSpec, StageSpec } from "../blueprint/blueprint.ts";
import { parseBlueprint } from "../blueprint/validate.ts";
import { compile } from "../plan/compile.ts";
import type { ActionSignature } from "../plan/plan.ts";
import { cutStages } from "../plan/routes.ts";
import { loadPolicyLayers, type PolicyFiles } from "./policy/policy-layers.ts";
import { readBlueprint, sizeOfFile } from "./read-blueprint.ts";
import type { Compiled, CompileOptions } from "./runtime.ts";

interface Loading {
  readonly root: string;
  readonly sources: Record<string, string>;
  readonly blueprints: Map<string, Blueprint>;
  readonly problems: Diagnostic[];
  readonly seen: Set<string>;
}

export async function compileFile(
  root: string,
  path: string,
  options: CompileOptions,
  host: { readonly actions: readonly ActionSignature[]; readonly policyFiles: PolicyFiles },
): Promise<Compiled> {
  const layers = await loadPolicyLayers(root, host.policyFiles);
  const loading: Loading = {
    root,
    sources: { ...layers.sources },
    blueprints: new Map(),
    problems: [],
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
    rules: layers.rules.value,
    child,
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
  for (const name of childNames(parsed.value.stages)) {
    const path = join(dirname(file), name);
    // A child that cannot be read is reported by the compiler, at the stage that names it.
    if ((await sizeOfFile(path)) !== null) await load(loading, path);
  }
}

function childNames(stages: readonly StageSpec[]): readonly string[] {
  const leaves = stages.flatMap((stage): readonly LeafSpec[] => (stage.kind === "group" ? stage.members : [stage]));
  return leaves.flatMap((leaf) => (leaf.kind === "run" ? [leaf.blueprint] : []));
}
