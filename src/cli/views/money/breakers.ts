/** Breakers as a table. */
import type { BreakerRow } from "../../../ports/store/breakers.ts";
import type { Paint } from "../../output.ts";
import { oneLine } from "../event-line.ts";
import { formatAge, formatTime } from "../text/format-time.ts";
import { renderTable } from "../text/table.ts";

interface BreakersView {
  readonly now: number;
  readonly columns: number;
  readonly paint: Paint;
}

export function renderBreakers(rows: readonly BreakerRow[], { now, columns, paint }: BreakersView): string[] {
  const cells = rows.map((row) => {
    const { target, failures, since, why } = row;
    const isOpen = row.phase === "open";
    return [
      oneLine(target),
      { text: stateOf(row), paint: isOpen ? paint.red : row.phase === "half_open" ? paint.yellow : paint.green },
      since === null ? "" : formatAge(since, now),
      nextOf(row),
      String(failures),
      oneLine(why ?? ""),
    ];
  });
  const head = ["target", "state", "since", "next trial UTC", "failures", "why"];
  return renderTable({ head, rows: cells, whole: 1 }, columns, paint.dim);
}

/** A park is an open breaker whose end was told. */
function stateOf({ phase, parked }: BreakerRow): string {
  if (phase === "half_open") return "half open";
  return phase === "open" && parked ? "parked" : phase;
}

function nextOf({ phase, until }: BreakerRow): string {
  if (phase === "closed" || until === null) return "";
  return phase === "open" ? formatTime(until) : "with the next call";
}
