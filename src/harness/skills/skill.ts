/** Skill: a folder of know-how. SKILL.md says what to do; a manifest makes it something that can be called. */
import type { JsonObject } from "../../base/json.ts";
import type { ToolRisk } from "../tools/tool.ts";

/** Where it comes from; a later one wins over an earlier one. Never from a workspace: an agent could have written it. */
export const SKILL_LAYERS = ["builtin", "user", "project"] as const;
export type SkillLayer = (typeof SKILL_LAYERS)[number];

export interface SkillFile {
  /** From the folder of the skill, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface Skill {
  /** Small letters, digits and `-`. */
  readonly id: string;
  readonly version: string;
  readonly description: string;
  /** What SKILL.md says after its front matter. */
  readonly instructions: string;
  readonly layer: SkillLayer;
  /** Of all its files: whoever uses it can name exactly what it used. */
  readonly digest: string;
  /** As they were when it was loaded: these are run, whatever becomes of the folder. */
  readonly files: readonly SkillFile[];
  /** null: instructions only. */
  readonly callable: SkillCallable | null;
}

export interface SkillCallable {
  /** For a model: its title and what it does. */
  readonly summary: string;
  /** An argument that begins with `./` is a file of the skill. */
  readonly argv: readonly string[];
  readonly input: JsonObject | null;
  readonly output: JsonObject | null;
  /** Skills that must be there too. */
  readonly requires: readonly string[];
  /** What whoever runs it must have been granted. */
  readonly permissions: readonly string[];
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly cpuMs: number;
  readonly risk: ToolRisk;
}

/** As people write it: `name@version`. */
export function skillName({ id, version }: Pick<Skill, "id" | "version">): string {
  return `${id}@${version}`;
}

/** The tool that calls it. */
export function skillToolName(id: string): string {
  return `skill__${id.replaceAll("-", "_")}`;
}
