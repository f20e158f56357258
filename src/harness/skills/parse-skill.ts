/** The files of one folder → a skill, or why it is none. Every problem names its file and line. */
import { type Diagnostic, diagnose, type Span } from "../../base/diagnostic.ts";
import { sha256 } from "../../base/digest.ts";
import { canonical } from "../../base/json.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import { parseText } from "../../blueprint/parse-text.ts";
import { type Found, readFields, reportType } from "../../blueprint/shapes/shape.ts";
import { SKILL_ERRORS } from "../../ports/agents/skill-errors.ts";
import { FOREIGN_KEYS, FRONT_MATTER_FIELDS, MANIFEST } from "./manifest-fields.ts";
import type { Skill, SkillCallable, SkillFile, SkillLayer } from "./skill.ts";

export const SKILL_FILE = "SKILL.md";
const MANIFEST_FILE = "manifest.yaml";
const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/;
const MEBIBYTE = 1 << 20;
const DEFAULTS = { timeoutMs: 30_000, memoryMb: 128, cpuMs: 30_000 } as const;

export interface SkillText {
  readonly files: readonly SkillFile[];
  readonly layer: SkillLayer;
  /** The folder as people know it; it stands in every place that a problem names. */
  readonly shown: string;
}

export interface ParsedSkill {
  readonly skill: Skill;
  /** Of what has no effect. */
  readonly warnings: readonly Diagnostic[];
}

export function parseSkill({ files, layer, shown }: SkillText): Result<ParsedSkill> {
  const file = `${shown}/${SKILL_FILE}`;
  const text = textOf(files, SKILL_FILE);
  if (text === undefined) return failed([frontMatterProblem(file, "it is not UTF-8 text")]);
  const match = FRONT_MATTER.exec(text);
  if (match === null) return failed([frontMatterProblem(file, "it does not begin with front matter between two ---")]);
  const warnings: Diagnostic[] = [];
  const front = readFrontMatter(match[1] as string, file, warnings);
  const manifest = readManifest(files, shown);
  if (!front.ok || !manifest.ok) return failed([front, manifest].flatMap((part) => (part.ok ? [] : part.problems)));
  const { name, description, version } = front.value;
  const given = manifest.value;
  const other = disagreement(front.value, given);
  if (other !== undefined) return failed([frontMatterProblem(file, other)]);
  const about = description?.value ?? "";
  const skill: Skill = {
    id: name?.value ?? "",
    version: version?.value ?? given?.version?.value ?? "0.0.0",
    description: about,
    instructions: text.slice(match[0].length).replaceAll("\r\n", "\n").trim(),
    layer,
    digest: digestOf(files),
    files,
    callable: given === null ? null : callableOf(given, about),
  };
  return ok({ skill, warnings });
}

type FrontMatter = Found<typeof FRONT_MATTER_FIELDS>;
type Manifest = NonNullable<ReturnType<typeof MANIFEST.read>>;

/** Lines count as in the file: the first of them is the one with `---`. */
function readFrontMatter(yaml: string, file: string, warnings: Diagnostic[]): Result<FrontMatter> {
  return parseText(`\n${yaml}\n`, file, (tree, reading) => {
    if (tree.kind !== "map") return reportType(tree, reading, "the front matter", "a map with name and description");
    for (const { key, at } of tree.entries) {
      if (Object.hasOwn(FRONT_MATTER_FIELDS, key)) continue;
      const about = FOREIGN_KEYS[key] ?? "is not known and has no effect";
      warnings.push(
        diagnose(SKILL_ERRORS, "SKILL_KEY_IGNORED", { file, key, about }, reading.problems.source.span(at)),
      );
    }
    return readFields(tree, tree.entries, FRONT_MATTER_FIELDS, "the front matter", reading);
  });
}

/** null: there is none. */
function readManifest(files: readonly SkillFile[], shown: string): Result<Manifest | null> {
  if (!files.some(({ path }) => path === MANIFEST_FILE)) return ok(null);
  const file = `${shown}/${MANIFEST_FILE}`;
  const text = textOf(files, MANIFEST_FILE);
  if (text === undefined) return failed([frontMatterProblem(file, "it is not UTF-8 text")]);
  return parseText(text, file, (tree, reading) => {
    const found = MANIFEST.read(tree, reading, "the manifest");
    const execution = found?.execution?.value;
    const needsProgram = execution?.mode?.value === "process";
    if (execution !== undefined && needsProgram !== (execution.run !== undefined)) {
      const data = { field: "execution.run", expected: "there for mode process, and for no other", found: "otherwise" };
      reading.problems.report("BLUEPRINT_VALUE_INVALID", data, tree);
    }
    for (const name of missingFiles(execution?.run?.value ?? [], files)) {
      const data = { field: "execution.run", expected: "made of files of the skill", found: `"${name}"` };
      reading.problems.report("BLUEPRINT_VALUE_INVALID", data, tree);
    }
    return found;
  });
}

function missingFiles(argv: readonly string[], files: readonly SkillFile[]): readonly string[] {
  const known = new Set(files.map(({ path }) => `./${path}`));
  return argv.filter((argument) => argument.startsWith("./") && !known.has(argument));
}

function disagreement(front: FrontMatter, manifest: Manifest | null): string | undefined {
  const [name, id] = [front.name?.value, manifest?.id?.value];
  if (id !== undefined && id !== name) return `its name is "${name}", and that in ${MANIFEST_FILE} is "${id}"`;
  const [here, there] = [front.version?.value, manifest?.version?.value];
  if (here === undefined || there === undefined || here === there) return undefined;
  return `its version is ${here}, and that in ${MANIFEST_FILE} is ${there}`;
}

function callableOf(manifest: Manifest, description: string): SkillCallable | null {
  const argv = manifest.execution?.value.run?.value;
  if (argv === undefined) return null;
  const { max_memory_mb, max_cpu_ms } = manifest.resources?.value ?? {};
  const about = manifest.description?.value ?? description;
  return {
    summary: manifest.name === undefined ? about : `${manifest.name.value}: ${about}`,
    argv,
    input: manifest.input_schema?.value ?? null,
    output: manifest.output_schema?.value ?? null,
    requires: manifest.requires?.value ?? [],
    permissions: manifest.permissions?.value ?? [],
    timeoutMs: manifest.timeout?.value ?? DEFAULTS.timeoutMs,
    memoryBytes: (max_memory_mb?.value ?? DEFAULTS.memoryMb) * MEBIBYTE,
    cpuMs: max_cpu_ms?.value ?? DEFAULTS.cpuMs,
    risk: manifest.risk_level?.value ?? "medium",
  };
}

/** Of the names and the bytes of all files. */
function digestOf(files: readonly SkillFile[]): string {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return sha256(canonical(sorted.map(({ path, bytes }) => [path, sha256(bytes)])));
}

function textOf(files: readonly SkillFile[], path: string): string | undefined {
  const file = files.find((one) => one.path === path);
  try {
    return file && new TextDecoder("utf-8", { fatal: true }).decode(file.bytes);
  } catch {
    return undefined;
  }
}

function frontMatterProblem(file: string, problem: string): Diagnostic {
  const where: Span = { file, line: 1, column: 1, length: 1 };
  return diagnose(SKILL_ERRORS, "SKILL_FRONT_MATTER_INVALID", { file, problem }, where);
}
