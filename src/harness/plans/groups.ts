/** Steps that run side by side: neighbours of the same group. The others run alone, in their order. */
import type { PlanStep } from "./reading/execution-plan.ts";

export function inGroups(steps: readonly PlanStep[]): readonly (readonly PlanStep[])[] {
  const groups: PlanStep[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last !== undefined && step.group !== null && last[0]?.group === step.group) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

/** At most `width` at once; what they give is in the order of the items, whichever ends first. */
export async function sideBySide<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const given: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) given[at] = await work(items[at] as T);
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(1, width), items.length) }, lane));
  return given;
}
