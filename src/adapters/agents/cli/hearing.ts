/** What is heard of an agent while it works: its words, its calls and how they went, and what was ruled on them. */
import { visibleLine } from "../../../base/visible.ts";
import type { AgentHost, AgentOutcome, AgentTask, Ruling, ToolCall } from "../../../ports/agents/agent-backend.ts";
import { lastOf } from "./recent.ts";

export interface Hearing {
  /** A piece of what it says. */
  say(text: string): void;
  /** What it said is a message of its own: what comes next is another one. */
  pause(): void;
  /** It makes a call, asked for or not; told once. */
  announce(call: ToolCall): void;
  /** It wants to make a call. */
  ask(call: ToolCall): Promise<Ruling["answer"]>;
  ended(id: string, ok: boolean, summary: string): void;
  /** Its last message. */
  text(): string;
  /** Why it must stop now, as far as we know; null: it may go on. */
  verdict(): AgentOutcome | null;
  /** Resolves to the verdict when the agent has had its time to stop. */
  readonly over: Promise<AgentOutcome>;
  /** Why it was not allowed what it asked last; null: it was, or it has said or done something since. */
  denied(): string | null;
}

const LONGEST = 200;
/** An agent that is asked to stop and does not is not waited for. */
const STOP_MS = 1000;

/** `stop`: it must not go on. */
export function createHearing(task: AgentTask, host: AgentHost, stop: () => void): Hearing {
  const announced = new Set<string>();
  const finished = new Set<string>();
  let pieces = "";
  let last = "";
  let verdict: AgentOutcome | null = null;
  let denied: string | null = null;

  let tell: (outcome: AgentOutcome) => void = () => undefined;
  const over = new Promise<AgentOutcome>((resolve) => {
    tell = resolve;
  });
  const endWith = (outcome: AgentOutcome): void => {
    if (verdict !== null) return;
    verdict = outcome;
    stop();
    setTimeout(() => tell(outcome), STOP_MS).unref();
  };
  const pause = (): void => {
    if (pieces === "") return;
    last = pieces;
    pieces = "";
    denied = null;
    host.onEvent({ type: "text", text: last });
  };
  const announce = (call: ToolCall): void => {
    if (announced.has(call.id)) return;
    pause();
    announced.add(call.id);
    denied = null;
    host.onEvent({ type: "tool_request", call });
    if (task.maxTurns !== null && announced.size > task.maxTurns)
      endWith({ kind: "budget", error: `it made more than ${task.maxTurns} turns` });
  };
  const rule = async (call: ToolCall): Promise<Ruling> => {
    if (verdict !== null) return { answer: "deny", why: "it is being ended" };
    return host.decide(call);
  };

  return {
    say: (text) => {
      pieces = lastOf(pieces + text);
    },
    pause,
    announce,
    ask: async (call) => {
      announce(call);
      const ruling = await rule(call);
      if (ruling.answer === "deny") denied = visibleLine(ruling.why, LONGEST);
      if (ruling.answer === "defer") endWith({ kind: "deferred", call });
      // Something else may have ended it meanwhile.
      return ruling.answer === "allow" && verdict !== null ? "deny" : ruling.answer;
    },
    ended: (id, ok, summary) => {
      if (finished.has(id)) return;
      finished.add(id);
      host.onEvent({ type: "tool_result", id, ok, summary: visibleLine(summary, LONGEST) });
    },
    text: () => (pieces === "" ? last : pieces),
    verdict: () => verdict,
    over,
    denied: () => denied,
  };
}
