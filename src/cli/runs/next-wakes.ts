/** When each loop of the project is due next, as `pawl serve` has stored it. Writes nothing. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { oneLine } from "../views/event-line.ts";
import { formatTime } from "../views/text/format-time.ts";

export interface NextWake {
  readonly loop: string;
  readonly at: number;
  /** A run of it is open: nothing fires before that is over. */
  readonly isBusy: boolean;
}

const MOST_LINES = 10;

/** The earliest first. A loop that is no longer written so, or that no time makes due, is not among them. */
export async function nextWakes(root: string): Promise<readonly NextWake[]> {
  if (!existsSync(join(root, ".pawl", "loops.db"))) return [];
  const { loadProject } = await import("../../runtime/loops/load-project.ts");
  const { openLoops } = await import("../../runtime/wire.ts");
  const { file } = await loadProject(root);
  const { createLoopReader } = await import("../../runtime/serve/served-loop.ts");
  const written = (file?.ok === true ? file.value.loops : []).map(createLoopReader());
  const triggers = new Map(written.map(({ loop, trigger }) => [loop.name, trigger]));
  const store = await openLoops(root, { readOnly: true });
  try {
    const found = (await store.slots.standings()).flatMap(({ loop, next, open, trigger }): readonly NextWake[] =>
      next === null || triggers.get(loop) !== trigger ? [] : [{ loop, at: next, isBusy: open !== null }],
    );
    return [...found].sort((a, b) => a.at - b.at);
  } finally {
    await store.close();
  }
}

export function nextWakeLines(wakes: readonly NextWake[]): readonly string[] {
  const lines = wakes.slice(0, MOST_LINES).map(({ loop, at, isBusy }) => {
    return `next: ${oneLine(loop)} at ${formatTime(at)} UTC${isBusy ? ", when its open run is over" : ""}`;
  });
  const more = wakes.length - lines.length;
  return more > 0 ? [...lines, `next: ${more} more loops later`] : lines;
}
