/** The plan that loop-runtime's library makes of a pattern: what a tick of it may do at a level, in the words of that library. */
import { PawlError, pawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import { DIALECT_ERRORS } from "../../blueprint/dialects/errors.ts";
import { SHIPPED_REGISTRY } from "../../blueprint/dialects/patterns/shipped-registry.ts";
import { tickText } from "../../blueprint/dialects/patterns/tick-text.ts";
import { type Pattern, parseRegistry, rowsOfRegistry } from "../../blueprint/dialects/registry.ts";

/** A pattern as it stands in `patterns/registry.yaml`. */
export interface RegistryPattern extends JsonObject {
  readonly id: string;
}

export interface ExecutionPlan {
  /** Id of the pattern. */
  readonly pattern: string;
  readonly name: string;
  readonly level: Level;
  /** As it was written. */
  readonly cadence: string;
  /** Tokens a day; Infinity: the registry names no cap. */
  readonly dailyTokenCap: number;
  readonly actionPolicy: ActionPolicy;
  readonly humanGates: readonly string[];
  readonly skills: readonly string[];
  readonly phases: readonly string[];
  readonly stateFile: string;
  readonly isEarlyExitRequired: boolean;
  /** The pattern that it was made of. */
  readonly source: RegistryPattern;
}

/** What a tick may do once it has decided to act. */
export interface ActionPolicy {
  readonly change: boolean;
  readonly commit: boolean;
  readonly merge: boolean;
}

const LEVELS: readonly Level[] = ["L0", "L1", "L2", "L3"];
const PROJECT = { test: null, gate: null, workspace: "clone" } as const;
const AGENT = { agent: "scripted", calls: "nothing", flat: null } as const;

/** Without a level it is that of the first week. Throws every problem of the pattern. */
export function buildPlan(source: RegistryPattern, options: { readonly level?: Level } = {}): ExecutionPlan {
  const read = parseRegistry(JSON.stringify({ patterns: [source] }, null, 2), "(pattern)", "lenient");
  if (!read.ok) throw new PawlError(read.problems);
  const [pattern] = read.value as [Pattern];
  const level = options.level ?? pattern.weekOneLevel ?? "L1";
  if (!LEVELS.includes(level)) throw pawlError(DIALECT_ERRORS, "REGISTRY_LEVEL_UNKNOWN", { level: String(level) });
  return {
    pattern: pattern.id,
    name: pattern.name,
    level,
    cadence: pattern.cadence.written,
    dailyTokenCap: pattern.costs?.dailyCap ?? Number.POSITIVE_INFINITY,
    actionPolicy: policyOf(pattern, level),
    humanGates: pattern.humanGates,
    skills: pattern.skills,
    phases: pattern.phases,
    stateFile: pattern.state,
    isEarlyExitRequired: pattern.costs?.needsEarlyExit ?? false,
    source,
  };
}

/** From the tick itself: which of its stages the level reaches. */
function policyOf(pattern: Pattern, level: Level): ActionPolicy {
  const { stages } = JSON.parse(tickText(pattern, { ...PROJECT, ...AGENT })) as {
    readonly stages: readonly { readonly id: string; readonly level?: Level }[];
  };
  const reaches = (stage: string) => stages.some(({ id, level: least = "L0" }) => id === stage && least <= level);
  return { change: reaches("implement"), commit: reaches("commit"), merge: reaches("merge") };
}

/** `registry`: the text of one; default: the patterns that come with Pawl. Throws every problem of it, and when it has no such pattern. */
export function readPattern(id: string, registry: string = SHIPPED_REGISTRY): RegistryPattern {
  const rows = rowsOfRegistry(registry, "registry.yaml");
  if (!rows.ok) throw new PawlError(rows.problems);
  const patterns = rows.value as readonly RegistryPattern[];
  const known = patterns.map((pattern) => pattern.id);
  const found = patterns.find((pattern) => pattern.id === id);
  if (found === undefined) throw pawlError(DIALECT_ERRORS, "REGISTRY_PATTERN_MISSING", { id, known });
  return found;
}
