/** Ticks that ended while nobody was there to write their line: whose host was killed right after the end was stored. */
import type { RunId } from "../../../base/ids.ts";
import { RUN_LOG } from "../../../blueprint/dialects/loop-engineering/run-log.ts";
import { loggedRuns } from "../../../loops/ticks/recorded.ts";
import type { Store } from "../../../ports/store/store.ts";
import { isTerminal } from "../../../run/reasons.ts";
import type { SharedTexts } from "../../loops/tick-parts.ts";
import { readEvents } from "../../past.ts";
import { writeEnd } from "./projector.ts";

/** Of the newest runs of a pattern. Older ones were seen to when these began. */
const PAGE = 50;
/** Older entries are not kept. */
const KEPT_MS = 30 * 86_400_000;

/** `next`: the run that begins now. What ended well has its line: that is written before. */
export async function settlePast(store: Store, texts: SharedTexts, pattern: string, next: RunId): Promise<void> {
  const { rows } = await store.runs.list({ blueprint: pattern, limit: PAGE });
  const newest = rows.find(({ run }) => run === next)?.createdAt ?? 0;
  const ended = rows.filter(
    ({ status, updatedAt }) => isTerminal(status) && status !== "succeeded" && newest - updatedAt < KEPT_MS,
  );
  if (ended.length === 0) return;
  const logged = loggedRuns((await texts.read(RUN_LOG)) ?? "");
  for (const { run, plan: name } of ended.reverse()) {
    const plan = logged.has(run) ? undefined : await store.journal.plan(name);
    if (plan?.origin?.door !== "pattern") continue;
    await writeEnd(texts, plan, run, await readEvents(store, run));
  }
}
