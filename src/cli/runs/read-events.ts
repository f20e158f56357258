/** Reads the journal of a run in pages: memory stays small however long the run is. */
import type { RunId } from "../../base/ids.ts";
import type { RunRow } from "../../ports/run-index.ts";
import type { StoredEvent } from "../../run/events.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { beginStory, type RunStory, tell } from "../views/run-story.ts";

const PAGE = 500;

export async function* readEvents(runtime: Runtime, run: RunId, afterSeq: number): AsyncGenerator<StoredEvent> {
  let after = afterSeq;
  for (;;) {
    const page = await runtime.read(run, after, PAGE);
    for (const stored of page) {
      yield stored;
      after = stored.seq;
    }
    if (page.length < PAGE) return;
  }
}

export async function readStory(runtime: Runtime, row: RunRow): Promise<RunStory> {
  const story = beginStory(row.run);
  for await (const stored of readEvents(runtime, row.run, 0)) tell(story, stored);
  return story;
}
