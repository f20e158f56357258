/**
 * A talk with an agent from its first word to its last. Only a last word of the agent ends it well: when its process ends before
 * that, or says what is no word, it is lost. Nothing of it is left when the talk is over.
 */
import type { JsonObject } from "../../../base/json.ts";
import type { AgentOutcome } from "../../../ports/agents/agent-backend.ts";
import type { Executor, ProcessReport, ProcessRequest } from "../../../ports/executor.ts";
import { lost } from "./failure.ts";
import { createJsonLines } from "./json-lines.ts";

export interface Line {
  /** One message; after the end of the process it does nothing. */
  send(message: JsonObject): void;
}

/** Our side of the talk. */
export interface Speaker {
  /** The agent has begun to listen. Resolves to how the talk has ended; rejects when it cannot be gone on with. */
  speak(line: Line): Promise<AgentOutcome>;
  /** What the agent says. Must not throw. */
  hear(message: JsonObject): void;
  /** Somebody wants it to end: the agent is asked to. */
  cancel(): void;
}

export interface Talked {
  readonly outcome: AgentOutcome;
  readonly process: ProcessReport;
}

/** After it was asked to stop, before it is made to. */
const CANCEL_MS = 400;
/** After its last word, before it is made to leave. */
const LEAVE_MS = 1500;

export async function converse(
  executor: Executor,
  request: ProcessRequest,
  speaker: Speaker,
  signal: AbortSignal,
): Promise<Talked> {
  const stop = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const stopAfter = (ms: number, reason: unknown): void => {
    timers.push(setTimeout(() => stop.abort(reason), ms));
  };
  let say: (outcome: AgentOutcome) => void = () => undefined;
  const lastWord = new Promise<AgentOutcome>((resolve) => {
    say = resolve;
  });
  const lines = createJsonLines((message) => speaker.hear(message));
  const onAbort = (): void => {
    if (signal.reason === "kill") stop.abort("kill");
    else {
      speaker.cancel();
      stopAfter(CANCEL_MS, signal.reason);
    }
    say({ kind: "cancelled" });
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const running = executor.execute(
    {
      ...request,
      dialogue: {
        begin: (input) => {
          const line: Line = {
            send: (message) => void input.send(`${JSON.stringify(message)}\n`).catch(() => undefined),
          };
          void speakTo(speaker, line).then((outcome) => {
            say(outcome);
            input.end();
          });
        },
        onOutput: (chunk) => {
          if (!lines.push(chunk)) say(lost("it said a line that is longer than any message"));
        },
      },
    },
    stop.signal,
    () => undefined,
  );
  try {
    const outcome = await Promise.race([lastWord, running.then(() => null)]);
    if (outcome !== null && outcome.kind !== "cancelled") stopAfter(LEAVE_MS, undefined);
    const process = await running;
    return { outcome: outcome ?? (signal.aborted ? { kind: "cancelled" } : lostWith(process)), process };
  } finally {
    signal.removeEventListener("abort", onAbort);
    for (const timer of timers) clearTimeout(timer);
  }
}

function speakTo(speaker: Speaker, line: Line): Promise<AgentOutcome> {
  return speaker.speak(line).catch((error: unknown) => lost(error instanceof Error ? error.message : String(error)));
}

function lostWith({ error }: ProcessReport): AgentOutcome {
  return lost(error ?? "it ended without a last word");
}
