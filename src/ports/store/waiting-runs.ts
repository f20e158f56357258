/**
 * WaitingRuns: runs that rest, with what they wait for. Written in the same durable step as the events; the cost of an answer
 * depends on its size, not on how many runs wait nor on how long their journals are.
 */
import type { RunId } from "../../base/ids.ts";
import type { OpenQuestion, Rest } from "../../run/record/waiting.ts";
import type { RunRow } from "./run-index.ts";

/** Its status is `waiting`. */
export interface WaitingRun extends RunRow {
  readonly rest: Rest;
  readonly questions: readonly OpenQuestion[];
}

export interface WaitingQuery {
  readonly limit: number;
  /** Opaque position from `next` of the page before. */
  readonly cursor?: string;
}

export interface WaitingPage {
  readonly runs: readonly WaitingRun[];
  /** null: the last page. */
  readonly next: string | null;
}

/** None of them lists the runs of drills. */
export interface WaitingRuns {
  /** One run; undefined: it does not rest. */
  get(run: RunId): Promise<WaitingRun | undefined>;
  /** Runs with open questions, child runs among them, the newest first. */
  asking(query: WaitingQuery): Promise<WaitingPage>;
  /**
   * Runs that no other run has started and that can go on because of an answer (see `Rest.isReady`), while no living process
   * hosts them; the oldest first. One that still has open questions may turn out to need them: its `events` say whether
   * anything has changed since it was tried. A page may have fewer runs than its limit although it is not the last.
   */
  answered(query: WaitingQuery): Promise<WaitingPage>;
  /** Runs that no other run has started and that go on by themselves, after `after` and at the latest at `by` if given; the earliest first. */
  parked(query: WaitingQuery & { readonly after?: number; readonly by?: number }): Promise<WaitingPage>;
  /** Runs with a question that has expired by then, or of which people are to be reminded; the earliest first. */
  due(query: WaitingQuery & { readonly by: number }): Promise<WaitingPage>;
}
