/** Finds and compiles the blueprint a person named: a path, or the name of one of the project's blueprints. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { failed } from "../../base/result.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import type { DoorName } from "../../plan/plan.ts";
import { loopOptions } from "../../runtime/loops/loop-options.ts";
import type { BlueprintFile, Compiled, CompileOptions, Runtime } from "../../runtime/runtime.ts";
import { CLI_ERRORS } from "../errors.ts";
import type { Context, OptionSpec } from "../spec.ts";
import { findLoop, loopNames } from "./find-loop.ts";
import { parseParams } from "./params.ts";
import { suggest } from "./suggest.ts";

export const PARAM_OPTION: OptionSpec = {
  kind: "list",
  flags: "--param <name=value>",
  summary: "a parameter; a value that is JSON keeps its type",
};

/** The options that decide what a blueprint compiles to. */
export const COMPILE_OPTIONS: readonly OptionSpec[] = [
  {
    kind: "text",
    flags: "--level <level>",
    summary:
      "the ceiling of what the run may do (that of the loop, else L1; of an openloop workspace L2, of a pattern that of its first week)",
    choices: ["L0", "L1", "L2", "L3"],
  },
  PARAM_OPTION,
  {
    kind: "text",
    flags: "--agent <name>",
    summary: "the agent of stages that name none, such as claude; scripted:PATH with a script",
  },
];

/** Reads and compiles the argument `blueprint` with the options above; writes nothing. */
export async function compileGiven(
  context: Context,
  runtime: Runtime,
  options: Pick<CompileOptions, "maxRounds" | "door"> = {},
): Promise<Compiled> {
  // A path is named as in a shell.
  const agent = context.given
    .text("agent")
    ?.replace(/^scripted:(.+)$/, (_, path: string) => `scripted:${resolve(context.cwd, path)}`);
  const level = context.given.text("level") as Level | undefined;
  return compileTarget(
    context,
    runtime,
    { ...options, ...(agent === undefined ? {} : { agent }) },
    level ?? "of the loop",
  );
}

/** The same at a level that the user does not choose, or at that of the loop. */
export function compileAt(context: Context, runtime: Runtime, level: Level | "of the loop"): Promise<Compiled> {
  return compileTarget(context, runtime, {}, level, true);
}

async function compileTarget(
  context: Context,
  runtime: Runtime,
  options: Pick<CompileOptions, "agent" | "maxRounds" | "door">,
  asked: Level | "of the loop",
  mayRise = false,
): Promise<Compiled> {
  const name = context.given.text("blueprint") ?? "";
  const given = parseParams(context.given.list("param"));
  const file = await fileGiven(context, name);
  const found = file === undefined ? await findLoop(runtime, name) : undefined;
  if (found?.ok === false) return { sources: found.sources, plan: failed(found.problems), cut: [], rules: [] };
  const loop = found?.loop;
  if (loop === undefined) {
    const path = file ?? (await findBlueprint(context, runtime, name));
    return runtime.compile(path, { ...options, ...(asked === "of the loop" ? {} : { level: asked }), params: given });
  }
  const level = asked === "of the loop" ? loop.level : asked;
  if (!mayRise && level > loop.level)
    throw pawlError(CLI_ERRORS, "CLI_LEVEL_ABOVE_LOOP", { loop: loop.name, level, most: loop.level });
  const written = loopOptions(loop);
  return runtime.compile(loop.source, { ...written, ...options, level, params: { ...written.params, ...given } });
}

/** The loop that the argument `blueprint` names; undefined: it names something else. */
export async function loopGiven(context: Context, runtime: Runtime): Promise<Loop | undefined> {
  const name = context.given.text("blueprint") ?? "";
  const found = (await fileGiven(context, name)) === undefined ? await findLoop(runtime, name) : undefined;
  return found?.ok === true ? found.loop : undefined;
}

/** Whether the argument `blueprint` names a pattern, and no file, loop or blueprint of the project. */
export async function isPattern(context: Context, runtime: Runtime): Promise<boolean> {
  const name = context.given.text("blueprint") ?? "";
  if ((await fileGiven(context, name)) !== undefined || (await findLoop(runtime, name)) !== undefined) return false;
  if ((await runtime.blueprints()).some((file) => file.name === name)) return false;
  return (await behindDoors(context, runtime, name)).door === "pattern";
}

/** Whether a file of the user, or a blueprint of the project, has this name; patterns are another thing. */
export async function hasBlueprint(context: Context, runtime: Runtime, name: string): Promise<boolean> {
  if ((await fileGiven(context, name)) !== undefined) return true;
  if ((await findLoop(runtime, name)) !== undefined) return true;
  if ((await runtime.blueprints()).some((file) => file.name === name)) return true;
  const { door } = await behindDoors(context, runtime, name);
  return door !== null && door !== "pattern";
}

/** As typed in a shell first; then as the project names it. */
async function fileGiven(context: Context, name: string): Promise<string | undefined> {
  for (const path of [resolve(context.cwd, name), resolve(context.root, name)]) if (await isFile(path)) return path;
  return undefined;
}

async function findBlueprint(context: Context, runtime: Runtime, name: string): Promise<string> {
  if (name.startsWith("builtin:")) return name;
  const known = await runtime.blueprints();
  const only = theOnly(name, known);
  if (only !== undefined) return resolve(context.root, only.path);
  const { door, path, foreign } = await behindDoors(context, runtime, name);
  if (door !== null) return path;
  const all = [...known, ...foreign];
  const loops = await loopNames(runtime);
  const near = suggest(name, [...loops, ...all.map((file) => file.name), ...all.map((file) => file.path)]);
  throw pawlError(CLI_ERRORS, "CLI_BLUEPRINT_UNKNOWN", { name, near });
}

interface Behind {
  /** null: no door opens. */
  readonly door: DoorName | null;
  /** What `compile` takes. */
  readonly path: string;
  readonly foreign: readonly BlueprintFile[];
}

/** By the name that a file of another system has in this project; then a folder, or a name that a door knows. */
async function behindDoors(context: Context, runtime: Runtime, name: string): Promise<Behind> {
  const foreign = await runtime.foreign();
  const only = theOnly(name, foreign);
  if (only?.door !== undefined) return { door: only.door, path: only.path, foreign };
  for (const path of [resolve(context.cwd, name), name]) {
    const door = await runtime.doorOf(path);
    if (door !== null) return { door, path, foreign };
  }
  return { door: null, path: name, foreign };
}

function theOnly(name: string, files: readonly BlueprintFile[]): BlueprintFile | undefined {
  const found = files.filter((file) => file.name === name);
  if (found.length > 1)
    throw pawlError(CLI_ERRORS, "CLI_BLUEPRINT_AMBIGUOUS", { name, paths: found.map((file) => file.path) });
  return found[0];
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
