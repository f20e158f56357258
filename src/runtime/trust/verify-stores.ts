/** Verifies what no run names: the files of both stores, and that the journal mentions every run that something is kept of. */
import { isPawlError } from "../../base/errors.ts";
import type { Store } from "../../ports/store/store.ts";
import { damageOf, type Look } from "./damage.ts";

/** One damaged page can have many. */
const MOST_PROBLEMS = 10;

export async function verifyStores({ store, parts, found }: Look): Promise<void> {
  const hint = "restore .pawl/ from a backup, or see `pawl recover`";
  for (const problem of (await problemsOf(store)).slice(0, MOST_PROBLEMS))
    found(damageOf("store", { problem: `the journal: ${problem}`, hint }));
  const loops = await parts.loopsProblem();
  if (loops !== null) found(damageOf("store", { problem: `the store of loops: ${loops}`, hint }));
}

async function problemsOf(store: Store): Promise<readonly string[]> {
  try {
    return await store.integrity();
  } catch (error) {
    if (!isPawlError(error)) throw error;
    return [error.message];
  }
}

/** `isAccepted`: a person knows that runs are missing. */
export async function verifyMentioned(
  { store, parts, counts, signal, found }: Look,
  isAccepted: boolean,
): Promise<void> {
  // A run is in the journal before anything is kept of it, so the journal is asked last.
  for (const run of parts.heldRuns()) {
    signal.throwIfAborted();
    if ((await store.runs.get(run)) !== undefined) continue;
    counts.unmentionedRuns += 1;
    if (isAccepted) continue;
    const problem = "the journal does not mention this run, although its saved work or its workspace is here";
    const hint = "restore .pawl/ from a backup; `pawl recover` shows the work, and can remove it";
    found({ ...damageOf("run", { problem, hint }), run });
  }
}
