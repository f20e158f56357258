/** An agent that does what a script says: for demos, tests and reports of bugs. Everything it does happens behind the wall. */
import type { JsonValue } from "../../../base/json.ts";
import { addUsage, NO_USAGE, type Usage } from "../../../base/usage.ts";
import type {
  AgentBackend,
  AgentFailure,
  AgentHost,
  AgentOutcome,
  AgentReport,
  AgentTask,
} from "../../../ports/agents/agent-backend.ts";
import type { Executor } from "../../../ports/executor.ts";
import { createHands, HANDS, type Hands } from "./hands.ts";
import { type Memory, recall, remember } from "./memory.ts";
import { SCRIPTED } from "./signature.ts";
import { callOf, handOf, type Step } from "./steps.ts";

export interface ScriptedAgentOptions {
  readonly executor: Pick<Executor, "execute">;
  /** The program that runs its hands. */
  readonly nodeProgram: string;
}

const VERSION = "1";

export function createScriptedAgent({ executor, nodeProgram }: ScriptedAgentOptions): AgentBackend {
  return {
    ...SCRIPTED,
    probe: async () => ({ version: VERSION, program: null, tested: null, inRange: true, hint: null }),
    async run(task, host, signal) {
      const memory = await recall(task);
      await remember(task, memory);
      host.onEvent({ type: "session", session: memory.session });
      const hands = createHands();
      const request = {
        ...{ ...task.process, argv: [nodeProgram, "-e", HANDS], env: {}, capture: "none" as const },
        dialogue: hands.dialogue,
      };
      const ended = executor.execute(request, signal, () => undefined).finally(hands.over);
      const played = await play(task, memory, host, hands);
      hands.end();
      const process = await ended;
      const isCut = played.outcome === null || (played.outcome.kind === "completed" && process.cause !== "ok");
      const outcome = isCut ? cutOff(signal, process.error) : (played.outcome as AgentOutcome);
      if (outcome.kind !== "cancelled") {
        const isDeferred = outcome.kind === "deferred";
        await remember(task, { ...memory, step: isDeferred ? played.step : 0, ended: !isDeferred });
      }
      const { text, output, reported } = played;
      return { outcome, text, ...(output === undefined ? {} : { output }), session: memory.session, reported, process };
    },
  };
}

function cutOff(signal: AbortSignal, error = "its program ended"): AgentOutcome {
  return signal.aborted ? { kind: "cancelled" } : { kind: "failed", why: "lost", error };
}

interface Played extends Pick<AgentReport, "text" | "reported"> {
  readonly output?: JsonValue | undefined;
  /** null: its hands were gone before it had ended. */
  readonly outcome: AgentOutcome | null;
  /** The step that it stands at. */
  readonly step: number;
}

async function play(task: AgentTask, memory: Memory, host: AgentHost, hands: Hands): Promise<Played> {
  const { attempts, stops_when_denied: stops } = task.settings["script"] as unknown as Script;
  const steps = attempts[Math.min(memory.entry, attempts.length - 1)] ?? [];
  const said: Said = { text: "", output: undefined, reported: null };
  await hands.ready;
  for (let index = memory.step; index < steps.length; index += 1) {
    const step = steps[index] as Step;
    const id = `${memory.entry + 1}.${index + 1}`;
    const end = turnLimit(task, index) ?? (speak(step, said, host) ? null : await act(task, step, id, host, hands));
    if (end === "gone") return { ...said, outcome: null, step: index };
    if (end !== null && (end.kind !== "denied" || stops || "fail" in step))
      return { ...said, outcome: end, step: index };
  }
  return { ...said, outcome: { kind: "completed" }, step: steps.length };
}

function turnLimit({ maxTurns }: AgentTask, index: number): AgentOutcome | null {
  if (maxTurns === null || index < maxTurns) return null;
  return { kind: "budget", error: `max_turns is ${maxTurns}` };
}

interface Said {
  text: string;
  output: JsonValue | undefined;
  reported: Usage | null;
}

/** Whether the step only says something. */
function speak(step: Step, said: Said, { onEvent }: AgentHost): boolean {
  if ("say" in step) {
    said.text = step.say;
    onEvent({ type: "text", text: step.say });
  } else if ("usage" in step) {
    const usage = { tokens: step.usage.tokens, microUsd: step.usage.usd ?? 0 };
    said.reported = addUsage(said.reported ?? NO_USAGE, usage);
    onEvent({ type: "usage", usage });
  } else if ("retry" in step) onEvent({ type: "retry", attempt: 1, why: step.retry, delayMs: null });
  else if ("answer" in step) said.output = step.answer;
  else return false;
  return true;
}

interface Script {
  readonly stops_when_denied: boolean;
  readonly attempts: readonly (readonly Step[])[];
}

/** Asks, and does what it may. null: it goes on. */
async function act(
  task: AgentTask,
  step: Step,
  id: string,
  host: AgentHost,
  hands: Hands,
): Promise<AgentOutcome | "gone" | null> {
  if ("fail" in step) return failureOf(step.fail);
  const call = callOf(step, id, task.process.cwd);
  if (call !== null) {
    host.onEvent({ type: "tool_request", call });
    const ruling = await host.decide(call);
    if (ruling.answer === "defer") return { kind: "deferred", call };
    if (ruling.answer === "deny") {
      host.onEvent({ type: "tool_result", id, ok: false, summary: `denied: ${ruling.why}` });
      return { kind: "denied", error: `${call.tool}: ${ruling.why}` };
    }
  }
  const hand = handOf(step);
  const done = hand === null ? { ok: true, summary: "done" } : await hands.do(hand.does, hand.input);
  if (done === null) return "gone";
  host.onEvent({ type: "tool_result", id, ...done });
  if (done.ok || !("edit" in step)) return null;
  return { kind: "failed", why: "provider", error: `${step.edit.path}: ${done.summary}` };
}

function failureOf({ why, error = "the script says so" }: Extract<Step, { fail: object }>["fail"]): AgentOutcome {
  if (why === "budget" || why === "denied") return { kind: why, error };
  return { kind: "failed", why: why as AgentFailure, error };
}
