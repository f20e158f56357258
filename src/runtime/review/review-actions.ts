/** The actions that retell a run: what they are called and leave. What they do is loaded with the first of them. */
import { isPawlError } from "../../base/errors.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { Action, ActionContext, ActionReport } from "../../ports/actions.ts";
import type { ReviewParts } from "./review.ts";

type Tell = "summarizeRun" | "prepareBundle";

export function createReviewActions(parts: ReviewParts): readonly Action[] {
  return [
    retelling(
      "summarize_run",
      "Stores how the run stands, as the artifacts `summary` (Markdown) and `data` (JSON), and returns its figures.",
      (context) => tell("summarizeRun", parts, context),
    ),
    retelling(
      "prepare_review_bundle",
      "Stores all that a reviewer needs as the artifact `bundle` (a tar archive): change, summary, evidence of the gates, certificate so far.",
      (context) => tell("prepareBundle", parts, context),
    ),
  ];
}

/** It reads the journal and the trees of the run, and changes nothing. */
function retelling(name: string, summary: string, work: (context: ActionContext) => Promise<ActionReport>): Action {
  return {
    ...{ name, summary, effect: "idempotent", cost: NO_USAGE, input: {}, usesTree: true, writes: false },
    ...{ retells: true, level: "L0" },
    async perform(_input, context) {
      if (context.signal.aborted) return { ok: false, error: "The action was not started: the run was ended." };
      try {
        return await work(context);
      } catch (error) {
        if (isPawlError(error)) return { ok: false, error: error.message };
        throw error;
      }
    },
  };
}

async function tell(what: Tell, parts: ReviewParts, context: ActionContext): Promise<ActionReport> {
  return (await import("./review.ts"))[what](parts, context);
}
