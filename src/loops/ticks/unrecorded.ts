/** The entry of a tick none of whose stages could write one: it was cancelled, killed, denied or at a limit, or it was not let begin. */
import { formatInstant } from "../../base/text/instant.ts";
import type { RunLogEntry } from "../../blueprint/dialects/loop-engineering/run-log.ts";
import type { EventOf, RunEvent } from "../../run/events.ts";
import type { Found, Triage } from "./found.ts";
import { idOf, MOST_NOTE } from "./recorded.ts";

export interface Tick {
  readonly pattern: string;
  readonly run: string;
  /** Stages that write the entry of the tick. */
  readonly records: ReadonlySet<string>;
}

/** null: one of its stages has written it, or the tick has not ended. Done again it gives the same. */
export function unrecordedEntry({ pattern, run, records }: Tick, events: readonly RunEvent[]): RunLogEntry | null {
  const end = events.findLast((event) => event.type === "run.finished");
  const done = events.filter((event): event is EventOf<"stage.finished"> => event.type === "stage.finished");
  const isWritten = done.some(({ stage, outcome }) => records.has(stage) && outcome === "success");
  if (end?.type !== "run.finished" || isWritten) return null;
  const outputOf = (stage: string): unknown => done.findLast((event) => event.stage === stage)?.output;
  const found = outputOf("discover") as Found | undefined;
  const item = idOf((outputOf("triage") ?? null) as Triage | null);
  const begun = found?.at ?? Math.min(...events.map(({ at }) => at));
  const isProposed = done.some(({ stage, outcome }) => stage === "commit" && outcome === "success");
  const note = end.detail === undefined ? end.reason : `${end.reason}: ${end.detail}`;
  return {
    runId: formatInstant(begun),
    pattern,
    durationS: Math.max(0, Math.round((end.at - begun) / 1000)),
    itemsFound: found?.items.length ?? 0,
    actionsTaken: isProposed ? 1 : 0,
    escalations: 0,
    tokensEstimate: events.reduce((sum, event) => sum + spentBy(event), 0),
    outcome: isProposed ? "fix-proposed" : "no-op",
    extra: { run, ...(item === null ? {} : { item }), note: note.slice(0, MOST_NOTE) },
  };
}

/** The entry of a tick that may not begin. It has no `run`: the run that is made of it later has an entry of its own. */
export function refusedEntry({ pattern, run }: Omit<Tick, "records">, why: string, at: number): RunLogEntry {
  return {
    ...{ runId: formatInstant(at), pattern, durationS: 0, itemsFound: 0, actionsTaken: 0, escalations: 0 },
    ...{ tokensEstimate: 0, outcome: "no-op", extra: { refused: run, note: why.slice(0, MOST_NOTE) } },
  };
}

function spentBy(event: RunEvent): number {
  const usage = "usage" in event ? event.usage : undefined;
  return usage?.tokens ?? 0;
}
