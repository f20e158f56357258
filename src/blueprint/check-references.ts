/** Can every reference and every input have a value? What is certain to have none is refused before anything runs. */
import type { ParamSpec } from "./blueprint.ts";
import { listed } from "./check-routes.ts";
import type { Problems } from "./problems.ts";
import type { Located, StageDraft, StageReference } from "./stage-draft.ts";

export interface Known {
  readonly params: ReadonlyMap<string, ParamSpec>;
  readonly stages: ReadonlyMap<string, StageDraft>;
  readonly problems: Problems;
}

export function checkReferences(stage: StageDraft, known: Known): void {
  for (const reference of stage.references) checkReference(reference, stage, known);
  for (const inputs of stage.inputs) checkInputs(inputs, stage, known);
}

function checkReference(reference: StageReference, stage: StageDraft, known: Known): void {
  const [root, first, ...rest] = reference.path;
  switch (root) {
    case "params":
      return checkParam(reference, first, rest, known);
    case "stages":
      return checkStageResult(reference, first, rest, stage, known);
    case "run":
      return checkRun(reference, known);
    default:
      return checkItem(reference, known);
  }
}

function reportField(reference: StageReference, problem: string, fields: readonly string[], wrong: string, { problems }: Known): void {
  const data = { reference: reference.path.join("."), problem, known: listed(fields), ...problems.guess(wrong, fields) };
  problems.report("BLUEPRINT_REFERENCE_FIELD_UNKNOWN", data, reference);
}

function checkParam(reference: StageReference, name: string | undefined, rest: readonly string[], known: Known): void {
  const names = [...known.params.keys()];
  if (name === undefined) return reportField(reference, "it names no parameter", names, "", known);
  const param = known.params.get(name);
  if (param === undefined) {
    const data = { name, known: listed(names), ...known.problems.guess(name, names) };
    return known.problems.report("BLUEPRINT_REFERENCE_PARAM_UNKNOWN", data, reference);
  }
  const { type } = param;
  if (rest.length > 0 && type !== undefined && type !== "list" && type !== "map") {
    reportField(reference, `the parameter is a ${type} and has no members`, [`params.${name}`], "", known);
  }
}

function checkStageResult(
  reference: StageReference,
  id: string | undefined,
  rest: readonly string[],
  stage: StageDraft,
  known: Known,
): void {
  const names = [...known.stages.keys()];
  if (id === undefined) return reportField(reference, "it names no stage", names, "", known);
  const target = known.stages.get(id);
  if (target === undefined) {
    const data = { stage: id, known: listed(names), ...known.problems.guess(id, names) };
    return known.problems.report("BLUEPRINT_REFERENCE_STAGE_UNKNOWN", data, reference);
  }
  if (target === stage) return known.problems.report("BLUEPRINT_REFERENCE_SELF", { stage: id }, reference);
  if (target.kind === undefined) return;
  const [field = "", ...deeper] = rest;
  const fields = resultFields(target);
  if (!fields.includes(field)) return reportField(reference, missing(field, target), fields, field, known);
  if (field !== "output" && deeper.length > 0) reportField(reference, `${field} has no members`, [field], "", known);
}

/** What the result of a stage has once it ended. */
function resultFields({ spec }: StageDraft): readonly string[] {
  switch (spec.kind) {
    case "command":
    case "gate":
      return spec.capture === "none" ? ["outcome", "exit"] : ["outcome", "exit", "output"];
    case "action":
    case "group":
      return ["outcome", "output"];
    case "run":
      return ["outcome"];
  }
}

function missing(field: string, { spec }: StageDraft): string {
  if (field === "") return "it names no result of the stage";
  const capturing = field === "output" && spec.kind !== "run";
  return capturing ? "the stage captures nothing; give it `capture: text`, lines or json" : `a ${spec.kind} stage has no ${field}`;
}

function checkRun(reference: StageReference, known: Known): void {
  const [, field = ""] = reference.path;
  if (reference.path.length === 2 && (field === "id" || field === "round")) return;
  reportField(reference, "the run has an id and a round", ["id", "round"], field, known);
}

function checkItem(reference: StageReference, known: Known): void {
  const [root = "", ...rest] = reference.path;
  if (!reference.hasItem) known.problems.report("BLUEPRINT_REFERENCE_ITEM_OUTSIDE", { root }, reference);
  else if (root === "index" && rest.length > 0) reportField(reference, "the index is a number", ["index"], "", known);
}

function checkInputs(inputs: readonly Located<string>[], stage: StageDraft, { stages, problems }: Known): void {
  const variables = new Set<string>();
  for (const input of inputs) {
    const { value } = input;
    const variable = `PAWL_INPUT_${value.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
    if (variables.has(variable)) problems.report("BLUEPRINT_INPUT_DUPLICATE", { input: value, variable }, input);
    variables.add(variable);
    const dot = value.indexOf(".");
    const id = value.slice(0, Math.max(0, dot));
    const source = stages.get(id);
    if (source !== undefined && source === stage) problems.report("BLUEPRINT_REFERENCE_SELF", { stage: id }, input);
    else if (source !== undefined && source.kind === undefined) continue;
    else if (!artifactsOf(id, source).includes(value)) {
      const artifacts = [...stages].flatMap(([name, candidate]) => artifactsOf(name, candidate));
      const data = { input: value, known: listed(artifacts), ...problems.guess(value, artifacts) };
      problems.report("BLUEPRINT_INPUT_UNKNOWN", data, input);
    }
  }
}

/** Every process leaves a log; other artifacts are declared. */
function artifactsOf(id: string, stage: StageDraft | undefined): string[] {
  const spec = stage?.spec;
  if (spec?.kind !== "command" && spec?.kind !== "gate") return [];
  return [`${id}.log`, ...spec.outputs.map(({ name }) => `${id}.${name}`)];
}
