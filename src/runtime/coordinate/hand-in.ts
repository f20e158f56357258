/** What is known of a change when it is handed in. */
import { type Change, type ChangeRecord, changeId } from "../../loops/coordinate/merges/change.ts";

export function newChange(
  change: Omit<Change, "id">,
  state: "open" | "queued",
  collisions: readonly string[],
): ChangeRecord {
  const id = changeId(change.run, change.source);
  return { ...change, id, state, since: change.at, by: null, why: null, commit: null, collisions };
}
