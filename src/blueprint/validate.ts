/** Blueprint text → Blueprint, or every problem it has, each with its place. */

import type { JsonValue } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import { STAGNATION_NAMES, STAGNATION_RULES, type StagnationLimits } from "../limits/stagnation/thresholds.ts";
import { agentDefaultsOf } from "./agent/read-agent.ts";
import type { Blueprint, LimitsSpec, ParamSpec, ParamType } from "./blueprint.ts";
import { checkReferences } from "./check-references.ts";
import { checkRoutes } from "./check-routes.ts";
import { BLUEPRINT_FIELDS, type BlueprintFound } from "./fields.ts";
import { parseText } from "./parse-text.ts";
import { readRules } from "./policy/read-rules.ts";
import type { Problems } from "./problems.ts";
import { readStage, settingsOf } from "./read-stage.ts";
import { object, type Reading } from "./shapes/shape.ts";
import { indexStages } from "./stage-draft.ts";
import type { Tree } from "./text/tree.ts";

/** `file` is how the user named it; it appears in every place that a problem names. */
export function parseBlueprint(text: string, file: string): Result<Blueprint> {
  return parseText(text, file, validate);
}

const SHAPE = object(BLUEPRINT_FIELDS, "the blueprint");

function validate(tree: Tree, reading: Reading): Blueprint | undefined {
  const { problems } = reading;
  const found = SHAPE.read(tree, reading, "the blueprint");
  if (found === undefined) return undefined;
  const params = readParams(found.params?.value ?? [], problems);
  const rules = readRules(found.policy?.value, "blueprint", reading);
  const stages = (found.stages?.value ?? []).map(({ value }) => readStage(value, reading));
  const byId = indexStages(stages, problems);
  checkReferences(new Map(params), stages, byId, problems);
  checkRoutes(stages, byId, problems);
  return {
    version: 1,
    name: found.name?.value ?? "",
    ...(found.description === undefined ? {} : { description: found.description.value }),
    params,
    defaults: settingsOf(found.defaults?.value ?? {}),
    ...agentOf(found.defaults?.value.agent),
    workspace: found.workspace?.value ?? { kind: "clone", from: "head", share: [] },
    limits: limitsOf(found.limits?.value ?? {}),
    use: [...new Set((found.policy?.value.use?.value ?? []).map(({ value }) => value))],
    rules,
    protect: [...new Set((found.protect?.value ?? []).map(({ value }) => value))].sort(),
    unprotect: (found.unprotect?.value ?? []).map(({ value, node }) => ({
      name: value,
      where: problems.source.span(node),
    })),
    stages: stages.map(({ spec }) => spec),
    file: problems.source.file,
  };
}

function agentOf(found: NonNullable<BlueprintFound["defaults"]>["value"]["agent"]): Pick<Blueprint, "agent"> {
  return found === undefined ? {} : { agent: agentDefaultsOf(found.value) };
}

type ParamsFound = NonNullable<BlueprintFound["params"]>["value"];
type LimitsFound = NonNullable<BlueprintFound["limits"]>["value"];

function readParams(params: ParamsFound, problems: Problems): (readonly [string, ParamSpec])[] {
  return params.map(({ name, value, key }) => {
    const { type, default: preset, description, untrusted } = value;
    if (type !== undefined && preset !== undefined && typeOf(preset.value) !== type.value) {
      const data = { name, type: type.value, found: typeOf(preset.value) ?? "null" };
      problems.report("BLUEPRINT_PARAM_DEFAULT_MISMATCH", data, preset.node);
    }
    const spec: ParamSpec = {
      ...(type === undefined ? {} : { type: type.value }),
      ...(preset === undefined ? {} : { default: preset.value }),
      ...(description === undefined ? {} : { description: description.value }),
      ...(untrusted === undefined ? {} : { untrusted: untrusted.value }),
      where: problems.source.span(key),
    };
    return [name, spec] as const;
  });
}

function typeOf(value: JsonValue): ParamType | undefined {
  if (value === null) return undefined;
  if (typeof value === "object") return Array.isArray(value) ? "list" : "map";
  return typeof value as "string" | "number" | "boolean";
}

function limitsOf(found: LimitsFound): LimitsSpec {
  return {
    ...(found.stages === undefined ? {} : { stages: found.stages.value }),
    ...(found.wall === undefined ? {} : { wallMs: found.wall.value }),
    ...(found.rounds === undefined ? {} : { rounds: found.rounds.value }),
    ...(found.consecutive_failures === undefined ? {} : { consecutiveFailures: found.consecutive_failures.value }),
    ...(found.tokens === undefined ? {} : { tokens: found.tokens.value }),
    ...(found.usd === undefined ? {} : { microUsd: found.usd.value }),
    ...(found.turns === undefined ? {} : { turns: found.turns.value }),
    ...(found.spawns === undefined ? {} : { spawns: found.spawns.value }),
    ...(found.depth === undefined ? {} : { depth: found.depth.value }),
    ...(found.stagnation === undefined ? {} : { stagnation: stagnationOf(found.stagnation.value) }),
  };
}

function stagnationOf(found: NonNullable<LimitsFound["stagnation"]>["value"]): Partial<StagnationLimits> {
  const written = STAGNATION_RULES.flatMap((rule) => {
    const value = found[STAGNATION_NAMES[rule]]?.value;
    return value === undefined ? [] : [[rule, value] as const];
  });
  return Object.fromEntries(written);
}
