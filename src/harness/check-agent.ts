/** Everything that an agent declares is done or refused, before anything is spent. */
import { type PawlError, pawlError } from "../base/errors.ts";
import { readSchema } from "../base/schema/schema.ts";
import { HARNESS_ERRORS } from "../ports/errors/harness-errors.ts";
import type { Agent, AgentLimits, Phase } from "./agent.ts";
import { targetName } from "./delegate/delegates.ts";

/** A place in the prompt of a phase. */
export const PLACE = /\{\{\s*([\w-]+)\s*\}\}/g;

/** null: it can be run. */
export function checkAgent(agent: Agent, limits: Partial<AgentLimits>): PawlError | null {
  const problem =
    limitProblem(limits) ?? phaseProblem(agent.phases ?? []) ?? delegateProblem(agent) ?? schemaProblem(agent);
  return problem === null ? null : pawlError(HARNESS_ERRORS, "HARNESS_OPTIONS_UNFIT", { problem });
}

function limitProblem(limits: Partial<AgentLimits>): string | null {
  const bad = Object.entries(limits).find(([, value]) => typeof value !== "number" || !(value >= 0));
  return bad === undefined ? null : `the limit ${bad[0]} is no number of zero or more`;
}

function phaseProblem(phases: readonly Phase[]): string | null {
  const known = new Set(["input", "output"]);
  for (const { name, prompt } of phases) {
    if (known.has(name)) return `two phases are named ${name}, or it is a name of ours`;
    const place = [...prompt.matchAll(PLACE)].map((found) => found[1] ?? "").find((each) => !known.has(each));
    if (place !== undefined) return `the phase ${name} names {{${place}}}, which nothing before it gives`;
    known.add(name);
  }
  return null;
}

function delegateProblem({ delegates = {} }: Agent): string | null {
  const targets = Object.keys(delegates).map(targetName);
  const twice = targets.find((target, index) => targets.indexOf(target) !== index);
  return twice === undefined ? null : `two delegates are named ${twice}`;
}

function schemaProblem({ schema }: Agent): string | null {
  if (schema === undefined) return null;
  const reading = readSchema(schema);
  return reading.ok ? null : `its schema cannot be checked: ${reading.problem}`;
}
