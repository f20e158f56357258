/** What a person asked of a run, as facts. A request that the run's state has overtaken is no fact. */
import type { ControlRequest } from "../../ports/store/control.ts";
import type { Fact } from "../../run/events.ts";
import type { RunState } from "../../run/state.ts";

export function heed(state: RunState, request: ControlRequest): readonly Fact[] {
  const detail = `asked by ${request.by}`;
  if (state.status === "waiting" || state.status === "paused") {
    return request.kind === "cancel"
      ? [{ type: "run.finished", status: "cancelled", reason: "cancelled", detail }]
      : [];
  }
  if (state.status !== "running" || state.stopping !== null) return [];
  if (request.kind === "cancel") return [{ type: "run.stopping", reason: "cancelled", detail }];
  return state.pausing === null ? [{ type: "run.pausing", by: request.by }] : [];
}
