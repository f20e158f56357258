/**
 * An agent in memory. What it does in an attempt is a list of steps, made while it works; what it changes, hands do for it. It asks before
 * everything, keeps its session, and ends when it is told to.
 */
import type { JsonValue } from "../../src/base/json.ts";
import type { AgentSignature } from "../../src/plan/agents/agent-signature.ts";
import type {
  AgentBackend,
  AgentHost,
  AgentOutcome,
  AgentReport,
  AgentTask,
  Ruling,
} from "../../src/ports/agents/agent-backend.ts";

const ALL = "mediated";

export const SIM_AGENT: AgentSignature = {
  name: "sim",
  capabilities: {
    oversight: { read: ALL, edit: ALL, run: ALL, fetch: ALL, mcp: ALL, tool: ALL },
    ...{ resume: true, defer: true, structuredOutput: true, reportsUsage: true, callsModels: true },
  },
};

export type SimStep =
  | { readonly say: string }
  /** One call to a model. */
  | { readonly spend: true }
  /** `id`: of the call. */
  | { readonly edit: string; readonly id: string }
  /** Takes its time, and ends early when the agent must. */
  | { readonly work: true }
  | { readonly answer: JsonValue }
  | { readonly end: AgentOutcome };

export interface SimHands {
  spend(task: AgentTask): Promise<void>;
  edit(task: AgentTask, path: string): void;
  /** False: it was ended. */
  work(task: AgentTask, signal: AbortSignal): Promise<boolean>;
  /** Before each step, and between a ruling and what it allows: the host may die here. */
  pause(): Promise<void>;
  /** Of each call, how it was ruled on. */
  ruled(task: AgentTask, path: string, answer: Ruling["answer"]): void;
}

/** `stepsOf`: taken one at a time, so that each may depend on what has happened. Without an end it completes. */
export function createSimAgent(stepsOf: (task: AgentTask) => Iterable<SimStep>, hands: SimHands): AgentBackend {
  return {
    ...SIM_AGENT,
    probe: async () => ({ version: "1", program: null, tested: null, inRange: true, hint: null }),
    run: (task, host, signal) => live(stepsOf, hands, { task, host, signal }),
  };
}

interface Life {
  readonly task: AgentTask;
  readonly host: AgentHost;
  readonly signal: AbortSignal;
}

const CANCELLED: AgentOutcome = { kind: "cancelled" };

async function live(
  stepsOf: (task: AgentTask) => Iterable<SimStep>,
  hands: SimHands,
  life: Life,
): Promise<AgentReport> {
  const { task, host, signal } = life;
  const session = task.session ?? `${task.process.key}#${task.process.attempt}`;
  const report = (outcome: AgentOutcome): AgentReport => ({ outcome, text, session, reported: null, ...answer });
  let text = "";
  let answer: Pick<AgentReport, "output"> = {};
  if (!signal.aborted) host.onEvent({ type: "session", session });
  for (const step of stepsOf(task)) {
    if (signal.aborted) return report(CANCELLED);
    if ("end" in step) return report(step.end);
    if ("answer" in step) answer = { output: step.answer };
    if ("say" in step) {
      text = step.say;
      host.onEvent({ type: "text", text });
    }
    const ended = await perform(step, hands, life);
    if (ended !== null) return report(ended);
  }
  return report({ kind: "completed" });
}

/** null: it goes on. */
async function perform(step: SimStep, hands: SimHands, { task, host, signal }: Life): Promise<AgentOutcome | null> {
  if ("work" in step) return (await hands.work(task, signal)) ? null : CANCELLED;
  if ("spend" in step) {
    await hands.pause();
    await hands.spend(task);
  }
  if (!("edit" in step)) return null;
  const { edit: path, id } = step;
  const call = { id, tool: "edit", input: { path }, requests: [{ kind: "edit" as const, path }] };
  host.onEvent({ type: "tool_request", call });
  const { answer } = await host.decide(call);
  hands.ruled(task, path, answer);
  if (answer === "defer") return { kind: "deferred", call };
  await hands.pause();
  if (answer === "allow") hands.edit(task, path);
  host.onEvent({ type: "tool_result", id, ok: answer === "allow", summary: path });
  return null;
}
