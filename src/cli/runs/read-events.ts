/** Reads the journal of a run in pages: memory stays small however long the run is. */
import type { RunId } from "../../base/ids.ts";
import type { StoredEvent } from "../../run/events.ts";
import type { Runtime } from "../../runtime/runtime.ts";

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
