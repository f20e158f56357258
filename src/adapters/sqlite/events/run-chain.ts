/** Writes the chain of runs. Every function here runs inside a transaction. */
import { entryNext, RUNS_START, type RunEntry } from "../../../run/record/chain.ts";
import type { Database } from "../driver.ts";

export interface RunChain {
  /** At the beginning of each transaction: another process may have written since. */
  begin(): void;
  add(kind: RunEntry["kind"], run: string, seq: number, head: string): void;
}

interface Last {
  readonly n: number;
  readonly runs: number;
  readonly hash: string;
}

const EMPTY: Last = { n: 0, runs: 0, hash: RUNS_START };

export function createRunChain(db: Database): RunChain {
  const newest = db.prepare<Last>("SELECT n, runs, hash FROM chain ORDER BY n DESC LIMIT 1");
  const insert = db.prepare(
    "INSERT INTO chain(n, kind, run, seq, head, runs, hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
  );
  let last: Last | undefined;

  return {
    begin() {
      last = undefined;
    },
    add(kind, run, seq, head) {
      const before = last ?? newest.get() ?? EMPTY;
      const n = before.n + 1;
      const runs = before.runs + (kind === "rested" ? 0 : 1);
      const hash = entryNext(before.hash, { kind, run, seq, head, runs });
      // `get` is the cheapest call: it makes no report of what was changed.
      insert.get(n, kind, run, seq, head, runs, hash);
      last = { n, runs, hash };
    },
  };
}
