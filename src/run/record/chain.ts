/** The hash chain of a journal: each value covers the run, every earlier event and this one, over the exact stored text. */
import { sha256Short } from "../../base/digest.ts";

/** The value before the first event. */
export function chainStart(run: string): string {
  return sha256Short(`pawl:1:${run}`);
}

/** `body` is the canonical text of the event, exactly as stored. */
export function chainNext(previous: string, body: string): string {
  return sha256Short(`${previous}\n${body}`);
}

/**
 * One entry of the chain of runs. A run is entered when it is created and whenever it comes to rest, so that it cannot vanish, nor
 * change afterwards, without a break in what was entered since. A run from before there was this chain is entered once, as it was then.
 */
export interface RunEntry {
  readonly kind: "created" | "rested" | "migrated";
  readonly run: string;
  /** Where the chain of its events ended. */
  readonly seq: number;
  readonly head: string;
  /** Runs that were ever created, this one among them. */
  readonly runs: number;
}

/** The value before the first entry. */
export const RUNS_START = sha256Short("pawl:runs:1");

export function entryNext(previous: string, { kind, run, seq, head, runs }: RunEntry): string {
  return sha256Short([previous, kind, run, seq, head, runs].join("\n"));
}
