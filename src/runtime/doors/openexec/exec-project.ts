/** What a project of OpenExec says besides its blueprints: its gates, its policy, its commands. Read from the root, by the host. */
import { lstat, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "../../../base/diagnostic.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { failed, ok, type Result } from "../../../base/result.ts";
import type { ExecProject } from "../../../blueprint/dialects/openexec/as-blueprint.ts";
import {
  type ExecGate,
  type KnownCommands,
  parseExecProject,
} from "../../../blueprint/dialects/openexec/parse-project.ts";
import { parseExecPolicy } from "../../../blueprint/dialects/openexec/policy-of.ts";
import { readBlueprint } from "../../blueprints/read-blueprint.ts";

export const EXEC_FOLDER = ".openexec";
const PROJECT_FILE = "openexec.yaml";
const POLICY_FILE = join(EXEC_FOLDER, "policy.json");
/** Folders of dependencies: git keeps none of them as a rule, and programs of the project need them. */
const DEPENDENCIES = ["node_modules", ".venv", "vendor"];

export interface Loaded {
  readonly project: Result<ExecProject>;
  readonly sources: Readonly<Record<string, string>>;
}

export async function loadExecProject(root: string): Promise<Loaded> {
  const sources: Record<string, string> = {};
  const problems: Diagnostic[] = [];
  const load = async <T>(path: string, none: T, parse: (text: string) => Result<T>): Promise<T> => {
    if (await isAbsent(join(root, path))) return none;
    const text = await readBlueprint(join(root, path), path);
    if (text.ok) sources[path] = text.value;
    const parsed = text.ok ? parse(text.value) : text;
    if (parsed.ok) return parsed.value;
    problems.push(...parsed.problems);
    return none;
  };
  const commands = await knownCommands(root);
  const gates = await load<readonly ExecGate[]>(PROJECT_FILE, [], (text) =>
    parseExecProject(text, PROJECT_FILE, commands),
  );
  const policy = await load<JsonObject | null>(POLICY_FILE, null, (text) => parseExecPolicy(text, POLICY_FILE));
  if (problems.length > 0) return { project: failed(problems), sources };
  // What only a shell can read is given to one: the command that the project names is never left for another.
  const own = Object.fromEntries(
    gates.map(({ name, program }) => [name, typeof program === "string" ? ["sh", "-c", program] : program] as const),
  );
  const share = await shared(root);
  return { project: ok({ gates, policy, commands: { ...commands, ...own }, share }), sources };
}

/** What is there and leads nowhere, or cannot be looked at, is not absent: without it a run might do more than it may. */
function isAbsent(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === "ENOENT" || code === "ENOTDIR",
  );
}

/** Scripts of the package that are named as gates are. */
async function knownCommands(root: string): Promise<KnownCommands> {
  const text = await readBlueprint(join(root, "package.json"), "package.json");
  const scripts = text.ok ? scriptsIn(text.value) : {};
  const names = ["lint", "test", "format", "security"].filter((name) => typeof scripts[name] === "string");
  return Object.fromEntries(names.map((name) => [name, name === "test" ? ["npm", "test"] : ["npm", "run", name]]));
}

function scriptsIn(text: string): JsonObject {
  try {
    const found: JsonValue = JSON.parse(text);
    const scripts = isJsonObject(found) ? found["scripts"] : undefined;
    return isJsonObject(scripts) ? scripts : {};
  } catch {
    return {};
  }
}

/** Those that are there and that git is told to leave out. */
async function shared(root: string): Promise<readonly string[]> {
  const ignored = await readBlueprint(join(root, ".gitignore"), ".gitignore");
  const lines = ignored.ok ? ignored.value.split(/\r?\n/).map((line) => line.replace(/^\/|\/$/g, "")) : [];
  const found = DEPENDENCIES.filter((name) => lines.includes(name));
  const there = await Promise.all(
    found.map(async (name) => (await stat(join(root, name)).catch(() => null))?.isDirectory()),
  );
  return found.filter((_, at) => there[at] === true);
}
