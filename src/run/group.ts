/** How a group opens: a fan-out must know its items, and how many there are, before any member starts. */
import { resolve } from "../base/expression.ts";
import type { GroupStage } from "../plan/plan.ts";
import { lookUp } from "./effect/scope.ts";
import type { Fact } from "./events.ts";
import type { RunFacts } from "./state.ts";

export function openingFact(group: GroupStage, facts: RunFacts, visit: number): Fact {
  if (group.forEach === null) return { type: "group.opened", stage: group.id, visit, members: group.members.length };
  const resolved = resolve(group.forEach, (path) => lookUp(facts, null, path));
  const refused = (error: string): Fact => ({ type: "stage.refused", stage: group.id, visit, error });
  if (!resolved.ok) return refused(`\${${resolved.ref}} has no value`);
  if (!Array.isArray(resolved.value)) return refused("for_each is not a list");
  if (resolved.value.length > group.maxItems) {
    return refused(`for_each has ${resolved.value.length} items and max_items is ${group.maxItems}`);
  }
  return { type: "group.opened", stage: group.id, visit, members: resolved.value.length, items: resolved.value };
}
