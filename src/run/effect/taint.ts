/**
 * Third-party text while a run is under way: where it is now, and whether the plan knew of whoever reads it. The plan was
 * made from every way a run can take; this follows the one that it takes.
 */
import type { JsonValue } from "../../base/json.ts";
import { stripHidden } from "../../base/text/strip-hidden.ts";
import type { LeafStage, Plan } from "../../plan/plan.ts";
import { leafExpressions } from "../../plan/routes.ts";
import { LAST_ERROR, placesIn, stageOfInput, TREE } from "../../plan/taint/sources.ts";
import { childOf, stageOf } from "../plan-index.ts";
import type { Lane, Progress, RunFacts, StageResult } from "../state.ts";

/** A leaf has ended: what it left is third-party text or not, and what a person approved is not any more. */
export function noteTaint({ tainted }: RunFacts, { group }: Progress, { path, leaf }: Lane, result: StageResult): void {
  if (leaf.kind === "approval" && group === null && result.outcome === "pass") tainted.clear();
  if (leaf.untrusted !== true) return;
  tainted.add(group?.stage ?? path);
  const isOpen = "wall" in leaf && leaf.wall.sandbox === "danger_full_access";
  // The workspace of a member is its own, and what a gate leaves in a tree is thrown away.
  const changesTree = group === null && leaf.kind !== "gate" && result.tree !== undefined;
  if (isOpen || changesTree) tainted.add(`${TREE}/${nameOf(leaf, group)}`);
}

function nameOf({ id }: LeafStage, group: Progress["group"]): string {
  return group === null ? id : `${group.stage}.${id}`;
}

/** Third-party text in the tree: what the run was given with it, and what stages have put there. */
function inTree({ tainted }: RunFacts): readonly string[] {
  return [...tainted].filter((place) => place === TREE || place.startsWith(`${TREE}/`));
}

/** Why the leaf may not start, or null. */
export function taintProblem(plan: Plan, facts: RunFacts, progress: Progress, leaf: LeafStage): string | null {
  if (facts.tainted.size === 0 && leaf.taint === undefined) return null;
  const read = readBy(plan, facts, progress, leaf);
  if (read.length > 0 && leaf.taint === undefined)
    return `it reads third-party text from ${read.join(", ")}, and its plan does not say so`;
  if (leaf.kind === "run") return childProblem(plan, facts, progress, leaf);
  if (leaf.taint === undefined) return null;
  const from = `it reads third-party text from ${leaf.taint.join(", ")}`;
  if ("wall" in leaf && (leaf.wall.sandbox !== "read_only" || leaf.wall.network.length > 0))
    return `${from}, and its wall lets it write or reach out`;
  if (leaf.kind === "action" && leaf.effect !== "idempotent")
    return `${from}, and it changes something outside the run`;
  return null;
}

/** The plan of a child must know of the third-party text that it is given. */
function childProblem(
  plan: Plan,
  facts: RunFacts,
  progress: Progress,
  leaf: Extract<LeafStage, { kind: "run" }>,
): string | null {
  const { untrusted = [], workspace } = childOf(plan, leaf.plan);
  const items = itemsOf(plan, progress);
  const given = leaf.params
    .filter(([, value]) => placesIn([value], items).some((place) => holds(facts, place)))
    .map(([name]) => `params.${name}`);
  const tree = workspace !== null && inTree(facts).length > 0 ? [TREE] : [];
  const unknown = [...given, ...tree].filter((place) => !untrusted.includes(place));
  return unknown.length === 0
    ? null
    : `the plan of its child does not know that ${unknown.join(", ")} is third-party text`;
}

/** Places with third-party text that the leaf reads from. Only a program is led by the files that it works on. */
function readBy(plan: Plan, facts: RunFacts, progress: Progress, leaf: LeafStage): readonly string[] {
  const places = [...placesIn(leafExpressions(leaf), itemsOf(plan, progress)), ...leaf.inputs.map(stageOfInput)];
  const own = `${TREE}/${nameOf(leaf, progress.group)}`;
  const files = leaf.kind === "command" || leaf.kind === "agent" ? inTree(facts).filter((place) => place !== own) : [];
  return [...places.filter((place) => holds(facts, place)), ...files];
}

function itemsOf(plan: Plan, { group }: Progress): readonly string[] {
  const stage = group === null ? null : stageOf(plan, group.stage);
  return stage?.kind === "group" && stage.forEach !== null ? placesIn([stage.forEach], []) : [];
}

/** Whether the value of a reference is third-party text to the leaf. Items are, whatever list they come from. */
export function isForeign(facts: RunFacts, { taint }: LeafStage, path: readonly string[]): boolean {
  if (taint === undefined) return false;
  return placesIn([{ ref: path }], [TREE]).some((place) => place === TREE || holds(facts, place));
}

/** The latest failure may quote whatever stage has left third-party text. */
function holds({ tainted }: RunFacts, place: string): boolean {
  if (place !== LAST_ERROR) return tainted.has(place);
  return [...tainted].some((each) => !each.startsWith("params.") && !each.startsWith(TREE));
}

export function foreignInputs({ tainted }: RunFacts, { taint, inputs }: LeafStage): readonly string[] {
  return taint === undefined ? [] : inputs.filter((name) => tainted.has(stageOfInput(name)));
}

/** A value without hidden characters, in its names too, and how many there were. */
export function stripValue(value: JsonValue): { readonly kept: JsonValue; readonly count: number } {
  if (typeof value === "string") return stripHidden(value);
  if (typeof value !== "object" || value === null) return { kept: value, count: 0 };
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => stripValue(item));
    return { kept: items.map(({ kept }) => kept), count: sum(items) };
  }
  const members = Object.entries(value).map(([name, member]) => {
    const key = stripHidden(name);
    const inner = stripValue(member as JsonValue);
    return { entry: [key.kept, inner.kept] as const, count: key.count + inner.count };
  });
  return { kept: Object.fromEntries(members.map(({ entry }) => entry)), count: sum(members) };
}

function sum(parts: readonly { readonly count: number }[]): number {
  return parts.reduce((total, { count }) => total + count, 0);
}
