/** Ways that text can take: the routes of a run, without those on which a person looked at it. */
import type { Target } from "../plan.ts";
import { enteredBy, type Routed } from "../routes.ts";
import { changesTree, idOf, leavesOf, type TaintInput } from "./sources.ts";

export interface Ways {
  next(id: string): readonly string[];
  /** Each stage that a run may enter from these on, once, without a gate that a person passed in between. */
  from(ids: readonly string[]): Iterable<string>;
}

export function createWays(rows: readonly Routed[]): Ways {
  const table = new Map(rows.map((row) => [row.spec.id, live(row).flatMap(enteredBy)]));
  const next = (id: string): readonly string[] => table.get(id) as readonly string[];
  return {
    next,
    *from(ids) {
      const seen = new Set(ids);
      for (const id of seen) {
        yield id;
        // A set may grow while it is walked: what is added is walked too.
        for (const to of next(id)) seen.add(to);
      }
    },
  };
}

/** Where a stage leads with the text it was entered with: whoever passes an approval leaves it behind. */
function live({ spec, routes }: Routed): readonly Target[] {
  return Object.entries(routes)
    .filter(([outcome]) => !(spec.kind === "approval" && outcome === "pass"))
    .map(([, target]) => target);
}

/** Whether a run of these stages may be done with third-party text in its tree that it was not given. */
export function bringsTree(rows: readonly Routed[], input: Omit<TaintInput, "given">): boolean {
  const ways = createWays(rows);
  const ends = new Set(
    rows
      .filter((row) => live(row).some((target) => "end" in target && target.end === "done"))
      .map(({ spec }) => spec.id),
  );
  return rows
    .flatMap((row) => leavesOf(row, { ...input, given: [] }))
    .filter((leaf) => changesTree(leaf, input))
    .some((leaf) => [...ways.from([idOf(leaf)])].some((id) => ends.has(id)));
}
