/** The skills that this project can use, and an executor for those that are programs. */
import { join } from "node:path";
import { formatRunId } from "../../base/ids.ts";
import { policyFrom } from "../../harness/defaults.ts";
import type { AgentPolicy, AgentRules } from "../../harness/ports.ts";
import { loadSkills, type SkillCatalogue } from "../../harness/skills/load-skills.ts";
import { createSkillExecutor, type SkillExecutor } from "../../harness/skills/skill-executor.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Store } from "../../ports/store/store.ts";
import type { ContextPack } from "../../run/context/context-pack.ts";
import { type ContextOptions, packContext } from "./context.ts";

export interface SkillOptions {
  /** Rules, or somebody who decides. A skill that no rule allows is not run. */
  readonly policy?: AgentRules | AgentPolicy;
  /** Permissions that skills may need; none unless told. */
  readonly granted?: readonly string[];
  /** What they see as their working folder, read-only; the project unless told. */
  readonly folder?: string;
}

export interface SkillActions {
  /** Built in, of the user, and in `skills/` at the root of the project. */
  skills(): Promise<SkillCatalogue>;
  /** What an agent is to read: AGENTS.md, skills, files and inputs, bounded and hashed, secrets masked. */
  contextPack(options: ContextOptions): Promise<ContextPack>;
  /** Every skill that is a program, loaded and ready to be called. */
  openSkills(options?: SkillOptions): Promise<SkillExecutor>;
}

export interface SkillParts {
  readonly root: string;
  readonly clock: Clock;
  randomBytes(count: number): Uint8Array;
  prepareState(): Promise<void>;
  readonly skillParts: {
    /** Skills of the user. */
    readonly userDir: string;
    /** Where files of skills are laid out. */
    readonly dir: string;
    readonly executor: Pick<Executor, "execute" | "forget">;
    readonly redact: (text: string) => string;
  };
}

const RUN_BYTES = 12;

export function createSkillActions(parts: SkillParts, open: () => Promise<{ readonly store: Store }>): SkillActions {
  const { root, clock } = parts;
  const { userDir, dir, executor, redact } = parts.skillParts;
  const skills = (): Promise<SkillCatalogue> => loadSkills({ user: userDir, project: join(root, "skills") });
  return {
    skills,
    contextPack: (options) => packContext({ root, skills, redact }, options),
    async openSkills({ policy, granted = [], folder } = {}) {
      await parts.prepareState();
      const rules = policyFrom(policy);
      const { store } = await open();
      const found = (await skills()).skills;
      const run = formatRunId(parts.randomBytes(RUN_BYTES));
      const made = createSkillExecutor({
        ...{ executor, clock, run, granted, dir, breakers: store.breakers, folder: folder ?? null },
        decide: async (call) => rules.decide(call, "high"),
      });
      for (const skill of found) if (skill.callable !== null) await made.load(skill);
      return made;
    },
  };
}
