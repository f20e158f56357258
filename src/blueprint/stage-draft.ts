/** A stage as far as it could be read, with the places that later checks point at. */
import type { StageSpec } from "./blueprint.ts";
import type { KindName } from "./fields.ts";
import type { Problems } from "./problems.ts";
import type { LocatedReference } from "./shapes/shape.ts";
import type { Range } from "./text/source.ts";

export interface StageReference extends LocatedReference {
  /** Whether `${item}` and `${index}` exist here. */
  readonly hasItem: boolean;
}

export interface Located<T> extends Range {
  readonly value: T;
}

export interface StageDraft extends Range {
  readonly spec: StageSpec;
  /** Undefined when the verb is missing or unknown. */
  readonly kind: KindName | undefined;
  /** As written, even when it is not a valid id. */
  readonly id: string | undefined;
  readonly references: readonly StageReference[];
  /** In the order written. */
  readonly routes: readonly Located<{ readonly outcome: string; readonly target: string }>[];
  /** What is entered instead, where the level does not reach it. */
  readonly below: Located<string> | undefined;
  /** Inputs of the stage, or of each member of a group. */
  readonly inputs: readonly (readonly Located<string>[])[];
}

/** The stages by id; an id that is taken already is reported. */
export function indexStages(stages: readonly StageDraft[], problems: Problems): ReadonlyMap<string, StageDraft> {
  const byId = new Map<string, StageDraft>();
  for (const stage of stages) {
    if (stage.id === undefined) continue;
    const twin = byId.get(stage.id);
    if (twin === undefined) byId.set(stage.id, stage);
    else problems.report("BLUEPRINT_STAGE_DUPLICATE", { id: stage.id, line: problems.source.span(twin).line }, stage);
  }
  return byId;
}
