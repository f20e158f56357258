/**
 * Taint: which stages read third-party text, and where it came from. Whoever wrote that text could tell a stage what to do,
 * so a stage that reads it writes nothing, reaches nobody, and hands on text of the same kind.
 *
 *   params.issue ──▶ triage ──▶ approve? ──▶ fix        a person saw it: fix is clean
 *                       └─────────────────▶ report      nobody did: report is tainted
 *
 * What a person approved is clean from then on, so text taints a stage when some way leads from its source to the stage
 * without a gate that a person passed.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { LeafSpec } from "../../blueprint/blueprint.ts";
import type { RunSpec } from "../checks.ts";
import { PLAN_ERRORS } from "../errors.ts";
import type { Routed } from "../routes.ts";
import {
  type Given,
  idOf,
  itemsOf,
  LAST_ERROR,
  type Leaf,
  placesIn,
  placesOf,
  type TaintInput,
  TREE,
  writes,
} from "./sources.ts";
import { type Graph, graphOf, MOST_SOURCES, type Trees, taintedTrees } from "./trees.ts";

export interface LeafTaint {
  /** Sources of what it reads. */
  readonly reads: readonly string[];
  /** What it leaves is third-party text. */
  readonly leaves: boolean;
}

export interface Taint {
  /** What this run is given that is third-party text. */
  readonly given: Given;
  readonly leaf: (spec: LeafSpec) => LeafTaint;
  readonly child: (spec: RunSpec) => Given;
  readonly problems: readonly Diagnostic[];
}

export function findTaint(rows: readonly Routed[], input: TaintInput): Taint {
  const graph = graphOf(rows, input);
  const { leaves } = graph;
  const trees = taintedTrees(graph, input);
  for (const leaf of leaves) readDirectly(leaf, graph, trees, input);
  handOn(graph);
  const bySpec = new Map(leaves.map((leaf) => [leaf.spec, leaf]));
  const of = (spec: LeafSpec): Leaf => bySpec.get(spec) as Leaf;
  const carriers = new Set(leaves.filter((leaf) => carried(leaf).size > 0).map(idOf));
  return {
    given: graph.given,
    leaf: (spec) => ({ reads: [...of(spec).reads.keys()], leaves: carried(of(spec)).size > 0 }),
    child: (spec) => givenTo(of(spec), spec, graph, carriers, trees),
    problems: leaves.flatMap((leaf) => problemsOf(leaf, input)),
  };
}

/** What a child is given that is third-party text. */
function givenTo(
  leaf: Leaf,
  spec: RunSpec,
  { ways, given, early }: Graph,
  carriers: ReadonlySet<string>,
  trees: Trees,
): Given {
  const id = idOf(leaf);
  const isTainted = (place: string): boolean =>
    given.includes(place)
      ? early.has(id)
      : (place === LAST_ERROR ? [...carriers] : [place]).some(
          (from) => carriers.has(from) && reachedOf([leaf], ways.from(ways.next(from))).length > 0,
        );
  const params = spec.params.filter(([, value]) => placesIn([value], itemsOf(leaf)).some(isTainted));
  return [...params.map(([name]) => `params.${name}`), ...(trees.has(id) ? [TREE] : [])];
}

/** What a leaf reads without another stage in between. */
function readDirectly(leaf: Leaf, { given, early }: Graph, trees: Trees, { actions }: TaintInput): void {
  const { spec } = leaf;
  const places = early.has(idOf(leaf)) ? placesOf(leaf).filter((place) => given.includes(place)) : [];
  const tree = [...(trees.get(idOf(leaf)) ?? [])];
  // What a stage has put into the tree itself tells it nothing new.
  const files = spec.kind === "command" || spec.kind === "agent" ? tree.filter((source) => source !== leaf.path) : [];
  for (const source of [...places, ...files]) add(leaf.reads, source, null);
  const usesTree = spec.kind === "action" && actions.get(spec.action)?.usesTree === true;
  if (spec.kind === "gate" || spec.kind === "inspection" || usesTree)
    for (const source of tree) leaf.quotes.add(source);
}

