/** What doctor says of the next time of a loop: as whoever serves has stored it, for what is written of the loop now. */
import { formatInstant } from "../../base/text/instant.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import { wakeOf } from "../../loops/schedule/due.ts";
import type { Standing } from "../../ports/loops/slots.ts";
import { createLoopReader } from "./served-loop.ts";

export interface NextTime {
  readonly text: string;
  /** It has come, and nobody has done anything about it. */
  readonly isLate: boolean;
}

/** Whoever serves is rarely later than this. */
const LATE_MS = 120_000;

/** null: no time makes it due. */
export function nextTimeOf(loop: Loop, standing: Standing | undefined, now: number): NextTime | null {
  const { times, trigger } = createLoopReader()(loop);
  if (times === null) return null;
  if (standing === undefined || standing.next === null || standing.trigger !== trigger)
    return { text: "no next time yet: `pawl serve` has not seen it", isLate: false };
  const at = formatInstant(standing.next);
  if (standing.open !== null) return { text: `next at ${at}, when its open run is over`, isLate: false };
  return wakeOf(loop, standing.next) + LATE_MS < now
    ? { text: `was due at ${at}, and nobody has run it`, isLate: true }
    : { text: `next at ${at}`, isLate: false };
}
