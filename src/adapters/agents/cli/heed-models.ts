/**
 * An agent whose calls get no answer is ended, and the gateway tells why: programs try again for as long as they live, some say
 * nothing of it, and some call it done.
 */
import type { AgentBackend, AgentOutcome, AgentReport } from "../../../ports/agents/agent-backend.ts";
import type { ModelRefusal } from "../../../ports/models/model-access.ts";
import { failureBy } from "./failure.ts";

export function heedModels(backend: AgentBackend): AgentBackend {
  const { callsModels } = backend.capabilities;
  return {
    ...backend,
    async run(task, host, signal) {
      const { door } = task;
      if (door === null) return backend.run(task, host, signal);
      const stop = new AbortController();
      let ended: ModelRefusal | null = null;
      // Who can do without a model is not ended for the want of one.
      if (callsModels)
        void door.hopeless.then((refusal) => {
          ended = refusal;
          stop.abort("stop");
        });
      const report = await backend.run(task, host, AbortSignal.any([signal, stop.signal]));
      const outcome = outcomeWith(report, {
        ended: signal.aborted ? null : ended,
        last: door.lastRefusal(),
        callsModels,
      });
      return { ...report, outcome };
    },
  };
}

interface Known {
  /** What it was ended for; null: it was not, or somebody else has ended it. */
  readonly ended: ModelRefusal | null;
  readonly last: ModelRefusal | null;
  readonly callsModels: boolean;
}

function outcomeWith({ outcome }: AgentReport, { ended, last, callsModels }: Known): AgentOutcome {
  switch (outcome.kind) {
    case "cancelled":
      return ended === null ? outcome : failureBy(ended.why, ended.error);
    case "failed":
      return last === null || last.why === "provider" ? outcome : failureBy(last.why, last.error);
    case "completed":
      // Nobody does anything without a single word of its model.
      return callsModels && last?.isAll === true ? failureBy(last.why, last.error) : outcome;
    default:
      // Some programs take every 402 for a budget of theirs.
      return outcome.kind === "budget" && last?.why === "billing" ? failureBy(last.why, last.error) : outcome;
  }
}
