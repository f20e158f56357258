/** Hooks can say no before something happens; afterwards they are only told. */
import type { JsonValue } from "../../base/json.ts";
import type { ToolCall } from "../../ports/agents/agent-backend.ts";
import type { AgentStep } from "../agent.ts";
import { type Chronicle, quietly } from "../journal/chronicle.ts";
import { inTime } from "../patience.ts";
import type { Session } from "./session.ts";

/** Why not; null: it may. What a hook throws is a no, and so is no answer until the run must stop. */
export async function denialOf(ask: () => unknown, signal: AbortSignal): Promise<string | null> {
  try {
    const answer = (await inTime(ask(), signal)) as { readonly deny?: unknown } | undefined;
    return answer?.deny === undefined ? null : String(answer.deny);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What goes wrong there is recorded and changes nothing. */
export async function tellHook(
  chronicle: Chronicle,
  tell: () => unknown,
  wait: (told: unknown) => Promise<unknown>,
): Promise<void> {
  try {
    await wait(tell());
  } catch (error) {
    await chronicle.note("hook_failed", error instanceof Error ? error.message : String(error));
  }
}

/** A call was made: by the model itself, or by a plan that it has made. */
export async function tellCall(
  { chronicle, ports, halt }: Session,
  call: ToolCall,
  result: { readonly ok: boolean; readonly output: JsonValue },
): Promise<void> {
  if (ports.hooks?.postTool === undefined) return;
  const tell = (): unknown => ports.hooks?.postTool?.(call, result);
  await tellHook(chronicle, tell, (told) => inTime(told, halt.signal));
}

/** A turn is over: whoever watches hears of it. */
export async function tellStep({ chronicle, ports, halt }: Session): Promise<AgentStep> {
  const step = chronicle.state.steps.at(-1) as AgentStep;
  const problem = quietly(() => ports.observer?.onStep?.(step));
  if (problem !== null) await chronicle.note("observer_failed", problem);
  if (ports.hooks?.postStep !== undefined) {
    const tell = (): unknown => ports.hooks?.postStep?.(step);
    await tellHook(chronicle, tell, (told) => inTime(told, halt.signal));
  }
  return step;
}
