/** What the laws read of a simulated life. */
import type { LeafStage, Plan } from "../../src/plan/plan.ts";
import type { EventOf, EventType } from "../../src/run/events.ts";
import { stageOf } from "../../src/run/plan-index.ts";
import type { Simulated } from "./simulate.ts";

export type Law = (run: Simulated) => string | null;

export function ofType<T extends EventType>(run: Simulated, type: T): EventOf<T>[] {
  return run.events.map((stored) => stored.event).filter((event): event is EventOf<T> => event.type === type);
}

export function leafAt(plan: Plan, path: string): LeafStage {
  const [, group = path, member] = /^([^.[]+)(?:\.(.+)|\[\d+\])?$/.exec(path) ?? [];
  const stage = stageOf(plan, group);
  if (stage.kind !== "group") return stage;
  return (stage.members.find((leaf) => leaf.id === member) ?? stage.members[0]) as LeafStage;
}
