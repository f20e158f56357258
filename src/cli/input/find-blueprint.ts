/** Finds and compiles the blueprint a person named: a path, or the name of one of the project's blueprints. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pawlError } from "../../base/errors.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import type { Compiled, Runtime } from "../../runtime/runtime.ts";
import { CLI_ERRORS } from "../errors.ts";
import type { Context, OptionSpec } from "../spec.ts";
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
    summary: "the ceiling of what the run may do",
    choices: ["L0", "L1", "L2", "L3"],
    default: "L1",
  },
  PARAM_OPTION,
];

/** Reads and compiles the argument `blueprint` with the options above; writes nothing. */
export function compileGiven(context: Context, runtime: Runtime): Promise<Compiled> {
  return compileAt(context, runtime, context.given.text("level") as Level);
}

/** The same at a level that the user does not choose. */
export async function compileAt(context: Context, runtime: Runtime, level: Level): Promise<Compiled> {
  const params = parseParams(context.given.list("param"));
  const path = await findBlueprint(context, runtime, context.given.text("blueprint") ?? "");
  return runtime.compile(path, { level, params });
}

/** Whether a file of the user, or a blueprint of the project, has this name. */
export async function hasBlueprint(context: Context, runtime: Runtime, name: string): Promise<boolean> {
  return (
    (await fileGiven(context, name)) !== undefined || (await runtime.blueprints()).some((file) => file.name === name)
  );
}

/** As typed in a shell first; then as the project names it. */
async function fileGiven(context: Context, name: string): Promise<string | undefined> {
  for (const path of [resolve(context.cwd, name), resolve(context.root, name)]) if (await isFile(path)) return path;
  return undefined;
}

async function findBlueprint(context: Context, runtime: Runtime, name: string): Promise<string> {
  const file = await fileGiven(context, name);
  if (file !== undefined) return file;
  const known = await runtime.blueprints();
  const found = known.filter((file) => file.name === name);
  if (found.length > 1)
    throw pawlError(CLI_ERRORS, "CLI_BLUEPRINT_AMBIGUOUS", { name, paths: found.map((file) => file.path) });
  const only = found[0];
  if (only !== undefined) return resolve(context.root, only.path);
  const near = suggest(name, [...known.map((file) => file.name), ...known.map((file) => file.path)]);
  throw pawlError(CLI_ERRORS, "CLI_BLUEPRINT_UNKNOWN", { name, near });
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
