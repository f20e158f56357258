/** Where third-party text comes from, and from where a leaf reads: of one stage at a time. */
import { type Expression, references } from "../../base/expression.ts";
import type { Blueprint, LeafSpec } from "../../blueprint/blueprint.ts";
import { wallIn } from "../agents/agent-wall.ts";
import { namesIn } from "../agents/check-agent.ts";
import type { RunSpec } from "../checks.ts";
import type { ActionSignature } from "../plan.ts";
import { leafExpressions, type Routed } from "../routes.ts";

/** The tree of the run, among the places that text is read from; the others are `params.name` and ids of stages. */
export const TREE = "run.tree";
/** The latest failure, which may quote whatever stage has failed. */
export const LAST_ERROR = "run.last_error";

/** What a run is given that is third-party text, as places. */
export type Given = readonly string[];

export interface TaintInput {
  readonly blueprint: Blueprint;
  readonly actions: ReadonlyMap<string, ActionSignature>;
  /** By the run that starts this one. */
  readonly given: Given;
  /** Whether the child leaves third-party text in the tree. */
  readonly child: (spec: RunSpec) => boolean;
}

export interface Leaf {
  readonly spec: LeafSpec;
  readonly path: string;
  readonly row: Routed;
  readonly isSource: boolean;
  /** It retells what stages before it have said. */
  readonly retells: boolean;
  /** Source → the leaf that handed it on; null: it is read from the source itself. */
  readonly reads: Map<string, Leaf | null>;
  /** What only its results carry: a gate is not led by the tree that it judges, but its log may quote it. */
  readonly quotes: Set<string>;
}

/** Whether the action changes something outside the run, or its tree. */
export function writes({ effect, usesTree, writes: said }: ActionSignature): boolean {
  return said ?? (effect !== "idempotent" || usesTree === true);
}

/** Places that the values of a leaf come from; `items`: where the items of its group do. */
export function placesIn(expressions: readonly Expression[], items: readonly string[]): readonly string[] {
  return expressions.flatMap(references).flatMap(([root, name = "", field]) => {
    if (root === "item") return items;
    if (root === "params") return [`params.${name}`];
    if (root === "run") return name === "last_error" ? [LAST_ERROR] : [];
    // How a stage ended is a word of ours or a number, never text of its own.
    return root === "stages" && field === "output" ? [name] : [];
  });
}

export function stageOfInput(name: string): string {
  return name.slice(0, name.indexOf("."));
}

export function leavesOf(row: Routed, input: TaintInput): readonly Leaf[] {
  const { spec } = row;
  const leafOf = (leaf: LeafSpec, path: string): Leaf => {
    const retells = leaf.kind === "action" && input.actions.get(leaf.action)?.retells === true;
    return { spec: leaf, path, row, isSource: isSource(leaf, input), retells, reads: new Map(), quotes: new Set() };
  };
  if (spec.kind !== "group") return [leafOf(spec, spec.id)];
  return spec.members.map((member) => leafOf(member, `${spec.id}.${member.id}`));
}

/** What the author says wins; else whoever reaches the network reads what others wrote. */
function isSource(spec: LeafSpec, { blueprint, actions, child }: TaintInput): boolean {
  if (spec.untrusted !== undefined) return spec.untrusted;
  switch (spec.kind) {
    case "approval":
    case "inspection":
      return false;
    case "action":
      return actions.get(spec.action)?.untrusted === true;
    case "run":
      return child(spec);
    case "agent":
      // What an MCP server says is text of others.
      if (namesIn(spec.agent.with)?.includes("mcp") === true) return true;
      return wallIn(spec, blueprint).network.length > 0;
    default:
      return wallIn(spec, blueprint).network.length > 0;
  }
}

/** Whether what the source leaves can be in the tree of the run. What a member leaves in its own workspace is not. */
export function changesTree(
  { spec, row, isSource: is }: Leaf,
  { blueprint, actions }: Omit<TaintInput, "given">,
): boolean {
  if (!is) return false;
  const isMember = row.spec.kind === "group";
  switch (spec.kind) {
    case "action": {
      const signature = actions.get(spec.action);
      return !isMember && signature?.usesTree === true && writes(signature);
    }
    case "command":
    case "agent":
    case "gate": {
      const { sandbox } = wallIn(spec, blueprint);
      if (sandbox === "danger_full_access") return true;
      return spec.kind !== "gate" && !isMember && sandbox !== "read_only";
    }
    default:
      return !isMember;
  }
}

export function idOf({ row }: Leaf): string {
  return row.spec.id;
}

export function placesOf(leaf: Leaf): readonly string[] {
  const { spec, retells } = leaf;
  return [
    ...placesIn(leafExpressions(spec), itemsOf(leaf)),
    ...spec.inputs.map(({ name }) => stageOfInput(name)),
    ...(retells ? [LAST_ERROR] : []),
  ];
}

export function itemsOf({ row: { spec } }: Leaf): readonly string[] {
  return spec.kind === "group" && spec.forEach !== undefined ? placesIn([spec.forEach], []) : [];
}
