/** Can every reference and every input have a value? What is certain to have none is refused before anything runs. */
import type { ParamSpec } from "./blueprint.ts";
import { listed } from "./check-routes.ts";
import { stageName } from "./fields.ts";
import type { Problems } from "./problems.ts";
import type { Located, StageDraft, StageReference } from "./stage-draft.ts";

const RUN_FIELDS: readonly string[] = ["id", "round", "last_error"];

interface Known {
  readonly params: ReadonlyMap<string, ParamSpec>;
  readonly paramNames: readonly string[];
  readonly stages: ReadonlyMap<string, StageDraft>;
  readonly stageNames: readonly string[];
  readonly artifacts: ReadonlySet<string>;
  readonly problems: Problems;
}

export function checkReferences(
  params: ReadonlyMap<string, ParamSpec>,
  stages: readonly StageDraft[],
  byId: ReadonlyMap<string, StageDraft>,
  problems: Problems,
): void {
  const artifacts = new Set([...byId].flatMap(([id, stage]) => artifactsOf(id, stage)));
  const names = { paramNames: [...params.keys()], stageNames: [...byId.keys()], artifacts };
  const known: Known = { params, stages: byId, problems, ...names };
  for (const stage of stages) {
    for (const reference of stage.references) checkReference(reference, stage, known);
    for (const inputs of stage.inputs) checkInputs(inputs, stage, known);
  }
}

function checkReference(reference: StageReference, stage: StageDraft, known: Known): void {
  switch (reference.path[0]) {
    case "params":
      checkParam(reference, known);
      break;
    case "stages":
      checkStageResult(reference, stage, known);
      break;
    case "run":
      checkRun(reference, known);
      break;
    default:
      checkItem(reference, known);
  }
}

/** `wrong` is the name that was probably mistyped. */
function reportField(
  reference: StageReference,
  problem: string,
  fields: readonly string[],
  wrong: string,
  { problems }: Known,
): void {
  const data = {
    reference: reference.path.join("."),
    problem,
    known: listed(fields),
    ...problems.guess(wrong, fields),
  };
  problems.report("BLUEPRINT_REFERENCE_FIELD_UNKNOWN", data, reference);
}

function checkParam(reference: StageReference, known: Known): void {
  const { params, paramNames: names, problems } = known;
  const [, name = "", ...rest] = reference.path;
  const param = params.get(name);
  if (param === undefined) {
    const data = { name, known: listed(names), ...problems.guess(name, names) };
    problems.report("BLUEPRINT_REFERENCE_PARAM_UNKNOWN", data, reference);
  } else if (rest.length > 0 && param.type !== undefined && param.type !== "list" && param.type !== "map") {
    reportField(reference, `the parameter is a ${param.type} and has no members`, [`params.${name}`], "", known);
  }
}

function checkStageResult(reference: StageReference, stage: StageDraft, known: Known): void {
  const { stages, stageNames: names, problems } = known;
  const [, id = "", ...rest] = reference.path;
  const target = stages.get(id);
  if (target === undefined) {
    const data = { stage: id, known: listed(names), ...problems.guess(id, names) };
    problems.report("BLUEPRINT_REFERENCE_STAGE_UNKNOWN", data, reference);
  } else if (target === stage) {
    problems.report("BLUEPRINT_REFERENCE_SELF", { stage: id }, reference);
  } else if (target.kind !== undefined) {
    checkResultField(reference, target, rest, known);
  }
}

function checkResultField(reference: StageReference, target: StageDraft, rest: readonly string[], known: Known): void {
  const [field = "", ...deeper] = rest;
  const fields = resultFields(target);
  if (!fields.includes(field)) reportField(reference, missing(field, target), fields, field, known);
  else if (field !== "output" && deeper.length > 0)
    reportField(reference, `${field} has no members`, [field], "", known);
}

/** What the result of a stage has once it ended. */
function resultFields({ spec }: StageDraft): readonly string[] {
  switch (spec.kind) {
    case "command":
    case "gate":
      return capturesNothing(spec) ? ["outcome", "exit"] : ["outcome", "exit", "output"];
    case "agent":
    case "action":
    case "group":
    case "inspection":
      return ["outcome", "output"];
    case "run":
    case "approval":
      return ["outcome"];
  }
}

/** A gate that does more than look at an exit code says what it found. */
function capturesNothing(spec: Extract<StageDraft["spec"], { kind: "command" | "gate" }>): boolean {
  return spec.capture === "none" && (spec.kind === "command" || spec.judge.by === "exit");
}

function missing(field: string, { spec }: StageDraft): string {
  if (field === "") return "it names no result of the stage";
  const capturing = field === "output" && spec.kind !== "run" && spec.kind !== "approval";
  return capturing
    ? "the stage captures nothing; give it `capture: text`, lines or json"
    : `${stageName(spec.kind)} has no ${field}`;
}

function checkRun(reference: StageReference, known: Known): void {
  const [, field = ""] = reference.path;
  if (reference.path.length === 2 && RUN_FIELDS.includes(field)) return;
  reportField(reference, "the run has an id, a round and a last error", RUN_FIELDS, field, known);
}

function checkItem(reference: StageReference, known: Known): void {
  const [root = "", ...rest] = reference.path;
  if (!reference.hasItem) known.problems.report("BLUEPRINT_REFERENCE_ITEM_OUTSIDE", { root }, reference);
  else if (root === "index" && rest.length > 0) reportField(reference, "the index is a number", ["index"], "", known);
}

/** What an action stores is known only when it has run; a stage that finds it missing is refused then. */
function mayStore(source: StageDraft | undefined, input: string): boolean {
  return source?.kind === "action" && !input.endsWith(".log");
}

function checkInputs(
  inputs: readonly Located<string>[],
  stage: StageDraft,
  { stages, artifacts, problems }: Known,
): void {
  const variables = new Set<string>();
  for (const input of inputs) {
    const { value } = input;
    const variable = `PAWL_INPUT_${value.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
    if (variables.has(variable)) problems.report("BLUEPRINT_INPUT_DUPLICATE", { input: value, variable }, input);
    variables.add(variable);
    const [id = ""] = value.split(".", 1);
    const source = stages.get(id);
    if (source === stage) problems.report("BLUEPRINT_REFERENCE_SELF", { stage: id }, input);
    else if (!artifacts.has(value) && !mayStore(source, value) && (source === undefined || source.kind !== undefined)) {
      const data = { input: value, known: listed(artifacts), ...problems.guess(value, artifacts) };
      problems.report("BLUEPRINT_INPUT_UNKNOWN", data, input);
    }
  }
}

/** Every process leaves a log, every agent what it said and did; other artifacts are declared. */
function artifactsOf(id: string, { spec }: StageDraft): string[] {
  if (spec.kind !== "command" && spec.kind !== "gate" && spec.kind !== "agent") return [];
  const own = spec.kind === "agent" ? [`${id}.transcript`] : [];
  return [`${id}.log`, ...own, ...spec.outputs.map(({ name }) => `${id}.${name}`)];
}
