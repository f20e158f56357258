/** A context pack of this project: its rules, skills by name and files by pattern, read at its root on this machine. */
import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { compileGlob } from "../../base/match/glob.ts";
import type { SkillCatalogue } from "../../harness/skills/load-skills.ts";
import { skillName } from "../../harness/skills/skill.ts";
import { SKILL_ERRORS } from "../../ports/agents/skill-errors.ts";
import { buildContextPack, CONTEXT_BYTES, type ContextPack, type ContextPart } from "../../run/context/context-pack.ts";

export interface ContextOptions {
  /** By `name` or `name@version`. */
  readonly skills?: readonly string[];
  /** Globs over paths of the project. */
  readonly files?: readonly string[];
  /** Whatever else it shall read, by name. */
  readonly inputs?: Readonly<Record<string, string | Uint8Array>>;
  readonly maxBytes?: number;
}

export interface ContextSources {
  readonly root: string;
  readonly skills: () => Promise<SkillCatalogue>;
  readonly redact: (text: string) => string;
}

const RULES_FILE = "AGENTS.md";
const PASSED_OVER: ReadonlySet<string> = new Set([".git", ".pawl", "node_modules"]);
const MOST_FILES = 500;
const MOST_FILE_BYTES = 1 << 20;

/** Rejects with SKILL_NOT_LOADED for a skill that is not there. Throws a RangeError for what is no glob. */
export async function packContext(sources: ContextSources, options: ContextOptions): Promise<ContextPack> {
  const { root, redact } = sources;
  const globs = (options.files ?? []).map(compileGlob);
  const paths = globs.length === 0 ? [] : await filesBelow(root, "", (path) => globs.some((covers) => covers(path)));
  const parts: ContextPart[] = [
    ...(await fileParts(root, "rules", [RULES_FILE])),
    ...skillParts(await sources.skills(), options.skills ?? []),
    ...Object.entries(options.inputs ?? {}).map(([name, content]) => ({ kind: "input" as const, name, content })),
    ...(await fileParts(root, "file", paths)),
  ];
  return buildContextPack({ parts, maxBytes: options.maxBytes ?? CONTEXT_BYTES, redact });
}

function skillParts({ find }: SkillCatalogue, names: readonly string[]): readonly ContextPart[] {
  return names.map((name) => {
    const skill = find(name);
    if (skill === undefined) throw pawlError(SKILL_ERRORS, "SKILL_NOT_LOADED", { skill: name });
    return { kind: "skill", name: `${skillName(skill)} ${skill.digest.slice(0, 12)}`, content: skill.instructions };
  });
}

/** In order, so that the same ones are taken each time. */
async function filesBelow(root: string, below: string, isWanted: (path: string) => boolean): Promise<string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${below}${entry.name}`;
    if (entry.isDirectory() && !PASSED_OVER.has(entry.name))
      found.push(...(await filesBelow(root, `${path}/`, isWanted)));
    else if (entry.isFile() && isWanted(path)) found.push(path);
    if (found.length >= MOST_FILES) return found.slice(0, MOST_FILES);
  }
  return found;
}

/** What is not there, or a link, is no part. */
async function fileParts(
  root: string,
  kind: "rules" | "file",
  paths: readonly string[],
): Promise<readonly ContextPart[]> {
  const parts: ContextPart[] = [];
  for (const name of paths) {
    const content = await readBytes(join(root, name));
    if (content !== null) parts.push({ kind, name, content });
  }
  return parts;
}

async function readBytes(path: string): Promise<Uint8Array | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const buffer = new Uint8Array(Math.min(size, MOST_FILE_BYTES));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
