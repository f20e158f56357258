/** Watches a run for stagnation: says what each visit of a stage was, as far as its end tells. Part of `evolve`. */
import { sha256 } from "../../base/digest.ts";
import { canonical, isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { noteVisit, type Stagnation } from "../../limits/stagnation/stagnation.ts";
import type { StagnationLimits } from "../../limits/stagnation/thresholds.ts";
import type { Plan, PlanStage } from "../../plan/plan.ts";
import type { StageResult } from "../state.ts";
import { isMeasured, natureOf } from "./nature.ts";

/** How a visit of a stage ended. */
export interface VisitEnd {
  readonly good: boolean;
  readonly result: StageResult;
  /** What the visit before had ended with; undefined: it is the first. */
  readonly before: StageResult | undefined;
  /** Why it failed, where the result does not say. */
  readonly error?: string | undefined;
  /** The tree that it began with. */
  readonly from?: string | null | undefined;
}

export function watchVisit(plan: Plan, stagnation: Stagnation, stage: PlanStage, end: VisitEnd): void {
  // A run is watched only where its plan has limits for that.
  const limits = plan.limits.stagnation as StagnationLimits;
  const { good, result, before, error = result.error ?? "" } = end;
  noteVisit(stagnation, limits, {
    stage: stage.id,
    good,
    cause: result.cause,
    error,
    tree: madeBy(stage, end),
    ...natureOf(plan, stage),
    hasNews: before === undefined || hasNewResult(stage, result, before),
    isFresh: stage.kind === "approval" || (stage.kind === "action" && good && stage.effect !== "idempotent"),
    tests: isMeasured(stage) && stage.judge.by === "tests" ? testsOf(result.output) : null,
  });
}

/** Other commits may hold the same files. A gate makes nothing, and what it has put back is no work. */
function madeBy({ kind }: PlanStage, { result: { tree, content }, from }: VisitEnd): string | null {
  return kind === "gate" || tree === undefined || tree === from ? null : (content ?? tree);
}

/** What a stage hands on is its result: a text that it captures, and what it stores. */
function hasNewResult(stage: PlanStage, now: StageResult, before: StageResult): boolean {
  if (isMeasured(stage) || stage.kind === "inspection") return false;
  if (now.output === before.output && now.artifacts === before.artifacts) return false;
  return textOf(stage, now) !== textOf(stage, before);
}

/**
 * The same from memory as from the journal, which sorts the names. What is kept of a process besides what its author asked for,
 * such as its traffic with models, is never the same.
 */
function textOf(stage: PlanStage, { output = null, artifacts = {} }: StageResult): string {
  const names = "outputs" in stage ? stage.outputs.map(({ name }) => name) : Object.keys(artifacts);
  return canonical([output, names.map((name) => artifacts[name]?.sha256 ?? null)]);
}

/** The lists are sorted and the counts exact, however long the lists are. */
function testsOf(output: JsonValue | undefined): string | null {
  if (!isJsonObject(output) || output["by"] !== "tests") return null;
  const { counts, newFailures, vanished, oldFailures, flaky, fixed, added } = output as JsonObject;
  return sha256(canonical({ counts, newFailures, vanished, oldFailures, flaky, fixed, added } as JsonObject));
}
