/** From a path to a plan: reads the blueprint and every blueprint it names, then compiles. Writes nothing. */
import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { failed } from "../base/result.ts";
import type { Blueprint, LeafSpec, StageSpec } from "../blueprint/blueprint.ts";
import { parseBlueprint } from "../blueprint/validate.ts";
import { compile } from "../plan/compile.ts";
import { cutStages } from "../plan/routes.ts";
import type { ActionSignature } from "../plan/plan.ts";
import { RUNTIME_ERRORS } from "./errors.ts";
import type { Compiled, CompileOptions } from "./runtime.ts";

/** The text is refused above this before it is read; the parser has the exact limit. */
const MOST_BYTES = 1 << 20;

interface Loading {
  readonly root: string;
  readonly sources: Record<string, string>;
  readonly blueprints: Map<string, Blueprint>;
  readonly problems: Diagnostic[];
}

export async function compileFile(
  root: string,
  path: string,
  options: CompileOptions,
  actions: readonly ActionSignature[],
): Promise<Compiled> {
  const loading: Loading = { root, sources: {}, blueprints: new Map(), problems: [] };
  const file = resolve(root, path);
  await load(loading, file);
  const { sources, blueprints, problems } = loading;
  const blueprint = blueprints.get(file);
  if (blueprint === undefined || problems.length > 0) return { sources, plan: failed(problems), cut: [] };
  const child = (name: string, from: string): Blueprint | undefined =>
    blueprints.get(resolve(root, dirname(from), name));
  const plan = compile(blueprint, {
    level: options.level ?? "L1",
    params: options.params ?? {},
    actions,
    rules: [],
    child,
  });
  return { sources, plan, cut: plan.ok ? cutStages(blueprint, plan.value) : [] };
}

async function load(loading: Loading, file: string): Promise<void> {
  if (loading.blueprints.has(file)) return;
  const shown = relative(loading.root, file) || file;
  const text = await readText(loading, file, shown);
  if (text === null) return;
  loading.sources[shown] = text;
  const parsed = parseBlueprint(text, shown);
  if (!parsed.ok) {
    loading.problems.push(...parsed.problems);
    return;
  }
  loading.blueprints.set(file, parsed.value);
  for (const name of childNames(parsed.value.stages)) {
    const path = join(dirname(file), name);
    // A child that cannot be read is reported by the compiler, at the stage that names it.
    if ((await sizeOf(path)) !== null) await load(loading, path);
  }
}

function childNames(stages: readonly StageSpec[]): readonly string[] {
  const leaves = stages.flatMap((stage): readonly LeafSpec[] => (stage.kind === "group" ? stage.members : [stage]));
  return leaves.flatMap((leaf) => (leaf.kind === "run" ? [leaf.blueprint] : []));
}

async function readText(loading: Loading, file: string, shown: string): Promise<string | null> {
  const size = await sizeOf(file);
  if (size === null) loading.problems.push(diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_UNREADABLE", { file: shown }));
  else if (size > MOST_BYTES)
    loading.problems.push(diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_HUGE", { file: shown, bytes: size }));
  else return decode(loading, await readFile(file), shown);
  return null;
}

/** Bytes that are not UTF-8 are refused: a replacement character would change what the author wrote. */
function decode(loading: Loading, bytes: Uint8Array, shown: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    loading.problems.push(diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_NOT_TEXT", { file: shown }));
    return null;
  }
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    const found = await stat(file);
    return found.isFile() ? found.size : null;
  } catch {
    return null;
  }
}
