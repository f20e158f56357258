/** How the work of one run is shared among agents: what an action costs is so many times the cost of one agent. */

export interface Orchestration {
  /** As it is shown: `single`, `maker-checker`, `parallel:3`, `debate:2`. */
  readonly mode: string;
  readonly multiplier: number;
}

export const ORCHESTRATIONS = "single, maker-checker, parallel:N with N from 2, or debate:R with R from 1";

const COUNTED = /^(parallel|debate):([1-9]\d{0,2})$/;

/** Undefined when the text names none. */
export function parseOrchestration(text: string): Orchestration | undefined {
  if (text === "single") return { mode: text, multiplier: 1 };
  if (text === "maker-checker") return { mode: text, multiplier: 2 };
  const [, kind, digits] = COUNTED.exec(text) ?? [];
  const count = Number(digits);
  // The candidates and the one who joins them; one proposal and each round about it.
  return kind === undefined || (kind === "parallel" && count < 2) ? undefined : { mode: text, multiplier: count + 1 };
}
