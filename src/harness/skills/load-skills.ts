/** Every skill there is: built in, of the user, of the project. A later layer wins; whoever names a version gets exactly that. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { SKILL_ERRORS } from "../../ports/agents/skill-errors.ts";
import { BUILTIN_SKILLS } from "./builtin-skills.ts";
import { parseSkill, SKILL_FILE } from "./parse-skill.ts";
import { readSkillFolder } from "./read-skill-folder.ts";
import { SKILL_LAYERS, type Skill, type SkillFile, type SkillLayer, skillName } from "./skill.ts";

export interface SkillFolders {
  /** Of the user; null: none. */
  readonly user: string | null;
  /** At the root of the project on this machine, never in a workspace. null: none. */
  readonly project: string | null;
}

export interface SkillCatalogue {
  /** By `name`, or by `name@version`. */
  find(name: string): Skill | undefined;
  /** The one that wins of each name, by name. */
  readonly skills: readonly Skill[];
  /** What was left out or has no effect, each with its file and line. */
  readonly warnings: readonly Diagnostic[];
}

const MOST_FOLDERS = 500;

/** Never rejects for what lies in a folder: a bad skill is left out, and a warning says so. */
export async function loadSkills(folders: SkillFolders): Promise<SkillCatalogue> {
  const warnings: Diagnostic[] = [];
  const found: Found[] = [];
  for (const { id, text } of BUILTIN_SKILLS) {
    const files = [{ path: SKILL_FILE, bytes: new TextEncoder().encode(text) }];
    add(found, warnings, { files, layer: "builtin", shown: `builtin/${id}` });
  }
  for (const layer of ["user", "project"] as const) {
    const folder = folders[layer];
    if (folder !== null) await addFolder(found, warnings, folder, layer);
  }
  return catalogueOf(found, warnings);
}

interface Found {
  readonly skill: Skill;
  readonly shown: string;
}

async function addFolder(found: Found[], warnings: Diagnostic[], folder: string, layer: SkillLayer): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => !entry.isFile()).map(({ name }) => name);
  for (const name of names.sort().slice(0, MOST_FOLDERS)) {
    const place = join(folder, name);
    const shown = layer === "user" ? place : `skills/${name}`;
    if ((await lstat(join(place, SKILL_FILE)).catch(() => null)) === null) continue;
    const isFolder = (await lstat(place).catch(() => null))?.isDirectory() === true;
    const read = isFolder ? await readSkillFolder(place) : { unfit: "it is a link" };
    if ("unfit" in read) warnings.push(unfit(shown, read.unfit));
    else add(found, warnings, { files: read.files, layer, shown });
  }
}

function unfit(file: string, problem: string): Diagnostic {
  const where = { file, line: 1, column: 1, length: 1 };
  return diagnose(SKILL_ERRORS, "SKILL_FOLDER_UNFIT", { file, problem }, where);
}

function add(
  found: Found[],
  warnings: Diagnostic[],
  text: { readonly files: readonly SkillFile[]; readonly layer: SkillLayer; readonly shown: string },
): void {
  const parsed = parseSkill(text);
  if (!parsed.ok) {
    warnings.push(...parsed.problems);
    return;
  }
  const { skill } = parsed.value;
  warnings.push(...parsed.value.warnings);
  const other = found.find((one) => one.skill.layer === skill.layer && skillName(one.skill) === skillName(skill));
  if (other === undefined) {
    found.push({ skill, shown: text.shown });
    return;
  }
  const file = `${text.shown}/${SKILL_FILE}`;
  const where = { file, line: 1, column: 1, length: 1 };
  const data = { file, skill: skillName(skill), other: other.shown };
  warnings.push(diagnose(SKILL_ERRORS, "SKILL_NAME_TAKEN", data, where));
}

function catalogueOf(found: readonly Found[], warnings: readonly Diagnostic[]): SkillCatalogue {
  const byName = new Map<string, Skill>();
  for (const skill of found.map((one) => one.skill).sort(weakerFirst)) {
    byName.set(skill.id, skill);
    byName.set(skillName(skill), skill);
  }
  const names = [...byName.keys()].filter((name) => !name.includes("@")).sort();
  return {
    find: (name) => byName.get(name),
    skills: names.flatMap((name) => byName.get(name) ?? []),
    warnings,
  };
}

/** By layer, then by version. */
function weakerFirst(a: Skill, b: Skill): number {
  const layers = SKILL_LAYERS.indexOf(a.layer) - SKILL_LAYERS.indexOf(b.layer);
  return layers === 0 ? compareVersions(a.version, b.version) : layers;
}

function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map((version) => version.split(".").map(Number)) as [number[], number[]];
  for (const [index, part] of first.entries()) {
    const difference = part - (second[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
