/** How a run that rests goes on: with the answer to its open question, or without one where none is open. */
import { pawlError } from "../../base/errors.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import type { Fact } from "../../run/events.ts";
import type { Lane, RunState } from "../../run/state.ts";

export function openQuestion(state: RunState): Lane | null {
  if (state.status !== "waiting") return null;
  for (const lane of state.progress.lanes.values()) if (lane.status === "asking") return lane;
  return null;
}

/** Throws RUN_ANSWER_NEEDED and RUN_ANSWER_UNKNOWN; nothing has been written by then. */
export function answerFacts(
  state: RunState,
  options: { readonly answer?: string; readonly by: string },
): readonly Fact[] {
  const { answer, by } = options;
  const { run } = state.facts;
  const lane = openQuestion(state);
  if (lane === null || lane.question === null) {
    if (answer !== undefined) throw pawlError(RUN_ERRORS, "RUN_ANSWER_UNKNOWN", { run, answer, answers: [] });
    if (state.status === "paused") return [{ type: "run.resumed", after: "pause" }];
    return state.status === "waiting" ? [{ type: "run.resumed", after: "wait" }] : [];
  }
  const { answers, digest, why } = lane.question;
  if (answer === undefined) throw pawlError(RUN_ERRORS, "RUN_ANSWER_NEEDED", { run, stage: lane.path, why, answers });
  if (!answers.includes(answer)) throw pawlError(RUN_ERRORS, "RUN_ANSWER_UNKNOWN", { run, answer, answers });
  return [
    { type: "approval.answered", stage: lane.path, digest, answer, by },
    { type: "run.resumed", after: "wait" },
  ];
}
