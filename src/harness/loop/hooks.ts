/** Hooks can say no before something happens; afterwards they are only told. */
import type { Chronicle } from "../journal/chronicle.ts";

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
