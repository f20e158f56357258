/** What a tick leaves in the files of its loop. Done again with the same input, it changes nothing more. */

import { formatInstant } from "../../base/text/instant.ts";
import { editStateFile, newStateFile, type StateEdit } from "../../blueprint/dialects/loop-engineering/edit-state.ts";
import { appendRunLog, parseRunLog, type RunLogEntry } from "../../blueprint/dialects/loop-engineering/run-log.ts";
import { itemsOfRole, parseStateFile } from "../../blueprint/dialects/loop-engineering/state-file.ts";
import { stateItemId } from "../../blueprint/dialects/loop-engineering/state-item.ts";
import { MOST_ATTEMPTS } from "../../blueprint/dialects/patterns/tick-text.ts";
import type { Found, Triage } from "./found.ts";

/** Characters of a note that are kept. */
export const MOST_NOTE = 500;

/** How a tick ended, as its plan knows it. */
export const TICK_ENDS = ["looked", "halted", "gave_up", "rejected", "escalated", "proposed", "merged"] as const;
export type TickEnd = (typeof TICK_ENDS)[number];

export interface TickRecord {
  readonly pattern: string;
  readonly run: string;
  readonly end: TickEnd;
  readonly found: Found;
  readonly triage: Triage | null;
  /** What a tick that does nothing, reports or acts is estimated to use. */
  readonly tokens: { readonly noop: number; readonly report: number; readonly action: number };
}

export interface Outcome {
  /** The word of the run log. */
  readonly outcome: "no-op" | "report-only" | "fix-proposed" | "escalated";
  readonly note: string | null;
  readonly tokens: number;
}

/** A third failed attempt at an item hands it to a person. */
export function outcomeOf(record: TickRecord): Outcome {
  const { end, triage, found, tokens } = record;
  switch (end) {
    case "halted":
      return { outcome: "no-op", note: found.halted ?? "halted", tokens: 0 };
    case "gave_up":
      return { outcome: "no-op", note: "an agent could not do its task", tokens: tokens.report };
    case "looked":
      return triage?.outcome === "noop"
        ? { outcome: "no-op", note: null, tokens: tokens.noop }
        : { outcome: "report-only", note: triage?.why ?? null, tokens: tokens.report };
    case "rejected":
      return attemptsAfter(record) >= MOST_ATTEMPTS
        ? { outcome: "escalated", note: `rejected ${attemptsAfter(record)} times`, tokens: tokens.action }
        : { outcome: "report-only", note: "verifier rejected", tokens: tokens.action };
    case "escalated":
      return { outcome: "escalated", note: triage?.why ?? null, tokens: tokens.action };
    default:
      return { outcome: "fix-proposed", note: end === "merged" ? "merged" : null, tokens: tokens.action };
  }
}

/** Counted from what was found, so that counting twice gives the same. */
function attemptsAfter({ found, triage }: TickRecord): number {
  const id = idOf(triage);
  return 1 + Math.max(0, ...found.items.filter((item) => item.id === id).map(({ attempts }) => attempts));
}

/** The id of the item that triage has named; null: none. */
export function idOf(triage: Triage | null): string | null {
  const item = triage?.item?.trim() ?? "";
  return item === "" ? null : stateItemId(item);
}

export function recordState(text: string | null, record: TickRecord, project: string): string {
  const { outcome, note } = outcomeOf(record);
  const said = note === null ? outcome : `${outcome}: ${note}`;
  const before = text ?? newStateFile(project);
  return editStateFile(before, { kind: "last_run", at: record.found.at, note: said }, ...editsOf(record, before));
}

function editsOf(record: TickRecord, text: string): readonly StateEdit[] {
  const { triage, end, run } = record;
  const id = idOf(triage);
  if (id === null || end === "halted" || end === "gave_up" || triage?.outcome === "noop") return [];
  const { outcome } = outcomeOf(record);
  const known = itemsOfRole(parseStateFile(text), "act", "watch", "human").some(
    (item) => item.id === id && !item.isDone,
  );
  const attempts = end === "rejected" ? { Attempts: `${attemptsAfter(record)}/${MOST_ATTEMPTS}` } : {};
  const fields = { "Loop action": `${outcome} (${run})`, ...attempts };
  const put = (role: "act" | "human"): StateEdit => {
    return { kind: "put", role, id, text: triage?.title ?? id, at: record.found.at, fields };
  };
  if (outcome === "escalated") return [...(known ? [{ kind: "set", id, fields } as const] : []), put("human")];
  return known ? [{ kind: "set", id, fields }] : [put("act")];
}

/** Runs that have an entry. */
export function loggedRuns(text: string): ReadonlySet<string> {
  return new Set(namesIn(text, "run"));
}

/** An entry of the same run, or of the same that was refused, is not added again. */
export function addOnce(text: string, entry: RunLogEntry, now: number): string {
  const name = "run" in entry.extra ? "run" : "refused";
  return namesIn(text, name).includes(String(entry.extra[name])) ? text : appendRunLog(text, entry, now);
}

function namesIn(text: string, name: "run" | "refused"): readonly string[] {
  return parseRunLog(text).entries.flatMap(({ extra: { [name]: run } }) => (typeof run === "string" ? [run] : []));
}

export function recordRun(text: string, record: TickRecord, now: number): string {
  const { found, run, pattern, end, triage } = record;
  const { outcome, note, tokens } = outcomeOf(record);
  const hasActed = end === "proposed" || end === "merged";
  return addOnce(
    text,
    {
      runId: formatInstant(found.at),
      pattern,
      durationS: Math.max(0, Math.round((now - found.at) / 1000)),
      itemsFound: found.items.length,
      actionsTaken: hasActed ? 1 : 0,
      escalations: outcome === "escalated" ? 1 : 0,
      tokensEstimate: tokens,
      outcome,
      extra: {
        run,
        ...(idOf(triage) === null ? {} : { item: idOf(triage) }),
        ...(note === null ? {} : { note: note.slice(0, MOST_NOTE) }),
      },
    },
    now,
  );
}
