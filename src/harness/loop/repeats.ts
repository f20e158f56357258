/** Whether an agent goes round in circles: the same call with the same result, or turns of nothing but errors. */
import { canonical } from "../../base/json.ts";
import type { AgentStep, StepCall } from "../agent.ts";

export interface Repeats {
  /** Why it is to be stopped; null: it goes on. */
  see(step: AgentStep): string | null;
}

/** The same call with the same result, in a row. */
const SAME = 3;
/** The same call, whatever came of it: somebody may wait for something. */
const SAME_CALL = 10;
/** Turns in which every call failed. */
const ERROR_TURNS = 4;

interface Row {
  readonly call: string;
  readonly result: string;
  /** The same call so often in a row. */
  readonly calls: number;
  /** With the same result. */
  readonly results: number;
}

export function createRepeats(): Repeats {
  let row: Row = { call: "", result: "", calls: 0, results: 0 };
  let errorTurns = 0;
  return {
    see(step) {
      errorTurns = step.calls.length > 0 && step.calls.every(({ ok }) => !ok) ? errorTurns + 1 : 0;
      for (const made of step.calls) {
        row = nextRow(row, made);
        if (row.results >= SAME || row.calls >= SAME_CALL)
          return `${made.tool} was called ${row.calls} times in a row with the same input`;
      }
      return errorTurns >= ERROR_TURNS ? `${errorTurns} turns in a row in which every call failed` : null;
    },
  };
}

function nextRow(row: Row, { tool, input, ok, output }: StepCall): Row {
  const call = `${tool} ${canonical(input)}`;
  const result = `${ok} ${canonical(output)}`;
  if (call !== row.call) return { call, result, calls: 1, results: 1 };
  return { call, result, calls: row.calls + 1, results: result === row.result ? row.results + 1 : 1 };
}
