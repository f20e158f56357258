/** Blueprints of OpenExec: those in `.openexec/blueprints/`, those anywhere that have a clear sign of it, and those it brings along. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { failed, ok, type Result } from "../../../base/result.ts";
import { asBlueprint } from "../../../blueprint/dialects/openexec/as-blueprint.ts";
import { builtIn } from "../../../blueprint/dialects/openexec/built-in.ts";
import {
  type ExecBlueprint,
  execNameIn,
  isExecBlueprint,
  parseExecBlueprint,
} from "../../../blueprint/dialects/openexec/parse-blueprint.ts";
import { readBlueprint } from "../../blueprints/read-blueprint.ts";
import type { BlueprintFile } from "../../runtime.ts";
import { type Door, type DoorText, isOfKind } from "../door.ts";
import { EXEC_FOLDER, loadExecProject } from "./exec-project.ts";

const FOLDER = `${EXEC_FOLDER}/blueprints`;

export const openexecDoor: Door = {
  name: "openexec",
  claims({ shown, text, isFolder }) {
    if (isFolder) return false;
    if (text === null) return builtIn(shown) !== undefined;
    if (shown.startsWith(`${FOLDER}/`)) return true;
    return isOfKind(text, shown, isExecBlueprint);
  },
  async read(at) {
    const { sources, blueprint, text } = await translate(at.root, at.shown, at.text ?? builtIn(at.shown) ?? "");
    return { text: blueprint.ok ? text : blueprint, origin: { door: "openexec", path: at.shown }, sources };
  },
  async list(root) {
    const names = await readdir(join(root, FOLDER)).catch(() => []);
    const found: BlueprintFile[] = [];
    for (const file of names.filter((name) => /\.ya?ml$/.test(name)).sort())
      found.push(await listed(root, `${FOLDER}/${file}`));
    return found;
  },
};

interface Translated {
  readonly blueprint: Result<ExecBlueprint>;
  readonly text: Result<string>;
  readonly sources: DoorText["sources"];
}

/** Every problem of the blueprint and of what its project says, at once. */
async function translate(root: string, shown: string, source: string): Promise<Translated> {
  const { project, sources } = await loadExecProject(root);
  const hasGates = project.ok ? project.value.gates.length > 0 : true;
  const blueprint = parseExecBlueprint(source, shown, { hasGates });
  const all = { ...sources, [shown]: source };
  if (!blueprint.ok) {
    const whole = failed([...blueprint.problems, ...(project.ok ? [] : project.problems)]);
    return { blueprint: whole, text: whole, sources: all };
  }
  return { blueprint, text: project.ok ? ok(asBlueprint(blueprint.value, project.value)) : project, sources: all };
}

async function listed(root: string, path: string): Promise<BlueprintFile> {
  const file = path.slice(FOLDER.length + 1).replace(/\.ya?ml$/, "");
  const text = await readBlueprint(join(root, path), path);
  const { blueprint, text: made } = text.ok ? await translate(root, path, text.value) : { blueprint: text, text };
  const problems = [...(blueprint.ok ? [] : blueprint.problems), ...(blueprint.ok && !made.ok ? made.problems : [])];
  return blueprint.ok
    ? { path, name: blueprint.value.name, description: blueprint.value.description, problems, door: "openexec" }
    : { path, name: (text.ok && nameIn(text.value, path)) || file, description: null, problems, door: "openexec" };
}

/** What a blueprint that is broken elsewhere calls itself, so that who asks for it is told what is wrong with it. */
function nameIn(text: string, path: string): string | null {
  let name: string | null = null;
  isOfKind(text, path, (tree) => {
    name = execNameIn(tree);
    return name !== null;
  });
  return name;
}
