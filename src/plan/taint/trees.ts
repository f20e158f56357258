/** Trees that hold third-party text: from the stage that brought it to whoever works in them. */
import type { Routed } from "../routes.ts";
import { changesTree, type Given, idOf, type Leaf, leavesOf, type TaintInput, TREE } from "./sources.ts";
import { createWays, type Ways } from "./ways.ts";

/** So many sources are named; whether there is one is always known. */
export const MOST_SOURCES = 16;

/** Stage → the sources of third-party text in the tree that it is entered with. */
export type Trees = ReadonlyMap<string, ReadonlySet<string>>;

/** The stages of a blueprint, as far as text can get in it. */
export interface Graph {
  readonly rows: readonly Routed[];
  readonly leaves: readonly Leaf[];
  readonly ways: Ways;
  readonly given: Given;
  readonly start: string;
  /** Stages that what the run is given can get to. */
  readonly early: ReadonlySet<string>;
}

export function graphOf(rows: readonly Routed[], input: TaintInput): Graph {
  const ways = createWays(rows);
  const declared = input.blueprint.params.filter(([, { untrusted }]) => untrusted === true);
  const given = [...new Set([...declared.map(([name]) => `params.${name}`), ...input.given])].sort();
  const start = rows.slice(0, 1).map(({ spec }) => spec.id);
  const leaves = rows.flatMap((row) => leavesOf(row, input));
  return { rows, leaves, ways, given, start: start.join(""), early: new Set(ways.from(start)) };
}

export function taintedTrees({ rows, leaves, ways, given, start }: Graph, input: TaintInput): Trees {
  const own = new Map<string, string[]>();
  for (const leaf of leaves.filter((each) => changesTree(each, input)))
    own.set(idOf(leaf), [...(own.get(idOf(leaf)) ?? []), leaf.path]);
  const trees = new Map<string, Set<string>>(given.includes(TREE) ? [[start, new Set([TREE])]] : []);
  const changed = new Set(rows.map(({ spec }) => spec.id));
  // What changes again while the set is walked is put at its end.
  for (const id of changed) {
    changed.delete(id);
    const sources = [...(trees.get(id) ?? []), ...(own.get(id) ?? [])];
    for (const to of ways.next(id)) if (widen(trees, to, sources)) changed.add(to);
  }
  return trees;
}

function widen(trees: Map<string, Set<string>>, id: string, sources: readonly string[]): boolean {
  const known = trees.get(id) ?? new Set();
  const before = known.size;
  for (const source of sources) if (known.size < MOST_SOURCES) known.add(source);
  if (known.size > 0) trees.set(id, known);
  return known.size > before;
}
