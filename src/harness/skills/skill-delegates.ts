/** Skills that are instructions only, as agents to delegate to: `skill__name` starts a child run that follows them. */
import type { Agent } from "../agent.ts";
import { type Skill, skillName, skillToolName } from "./skill.ts";

/** For `delegates` of an agent. A skill with a program is called as a tool instead, and is not among them. */
export function skillDelegates(skills: readonly Skill[]): Readonly<Record<string, Agent>> {
  const entries = skills.flatMap((skill): readonly [string, Agent][] => {
    if (skill.callable !== null) return [];
    const { description: summary, instructions: rules } = skill;
    return [[skillToolName(skill.id), { name: skillName(skill), summary, rules }]];
  });
  return Object.fromEntries(entries);
}
