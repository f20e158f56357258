/** A blueprint of OpenExec, either form → the same stages, or every problem with its place. */
import type { Result } from "../../../base/result.ts";
import { parseText } from "../../parse-text.ts";
import type { Problems } from "../../problems.ts";
import type { Given, Reading } from "../../shapes/shape.ts";
import type { Range } from "../../text/source.ts";
import { keysOf, type Tree } from "../../text/tree.ts";
import {
  BLUEPRINT,
  type BlueprintFound,
  type StageFound,
  type StageGiven,
  type StagesGiven,
} from "./blueprint-fields.ts";
import { type ExecStage, type ExecSurroundings, isTerminal, stageOf } from "./exec-stage.ts";

export interface ExecBlueprint {
  readonly name: string;
  readonly description: string | null;
  readonly toolset: string | null;
  readonly sandbox: string | null;
  /** The first is where it begins. */
  readonly stages: readonly ExecStage[];
}

/** A clear sign of the form: stages that have a type, which no native stage has, or a stage to begin with. */
export function isExecBlueprint(tree: Tree): boolean {
  if (tree.kind !== "map") return false;
  const stages = tree.entries.find(({ key }) => key === "stages")?.value;
  if (stages === undefined) return false;
  const found =
    stages.kind === "map" ? stages.entries.map(({ value }) => value) : stages.kind === "list" ? stages.items : [];
  return keysOf(tree).includes("initial_stage") || found.some((stage) => keysOf(stage).includes("type"));
}

/** Its id or its name; null: it has neither. */
export function execNameIn(tree: Tree): string | null {
  if (tree.kind !== "map") return null;
  for (const wanted of ["id", "name"]) {
    const found = tree.entries.find(({ key }) => key === wanted)?.value;
    if (found?.kind === "scalar" && typeof found.value === "string") return found.value;
  }
  return null;
}

export function parseExecBlueprint(text: string, file: string, around: ExecSurroundings): Result<ExecBlueprint> {
  return parseText(text, file, (tree, reading) => {
    const found = BLUEPRINT.read(tree, reading, "the blueprint");
    const given = found?.stages?.value;
    if (found === undefined || given === undefined) return undefined;
    return blueprintOf(found, given, tree, { reading, around });
  });
}

interface Parsing {
  readonly reading: Reading;
  readonly around: ExecSurroundings;
}

function blueprintOf(
  found: BlueprintFound,
  given: StagesGiven,
  tree: Tree,
  { reading, around }: Parsing,
): ExecBlueprint {
  const { problems } = reading;
  const { defaults } = found;
  const mode = defaults?.value.approval_mode;
  checkWhole(found, given, tree, problems);
  const ids = idsOf(given.stages, problems);
  const parts = {
    ...{
      ...around,
      problems,
      isMap: given.isMap,
      ids: ids.map(({ id }) => id),
      alwaysAsks: mode?.value === "always_ask",
    },
    ...{ retries: defaults?.value.max_step_retries?.value ?? 0, toolset: defaults?.value.toolset?.value ?? null },
  };
  const stages = ids.map(({ id, found: stage }, at) => stageOf(id, stage, ids[at + 1]?.id, parts));
  checkArtifacts(stages, ids, problems);
  return {
    name: (found.id ?? found.name)?.value ?? "",
    description: found.description?.value ?? null,
    toolset: parts.toolset,
    sandbox: defaults?.value.sandbox?.value ?? null,
    stages: beginningWith(found.initial_stage, stages, problems),
  };
}

function checkWhole(found: BlueprintFound, { isMap, stages }: StagesGiven, tree: Tree, problems: Problems): void {
  const mode = found.defaults?.value.approval_mode;
  if (mode?.value === "auto_approve" || mode?.value === "session_trust") {
    const expected = "always_ask or risk_based: an answer is given by a person, for one thing";
    problems.report("BLUEPRINT_VALUE_INVALID", { field: "approval_mode", expected, found: mode.value }, mode.node);
  }
  if (isMap && !keysOf(tree).includes("initial_stage")) {
    const about = "The stage it begins with.";
    problems.report("BLUEPRINT_KEY_MISSING", { key: "initial_stage", place: "the blueprint", about }, top(tree));
  }
  if (stages.length === 0) {
    const data = { field: "stages", expected: "a stage", found: "none" };
    problems.report("BLUEPRINT_VALUE_INVALID", data, (found.stages as Given<StagesGiven>).node);
  }
}

function top({ start }: Range): Range {
  return { start, end: start + 1 };
}

interface Named {
  readonly id: string;
  readonly found: Given<StageFound>;
}

function idsOf(stages: readonly StageGiven[], problems: Problems): readonly Named[] {
  const lines = new Map<string, number>();
  return stages.flatMap(({ id, found }) => {
    const at = found.value.id?.node ?? top(found.node);
    if (id === null) {
      if (!keysOf(found.node).includes("id"))
        problems.report("BLUEPRINT_KEY_MISSING", { key: "id", place: "a stage", about: "The name of the stage." }, at);
      return [];
    }
    checkSame(id, found.value.id, problems);
    const twin = lines.get(id);
    if (isTerminal(id)) problems.report("BLUEPRINT_NAME_RESERVED", { name: id, reason: "a run ends there" }, found.key);
    else if (twin !== undefined) problems.report("BLUEPRINT_STAGE_DUPLICATE", { id, line: twin }, at);
    lines.set(id, problems.source.span(at).line);
    return [{ id, found }];
  });
}

/** In a map the key is the id. */
function checkSame(id: string, given: Given<string> | undefined, problems: Problems): void {
  if (given === undefined || given.value === id) return;
  const data = { field: "id", expected: JSON.stringify(id), found: JSON.stringify(given.value) };
  problems.report("BLUEPRINT_VALUE_INVALID", data, given.node);
}

/** What a stage takes must have been put out by a stage; what that is, its kind says. */
function checkArtifacts(stages: readonly ExecStage[], ids: readonly Named[], problems: Problems): void {
  const known = new Set(stages.flatMap(({ outputs }) => outputs));
  for (const { found } of ids) {
    for (const { value, node } of found.value.inputs?.value ?? []) {
      if (known.has(value)) continue;
      const expected = "an output of a stage";
      problems.report("BLUEPRINT_VALUE_INVALID", { field: "inputs", expected, found: JSON.stringify(value) }, node);
    }
  }
}

function beginningWith(
  initial: Given<string> | undefined,
  stages: readonly ExecStage[],
  problems: Problems,
): readonly ExecStage[] {
  if (initial === undefined) return stages;
  const first = stages.find(({ id }) => id === initial.value);
  if (first === undefined) {
    const ids = stages.map(({ id }) => id);
    const data = { target: initial.value, known: ids.join(", "), ...problems.guess(initial.value, ids) };
    problems.report("BLUEPRINT_ROUTE_TARGET_UNKNOWN", data, initial.node);
    return stages;
  }
  return [first, ...stages.filter((stage) => stage !== first)];
}
