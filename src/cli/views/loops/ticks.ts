/** Ticks of a pattern exactly as loop-runtime prints them. */
import type { PastTick } from "../../../runtime/loops/past-tick.ts";

export function renderTicks(
  ticks: readonly Pick<PastTick, "decision" | "verdict" | "tokens" | "details">[],
  of: { readonly name: string; readonly level: string; readonly backend: string; readonly isDry: boolean },
): string {
  const head = `Ran ${ticks.length} tick(s) of ${of.name} [${of.level}] via ${of.backend} backend${of.isDry ? " (dry-run)" : ""}:`;
  const blocks = ticks.map(({ decision, verdict, tokens, details }, index) => {
    const judged = verdict === null ? "" : ` (${verdict})`;
    const first = `  tick ${index + 1}: ${decision}${judged} — ${tokens} tokens`;
    return [first, ...details.map((detail) => `           · ${detail}`)].join("\n");
  });
  return `${head}\n\n${blocks.join("\n")}\n`;
}
