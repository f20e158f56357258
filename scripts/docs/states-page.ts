/** docs/reference/states.md: statuses, the transition table as a table and as a picture, and the stop reasons. */
import type { EventType } from "../../src/run/events.ts";
import { isTerminal, REASONS, STATUSES, type Status, TERMINAL } from "../../src/run/reasons.ts";
import { type NextStatus, TRANSITIONS } from "../../src/run/transitions.ts";
import { code, page, table } from "./markdown.ts";

type Edge = readonly [from: Status, event: EventType, to: NextStatus];

function edges(): Edge[] {
  return STATUSES.flatMap((status) =>
    Object.entries(TRANSITIONS[status]).map(([event, to]): Edge => [status, event as EventType, to]),
  );
}

/** Only what changes the status; the events that keep it are in the table. */
function picture(): string {
  const lines = edges()
    .filter(([from, , to]) => from !== to)
    .map(([from, event, to]) => `    ${from} --> ${to}: ${event}`);
  return [
    "```mermaid",
    "stateDiagram-v2",
    "    [*] --> queued: run.created",
    ...lines,
    "    ended --> [*]",
    "```",
  ].join("\n");
}

function reasons(): string {
  const rows = TERMINAL.map((status) => {
    const names = Object.entries(REASONS).flatMap(([reason, of]) => (of === status ? [code(reason)] : []));
    return [code(status), names.join(", ")];
  });
  return table(["status", "reasons"], rows);
}

export function statesPage(): string {
  return page(
    "States of a run",
    `A run is ${STATUSES.filter((status) => !isTerminal(status))
      .map(code)
      .join(", ")}, or it has ended as ${TERMINAL.map(code).join(", ")}. An ended run never changes again.`,
    "`ended` stands for the terminal status that the event names.",
    picture(),
    "## What may happen in which status",
    "The table is `src/run/transitions.ts`. An event that is not in the row of the status cannot be stored.",
    table(
      ["status", "event", "status after it"],
      edges().map(([from, event, to]) => [code(from), code(event), code(to)]),
    ),
    "## Why a run ended",
    "One reason per run, and each reason belongs to one status. A bound never means success. Names are frozen: a stored reason keeps its meaning for ever.",
    reasons(),
  );
}
