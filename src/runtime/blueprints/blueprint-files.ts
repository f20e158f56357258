/** The blueprint files of a project: `blueprint.yaml` at the root, and `*.yaml` in `blueprints/` and `pawl/`. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Result } from "../../base/result.ts";
import type { Blueprint } from "../../blueprint/blueprint.ts";
import { parseBlueprint } from "../../blueprint/validate.ts";
import type { BlueprintFile } from "../runtime.ts";
import { readBlueprint, sizeOfFile } from "./read-blueprint.ts";

const FOLDERS = ["blueprints", "pawl"];

export async function blueprintFiles(root: string): Promise<readonly BlueprintFile[]> {
  const found: BlueprintFile[] = [];
  for (const path of await candidates(root)) {
    const file = join(root, path);
    if ((await sizeOfFile(file)) === null) continue;
    const text = await readBlueprint(file, path);
    const native = text.ok ? parseBlueprint(text.value, path) : text;
    found.push(native.ok || !text.ok ? shownAs(path, native) : await translated(root, path, text.value, native));
  }
  return found;
}

/** The name of the blueprint behind a path, which its runs and its evidence have; null: nothing there can be run. */
export async function blueprintName(root: string, path: string): Promise<string | null> {
  const text = await readBlueprint(join(root, path), path);
  const native = text.ok ? parseBlueprint(text.value, path) : text;
  if (native.ok) return native.value.name;
  const { openDoor } = await import("../doors/open-door.ts");
  const opened = await openDoor(root, path, text.ok ? text.value : null);
  const parsed = opened?.text.ok === true ? parseBlueprint(opened.text.value, opened.file) : native;
  return parsed.ok ? parsed.value.name : null;
}

/** What is no native blueprint may be of another system. */
async function translated(root: string, path: string, text: string, native: Result<Blueprint>): Promise<BlueprintFile> {
  const { openDoor } = await import("../doors/open-door.ts");
  const opened = await openDoor(root, path, text);
  if (opened === null) return shownAs(path, native);
  const parsed = opened.text.ok ? parseBlueprint(opened.text.value, opened.file) : opened.text;
  return { ...shownAs(path, parsed), door: opened.origin.door };
}

function shownAs(path: string, parsed: Result<Blueprint>): BlueprintFile {
  const { name, description } = parsed.ok ? parsed.value : { name: nameOf(path), description: undefined };
  return { path, name, description: description ?? null, problems: parsed.ok ? [] : parsed.problems };
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