/** From results to whoever reads them, until nothing changes. */
function handOn(graph: Graph): void {
  const readersOf = findReaders(graph);
  const changed = new Set(graph.leaves.filter((leaf) => carried(leaf).size > 0));
  for (const leaf of changed) {
    changed.delete(leaf);
    for (const reader of readersOf(idOf(leaf))) {
      const before = reader.reads.size;
      for (const source of carried(leaf)) add(reader.reads, source, leaf);
      if (reader.reads.size > before) changed.add(reader);
    }
  }
}

/** Who reads the results of a stage and can be entered after it. */
function findReaders({ leaves, ways }: Graph): (id: string) => readonly Leaf[] {
  const readers = new Map<string, Leaf[]>();
  for (const leaf of leaves)
    for (const place of new Set(placesOf(leaf))) readers.set(place, [...(readers.get(place) ?? []), leaf]);
  const found = new Map<string, readonly Leaf[]>();
  return (id) => {
    const named = [...(readers.get(id) ?? []), ...(readers.get(LAST_ERROR) ?? [])];
    if (named.length === 0) return [];
    const known = found.get(id) ?? reachedOf(named, ways.from(ways.next(id)));
    found.set(id, known);
    return known;
  };
}

/** The leaves that a walk comes to; it ends with the last of them. */
function reachedOf(leaves: readonly Leaf[], walk: Iterable<string>): readonly Leaf[] {
  const missing = new Set(leaves.map(idOf));
  for (const id of walk) {
    missing.delete(id);
    if (missing.size === 0) break;
  }
  return leaves.filter((leaf) => !missing.has(idOf(leaf)));
}

function add(sources: Map<string, Leaf | null>, source: string, from: Leaf | null): void {
  if (sources.size < MOST_SOURCES && !sources.has(source)) sources.set(source, from);
}

/** The sources of what it leaves: an answer of a person and the outcome of a child run are no text of others. */
function carried({ spec, path, isSource, reads, quotes }: Leaf): ReadonlySet<string> {
  const hasResults = spec.kind !== "approval" && spec.kind !== "run";
  return new Set([...(hasResults ? [...reads.keys(), ...quotes] : []), ...(isSource ? [path] : [])]);
}

function problemsOf(leaf: Leaf, { actions }: TaintInput): readonly Diagnostic[] {
  const { spec } = leaf;
  const [source] = leaf.reads.keys();
  if (source === undefined) return [];
  const data = { stage: spec.id, way: wayOf(leaf, source) };
  if (spec.kind === "action") {
    const signature = actions.get(spec.action);
    if (signature === undefined || !writes(signature)) return [];
    return [diagnose(PLAN_ERRORS, "PLAN_ACTION_TAINTED", { ...data, action: spec.action }, spec.where)];
  }
  if (spec.kind !== "command" && spec.kind !== "gate" && spec.kind !== "agent") return [];
  const wants = [
    ...(spec.sandbox === undefined || spec.sandbox === "read_only" ? [] : [`sandbox: ${spec.sandbox}`]),
    ...(spec.network === undefined || spec.network.length === 0 ? [] : ["network"]),
  ];
  return wants.map((word) => diagnose(PLAN_ERRORS, "PLAN_STAGE_TAINTED", { ...data, wants: word }, spec.where));
}

/** The source, who handed its text on, and the leaf. */
function wayOf(leaf: Leaf, source: string): string {
  const way = [leaf.path];
  let from = leaf.reads.get(source);
  while (from !== null && from !== undefined) {
    way.unshift(from.path);
    from = from.path === source ? null : from.reads.get(source);
  }
  return (way[0] === source ? way : [source, ...way]).join(" -> ");
}
