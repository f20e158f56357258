/** The skills that were loaded, and whether one may be started at all: policy and breaker come after that. */
import { pawlError } from "../../base/errors.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { readSchema, type Schema } from "../../base/schema/schema.ts";
import { SKILL_ERRORS } from "../../ports/agents/skill-errors.ts";
import { layOutSkill } from "./lay-out-skill.ts";
import { failure, type Outcome } from "./run-skill.ts";
import type { Skill, SkillCallable } from "./skill.ts";

export interface LoadedSkill {
  readonly skill: Skill;
  readonly callable: SkillCallable;
  /** Where its files lie. */
  readonly place: string;
  readonly inputSchema: Schema | null;
  readonly outputSchema: Schema | null;
}

export interface SkillShelf {
  load(skill: Skill): Promise<void>;
  get(id: string): LoadedSkill | undefined;
  all(): readonly LoadedSkill[];
  /** The first that it needs and that is not loaded, itself included; null: all are. */
  missing(id: string): string | null;
  /** Why it must not be started with this input; null: it may. */
  refusal(loaded: LoadedSkill, input: JsonValue): Outcome | null;
}

export function createSkillShelf(dir: string, granted: readonly string[]): SkillShelf {
  const loaded = new Map<string, LoadedSkill>();

  /** Each is looked at once, however many need it. */
  const missing = (id: string): string | null => {
    const seen = new Set([id]);
    for (const name of seen) {
      const found = loaded.get(name);
      if (found === undefined) return name;
      for (const needed of found.callable.requires) seen.add(needed);
    }
    return null;
  };

  return {
    async load(skill) {
      const { callable } = skill;
      if (callable === null) throw pawlError(SKILL_ERRORS, "SKILL_NOT_LOADED", { skill: skill.id });
      const place = await layOutSkill(dir, skill);
      const [inputSchema, outputSchema] = [schemaOf(callable.input), schemaOf(callable.output)];
      loaded.set(skill.id, { skill, callable, place, inputSchema, outputSchema });
    },
    get: (id) => loaded.get(id),
    all: () => [...loaded.values()],
    missing,
    refusal({ skill: { id: skill }, callable, inputSchema }, input) {
      const lacking = missing(skill);
      if (lacking !== null) return failure("rejected", "SKILL_NOT_LOADED", { skill: lacking });
      const permission = callable.permissions.find((name) => !granted.includes(name));
      if (permission !== undefined) {
        const problem = `it needs the permission ${permission}, which was not granted`;
        return failure("rejected", "SKILL_POLICY_REJECTED", { skill, problem });
      }
      const problems = inputSchema?.problems(input) ?? [];
      if (problems.length === 0) return null;
      return failure("rejected", "SKILL_INPUT_INVALID", { skill, problem: problems.join("; ") });
    },
  };
}

/** Schemas were read when the skill was: one that cannot be is no schema of a skill. */
function schemaOf(source: JsonObject | null): Schema | null {
  const reading = source === null ? null : readSchema(source);
  return reading?.ok === true ? reading.schema : null;
}
