/** Hooks can say no before something happens; afterwards they are only told. */
import type { AgentStep } from "../agent.ts";
import { type Chronicle, quietly } from "../journal/chronicle.ts";
import type { Session } from "./session.ts";

/** Why not; null: it may. What a hook throws is a no. */
export async function denialOf(ask: () => unknown): Promise<string | null> {
  try {
    const answer = (await ask()) as { readonly deny?: unknown } | undefined;
    return answer?.deny === undefined ? null : String(answer.deny);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What goes wrong there is recorded and changes nothing. */
export async function tellHook(chronicle: Chronicle, tell: () => unknown): Promise<void> {
  try {
    await tell();
  } catch (error) {
    await chronicle.note("hook_failed", error instanceof Error ? error.message : String(error));
  }
}

/** A turn is over: whoever watches hears of it. */
export async function tellStep({ chronicle, ports }: Session): Promise<AgentStep> {
  const step = chronicle.state.steps.at(-1) as AgentStep;
  const problem = quietly(() => ports.observer?.onStep?.(step));
  if (problem !== null) await chronicle.note("observer_failed", problem);
  if (ports.hooks !== undefined) await tellHook(chronicle, () => ports.hooks?.postStep?.(step));
  return step;
}
