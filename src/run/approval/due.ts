/** Questions whose time has come: people are reminded once, and what nobody answered is closed. */
import type { Fact } from "../events.ts";
import type { Lane, Progress, Question, RunState } from "../state.ts";

export interface OpenLane extends Lane {
  readonly question: Question;
}

/** The lanes that ask, in the order of the plan. */
export function openLanes({ lanes }: Pick<Progress, "lanes">): readonly OpenLane[] {
  return [...lanes.values()].filter((lane): lane is OpenLane => lane.question !== null);
}

/** Everything that is due now. A question that is over reminds nobody. */
export function dueFacts(state: RunState, now: number): readonly Fact[] {
  if (state.status !== "waiting" && state.status !== "running") return [];
  return openLanes(state.progress).flatMap((lane) => dueFact(lane, now) ?? []);
}

export function dueFact({ path: stage, question }: OpenLane, now: number): Fact | null {
  const { id, digest, expiresAt, remindAt } = question;
  if (expiresAt !== null && now >= expiresAt) return { type: "approval.expired", stage, id, digest };
  return remindAt !== null && now >= remindAt ? { type: "approval.reminded", stage, id, digest } : null;
}

/** When something will be due next. */
export function dueTimes(lanes: readonly OpenLane[]): readonly number[] {
  const times = lanes.flatMap(({ question: { expiresAt, remindAt } }) => [expiresAt, remindAt]);
  return times.filter((time) => time !== null);
}
