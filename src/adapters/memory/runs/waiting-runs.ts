/** Waiting runs in memory: all runs are looked at. */
import type { RunId } from "../../../base/ids.ts";
import type { WaitingPage, WaitingQuery, WaitingRun, WaitingRuns } from "../../../ports/store/waiting-runs.ts";
import { isTerminal } from "../../../run/reasons.ts";
import type { WaitingRows } from "../../../run/record/record-waiting.ts";
import { nextDue } from "../../../run/record/waiting.ts";
import type { MemoryRun, MemoryState } from "../state.ts";
import { rowOf } from "./run-index.ts";

interface WaitingParts {
  readonly state: MemoryState;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

interface Candidate {
  readonly id: number;
  readonly run: WaitingRun;
}

export function memoryWaitingRows({ runs }: Pick<MemoryState, "runs">): WaitingRows {
  return {
    get(run) {
      const found = runs.get(run as RunId);
      if (found === undefined) return undefined;
      const { waiting, row } = found;
      return { waiting, parent: row.parent, isOver: isTerminal(row.status) };
    },
    set(run, waiting) {
      const found = runs.get(run as RunId);
      if (found !== undefined) found.waiting = waiting;
    },
  };
}

export function createMemoryWaitingRuns({ state, guarded }: WaitingParts): WaitingRuns {
  /** `sortBy`: what comes first; runs of the same place come in the order of their creation. */
  function page(
    { limit, cursor }: WaitingQuery,
    fits: (run: WaitingRun) => boolean,
    sortBy: (candidate: Candidate) => number,
  ): WaitingPage {
    const found = state.order
      .flatMap((each) => candidateOf(each) ?? [])
      .filter(({ run }) => run.drill === undefined && fits(run))
      .sort((a, b) => sortBy(a) - sortBy(b) || a.id - b.id);
    const at = cursor === undefined ? 0 : found.findIndex((each) => isBehind(each, sortBy(each), cursor));
    const most = Math.max(0, Math.trunc(limit));
    const shown = at < 0 ? [] : found.slice(at, at + most);
    const last = shown.at(-1);
    const isLast = last === undefined || found.at(-1) === last;
    return { runs: shown.map(({ run }) => run), next: isLast ? null : `${sortBy(last)}.${last.id}` };
  }

  return {
    get: (run) =>
      guarded(() => {
        const found = state.runs.get(run);
        return found === undefined ? undefined : candidateOf(found)?.run;
      }),
    asking: (query) =>
      guarded(() =>
        page(
          query,
          ({ questions }) => questions.length > 0,
          ({ id }) => -id,
        ),
      ),
    answered: (query) =>
      guarded(() =>
        page(
          query,
          ({ parent, rest, holder }) => parent === null && rest.isReady && holder === null,
          ({ id }) => id,
        ),
      ),
    parked: ({ after = -1, by = Number.POSITIVE_INFINITY, ...query }) =>
      guarded(() =>
        page(
          query,
          ({ parent, rest: { until } }) => parent === null && until !== null && until > after && until <= by,
          ({ run }) => run.rest.until ?? 0,
        ),
      ),
    due: ({ by, ...query }) =>
      guarded(() =>
        page(
          query,
          (run) => dueOf(run) <= by,
          ({ run }) => dueOf(run),
        ),
      ),
  };
}

function candidateOf(found: MemoryRun): Candidate | undefined {
  const { rest, questions } = found.waiting;
  return rest === null ? undefined : { id: found.id, run: { ...rowOf(found), rest, questions } };
}

function dueOf({ rest, questions }: WaitingRun): number {
  return nextDue({ rest, questions, children: [] }) ?? Number.POSITIVE_INFINITY;
}

/** Whether it comes after the place that the cursor names. A cursor that no page gave leads to nothing. */
function isBehind({ id }: Candidate, place: number, cursor: string): boolean {
  const [, at, last] = /^(-?\d{1,16})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (at === undefined) return false;
  return place > Number(at) || (place === Number(at) && id > Number(last));
}
