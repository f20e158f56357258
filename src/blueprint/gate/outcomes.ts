/** Every outcome a stage can have, the good one first; those of an agent in the order written. */
import type { AgentSpec, Judge, StageSpec } from "../blueprint.ts";

/** As much of a stage as its outcomes depend on; the stages of a blueprint and of a plan have it. */
export interface Outcomes {
  readonly kind: StageSpec["kind"];
  readonly judge?: Judge;
  readonly agent?: Pick<AgentSpec, "outcomes">;
}

/** What tests there were cannot always be told, so that a person must look. */
function escalates(judge: Judge | undefined): boolean {
  return judge?.by === "tests" || (judge?.by === "exit" && judge.escalateExits.length > 0);
}

export function outcomesOf(stage: Outcomes): readonly string[] {
  switch (stage.kind) {
    case "gate": {
      return escalates(stage.judge) ? ["pass", "fail", "escalate"] : ["pass", "fail"];
    }
    case "inspection":
      return ["pass", "fail", "escalate", "empty"];
    case "approval":
      return ["pass", "fail"];
    case "agent": {
      const { outcomes } = stage.agent as Pick<AgentSpec, "outcomes">;
      return outcomes.length === 0 ? ["success", "failure"] : [...outcomes, "failure"];
    }
    default:
      return ["success", "failure"];
  }
}

/** Leads to the next stage unless a route says otherwise. */
export function isGoodOutcome(outcome: string): boolean {
  return outcome === "success" || outcome === "pass" || outcome === "accept";
}
