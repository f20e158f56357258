/** One ExecutionPlan of the host: each call is ruled on by it, and each record of the log is kept by it before anything follows. */
import type { RunId } from "../../base/ids.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { HostLine, ProgramReport } from "../../ports/agents/model-program.ts";
import type { ExecutionRecord } from "../plans/execution-log.ts";
import { runPlan } from "../plans/run-plan.ts";
import type { HostTalk } from "./host-talk.ts";
import { type Surroundings, toolsFor } from "./run-task.ts";

type PlanStart = Extract<HostLine, { type: "plan" }>;

/** However it went, its end is an answer: which of the five it was, and the log. */
export async function runPlanTask(
  { task }: PlanStart,
  talk: HostTalk,
  { env, signal }: Surroundings,
): Promise<ProgramReport> {
  const { session, plan, toolset, root } = task;
  talk.tell({ type: "session", session });
  const journal = talk.journal([]);
  const records: ExecutionRecord[] = [];
  const { status, stop, error, output, calls, durationMs } = await runPlan({
    ...{ plan, root, signal, tools: toolsFor(toolset, env) },
    policy: { decide: (call) => talk.decide(call) },
    ids: { request: session, session, assistant: String(plan["assistant_id"] ?? "") },
    log: {
      async append(record) {
        records.push(record);
        talk.tell({ type: "text", text: `${JSON.stringify(record)}\n` });
        await journal.append(session as RunId, record as never, true);
      },
    },
  });
  const answer: JsonObject = {
    ...{ outcome: status, stop, calls, duration_ms: durationMs, output },
    error: error === null ? null : { ...error },
    records: records as unknown as readonly JsonValue[] as JsonValue,
  };
  const text = error === null ? stop : `${stop}: ${error.message}`;
  return { outcome: { kind: "completed" }, text, output: answer, reported: { tokens: 0, microUsd: 0 } };
}
