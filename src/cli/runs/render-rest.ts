/** A run that rests until a time: until when, why, and that nobody needs to stay. */
import { oneLine } from "../views/event-line.ts";
import type { RunStory } from "../views/run-story.ts";
import { formatElapsed, formatTime } from "../views/text/format-time.ts";

export function renderRest(story: RunStory, now: number): readonly string[] {
  const { run, until, reason } = story;
  const why = story.attempts.findLast(({ state }) => state === "parked")?.error;
  const when = until === null ? "" : ` until ${formatTime(until)} UTC, in ${formatElapsed(until - now)}`;
  return [
    `rests${when}: ${reason}${why === undefined ? "" : `, ${oneLine(why)}`}`,
    `Ctrl-C leaves it resting; go on later with: pawl resume ${run}`,
  ];
}
