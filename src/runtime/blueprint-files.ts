/** The blueprint files of a project: `blueprint.yaml` at the root, and `*.yaml` in `blueprints/` and `pawl/`. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseBlueprint } from "../blueprint/validate.ts";
import { readBlueprint, sizeOfFile } from "./read-blueprint.ts";
import type { BlueprintFile } from "./runtime.ts";

const FOLDERS = ["blueprints", "pawl"];

export async function blueprintFiles(root: string): Promise<readonly BlueprintFile[]> {
  const found: BlueprintFile[] = [];
  for (const path of await candidates(root)) {
    const file = join(root, path);
    if ((await sizeOfFile(file)) === null) continue;
    const text = await readBlueprint(file, path);
    const parsed = text.ok ? parseBlueprint(text.value, path) : text;
    const { name, description } = parsed.ok ? parsed.value : { name: nameOf(path), description: undefined };
    found.push({ path, name, description: description ?? null, problems: parsed.ok ? [] : parsed.problems });
  }
  return found;
}

async function candidates(root: string): Promise<readonly string[]> {
  const paths = ["blueprint.yaml"];
  for (const folder of FOLDERS) {
    const names = await readdir(join(root, folder)).catch(() => []);
    paths.push(
      ...names
        .filter((name) => name.endsWith(".yaml"))
        .sort()
        .map((name) => join(folder, name)),
    );
  }
  return paths;
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, "").replace(/\.yaml$/, "");
}
