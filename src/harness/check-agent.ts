/** Everything that an agent declares is done or refused, before anything is spent. */
import { type PawlError, pawlError } from "../base/errors.ts";
import { readSchema } from "../base/schema/schema.ts";
import { HARNESS_ERRORS } from "../ports/errors/harness-errors.ts";
import type { Agent, AgentLimits, Phase } from "./agent.ts";
import { targetName } from "./delegate/delegates.ts";
import { DISPATCH_LIMITS, type DispatchLimits } from "./delegate/lineage.ts";
import { ATTACHMENT_BOUNDS, type AttachmentBounds } from "./deliver/attachments.ts";
import { DEFAULT_LIMITS } from "./meter.ts";
import { COMPACT_RULES, type CompactRules } from "./transcript/compact.ts";

/** A place in the prompt of a phase. */
export const PLACE = /\{\{\s*([\w-]+)\s*\}\}/g;

interface Given {
  readonly budget?: Partial<AgentLimits>;
  readonly attachments?: Partial<AttachmentBounds>;
  readonly dispatch?: Partial<DispatchLimits>;
  readonly compaction?: Partial<CompactRules>;
}

/** Its time is that of the run. */
const { wallMs: _, ...PHASE_LIMITS } = DEFAULT_LIMITS;

/** null: it can be run. */
export function checkAgent(agent: Agent, given: Given): PawlError | null {
  const { budget, attachments = {}, dispatch = {}, compaction = {} } = given;
  const problem =
    numberProblem("limit", { ...agent.limits, ...budget }, DEFAULT_LIMITS) ??
    numberProblem("bound of attachments", attachments, ATTACHMENT_BOUNDS) ??
    numberProblem("bound of delegation", dispatch, DISPATCH_LIMITS) ??
    numberProblem("bound of compaction", compaction, COMPACT_RULES) ??
    phaseProblem(agent.phases ?? []) ??
    delegateProblem(agent) ??
    schemaProblem(agent);
  return problem === null ? null : pawlError(HARNESS_ERRORS, "HARNESS_OPTIONS_UNFIT", { problem });
}

/** A bound that is none, or that nobody knows, would bound nothing. */
function numberProblem(what: string, given: object, known: object): string | null {
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (!Object.hasOwn(known, name)) return `there is no ${what} ${name}`;
    if (typeof value !== "number" || !(value >= 0)) return `the ${what} ${name} is no number of zero or more`;
  }
  return null;
}

function phaseProblem(phases: readonly Phase[]): string | null {
  const known = new Set(["input", "output"]);
  for (const { name, prompt, limits = {} } of phases) {
    const unbounded = numberProblem(`limit of the phase ${name}`, limits, PHASE_LIMITS);
    if (unbounded !== null) return unbounded;
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
