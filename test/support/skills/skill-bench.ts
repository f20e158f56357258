/** Skills made of shell scripts, behind the real wall. */
import { join } from "node:path";
import { createMemoryStore } from "../../../src/adapters/memory/store.ts";
import { createPolicyGate } from "../../../src/adapters/system/policy-gate.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { parseSkill } from "../../../src/harness/skills/parse-skill.ts";
import type { Skill } from "../../../src/harness/skills/skill.ts";
import {
  createSkillExecutor,
  type SkillExecutor,
  type SkillExecutorOptions,
} from "../../../src/harness/skills/skill-executor.ts";
import { rulingBy } from "../../../src/harness/tools/ruling.ts";
import type { Rule } from "../../../src/policy/rule.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { executorIn, makeFolder, RUN } from "../process-fixture.ts";

const ALLOW: readonly Rule[] = Object.freeze([
  { id: "t.allow", effect: "allow", pattern: { tool: "skill__*" } } as const,
]);

/** A skill whose program is this script. */
export function shellSkill(
  id: string,
  script: string,
  manifest: JsonObject = {},
  more: Readonly<Record<string, string>> = {},
): Skill {
  const files = {
    "SKILL.md": `---\nname: ${id}\ndescription: Does ${id}.\n---\nUse it.\n`,
    "manifest.yaml": JSON.stringify({ execution: { mode: "process", run: ["/bin/sh", "./main.sh"] }, ...manifest }),
    "main.sh": script,
    ...more,
  };
  const bytes = Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));
  const parsed = parseSkill({ files: bytes, layer: "project", shown: `skills/${id}` });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  return parsed.value.skill;
}

/** Real time, because the processes take some. */
export const CLOCK: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

export interface SkillBench {
  readonly root: string;
  readonly skills: SkillExecutor;
}

export async function skillBench(
  skills: readonly Skill[],
  change: Partial<SkillExecutorOptions> & { readonly rules?: readonly Rule[] } = {},
): Promise<SkillBench> {
  const root = makeFolder();
  const { breakers } = createMemoryStore({ clock: CLOCK });
  const executor = createSkillExecutor({
    ...{ executor: executorIn(root), clock: CLOCK, run: RUN, folder: null, breakers },
    ...{ dir: join(root, ".pawl", "skills"), decide: rulingBy(createPolicyGate(), change.rules ?? ALLOW) },
    ...change,
  });
  for (const skill of skills) await executor.load(skill);
  return { root, skills: executor };
}
