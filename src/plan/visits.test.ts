import { describe, expect, test } from "vitest";
import type { Target } from "./plan.ts";
import { type Node, worstVisits } from "./visits.ts";

/** Nodes from `id → ids it leads to`; `id:3` has a cap of three visits. */
function nodes(graph: Readonly<Record<string, readonly string[]>>): readonly Node[] {
  return Object.entries(graph).map(([key, targets]) => {
    const [id, cap] = key.split(":") as [string, string?];
    const routes = Object.fromEntries(targets.map((to, index): [string, Target] => [`o${index}`, { to, back: false }]));
    return { id, maxVisits: cap === undefined ? null : Number(cap), routes };
  });
}

function visitsOf(graph: Parameters<typeof nodes>[0], rounds: number | null = null) {
  return Object.fromEntries(worstVisits(nodes(graph), { rounds }).most);
}

describe("worstVisits", () => {
  test("visits a stage outside every cycle once, whatever its cap", () => {
    expect(visitsOf({ a: ["b", "c"], "b:7": ["d"], c: ["d"], d: [] }, 9)).toEqual({ a: 1, b: 1, c: 1, d: 1 });
  });

  test("treats a stage that leads to itself as a cycle", () => {
    expect(visitsOf({ "a:4": ["a", "b"], b: [] })).toEqual({ a: 4, b: 1 });
    expect(visitsOf({ a: ["a"] })).toEqual({ a: Number.POSITIVE_INFINITY });
  });

  test("lets the others of a cycle be visited once more than its caps allow", () => {
    expect(visitsOf({ a: ["b"], "b:2": ["c"], "c:3": ["a"] })).toEqual({ a: 6, b: 2, c: 3 });
  });

  test("takes the least of cap, rounds and shared caps", () => {
    expect(visitsOf({ a: ["b"], "b:9": ["a"] }, 4)).toEqual({ a: 4, b: 4 });
    expect(visitsOf({ "a:9": ["b"], "b:2": ["a"] })).toEqual({ a: 9, b: 2 });
  });

  test("finds cycles apart, crossing and nested", () => {
    const { parts, uncapped } = worstVisits(
      nodes({ a: ["b"], b: ["a", "c"], c: ["d", "e"], "d:2": ["c"], e: ["f"], f: ["g"], g: ["e", "f"] }),
      { rounds: null },
    );
    expect(parts.map((part) => part.map((node) => node.id).sort())).toEqual([
      ["e", "f", "g"],
      ["c", "d"],
      ["a", "b"],
    ]);
    expect(uncapped).toEqual([
      ["e", "f", "g"],
      ["a", "b"],
    ]);
  });

  test("names the shortest cycle through the earliest stage that no cap covers", () => {
    const { uncapped } = worstVisits(nodes({ "z:1": ["a"], a: ["b", "c"], b: ["c"], c: ["d"], d: ["a", "z"] }), {
      rounds: null,
    });
    expect(uncapped).toEqual([["a", "c", "d"]]);
  });
});
