/** Sees to it that every tick has its line in loop-run-log.md: where no stage of it could write one, it is written here. */
import { RUN_LOG } from "../../../blueprint/dialects/loop-engineering/run-log.ts";
import { addOnce } from "../../../loops/ticks/recorded.ts";
import { refusedEntry, unrecordedEntry } from "../../../loops/ticks/unrecorded.ts";
import type { Plan } from "../../../plan/plan.ts";
import type { RunEvent } from "../../../run/events.ts";
import type { SharedTexts } from "../../loops/tick-parts.ts";
import type { BeginProjector } from "../projector.ts";

export const beginPattern: BeginProjector = async ({ run, plan, texts }) => {
  const events: RunEvent[] = [];
  return {
    apply: async ({ event }) => void events.push(event),
    end: () => writeEnd(texts, plan, run, events),
  };
};

/** Once for each run: what its stages have written is left as it is. */
export async function writeEnd(
  texts: SharedTexts,
  plan: Plan,
  run: string,
  events: readonly RunEvent[],
): Promise<void> {
  const records = plan.stages.flatMap((stage) =>
    stage.kind === "action" && stage.action === "loop.record" ? [stage.id] : [],
  );
  const entry = unrecordedEntry({ pattern: plan.name, run, records: new Set(records) }, events);
  const now = events.at(-1)?.at;
  if (entry !== null && now !== undefined) await texts.change(RUN_LOG, (text) => addOnce(text ?? "", entry, now));
}

/** Once for each run that was to be, however often it is tried. */
export async function writeRefused(
  texts: SharedTexts,
  plan: Plan,
  run: string,
  why: string,
  at: number,
): Promise<void> {
  const entry = refusedEntry({ pattern: plan.name, run }, why, at);
  await texts.change(RUN_LOG, (text) => addOnce(text ?? "", entry, at));
}
