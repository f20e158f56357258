/** Checks the chain of runs against the runs and events that are there, and its end against the pin. */
import type { RunId } from "../../../base/ids.ts";
import type { ChainFault, ChainPlace, ChainStanding, RunChain } from "../../../ports/store/run-chain.ts";
import { entryNext, RUNS_START, type RunEntry } from "../../../run/record/chain.ts";
import type { Database } from "../driver.ts";
import { CHAINED_VERSION } from "../file/migrate.ts";
import { EMPTY_PIN, type Pin, type ReadPin, readPin } from "../loss/pin.ts";

interface CheckParts {
  readonly db: Database;
  readonly dir: string;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

interface EntryRow extends RunEntry, ChainPlace {
  /** null: the run is not there. */
  readonly row: number | null;
  /** The chain value of the event at that place; null: it is not there. */
  readonly stored: string | null;
}

interface Counts {
  readonly runs: number;
  readonly events: number;
  readonly lastEvent: number;
  readonly entries: number;
  readonly chained: number;
  /** What stands at the places that the pin names. */
  readonly entry: string | null;
  readonly event: string | null;
}

const PAGE = 500;
const MOST_EVENTS = Number.MAX_SAFE_INTEGER;

const COUNTS_SQL = `SELECT (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM events) AS events,
  coalesce((SELECT max(id) FROM events), 0) AS lastEvent, coalesce((SELECT max(n) FROM chain), 0) AS entries,
  coalesce((SELECT runs FROM chain ORDER BY n DESC LIMIT 1), 0) AS chained,
  (SELECT hash FROM chain WHERE n = ?1) AS entry, (SELECT hash FROM events WHERE id = ?2) AS event`;

const ENTRIES_SQL = `SELECT c.n, c.kind, c.run, c.seq, c.head, c.runs, c.hash, r.id AS row, e.hash AS stored
  FROM chain AS c LEFT JOIN runs AS r ON r.run = c.run LEFT JOIN events AS e ON e.run = r.id AND e.seq = c.seq
  WHERE c.n > ?1 ORDER BY c.n LIMIT ${PAGE}`;

export function createRunCheck({ db, dir, guarded }: CheckParts): RunChain {
  const version = db.prepare<{ version: number }>("SELECT user_version AS version FROM pragma_user_version");
  const counts = db.prepare<Counts>(COUNTS_SQL);
  const entries = db.prepare<EntryRow>(ENTRIES_SQL);
  const runs = db.prepare<{ id: number; run: RunId }>(
    `SELECT id, run FROM runs WHERE id > ?1 ORDER BY id LIMIT ${PAGE}`,
  );
  const migrated = db.prepare<{ seq: number }>("SELECT seq FROM chain WHERE run = ?1 AND kind = 'migrated'");

  /** A reader leaves a journal of an earlier version as it is. */
  const isChained = (): boolean => (version.get()?.version ?? 0) >= CHAINED_VERSION;

  function standing(): ChainStanding {
    // First the pin: the store may grow meanwhile.
    const pin = readPin(dir);
    const at = pin.state === "found" ? pin.pin : EMPTY_PIN;
    const now = counts.get(at.entries, at.events) as Counts;
    const problems = isChained() ? [...pinProblems(pin, now), ...countProblems(now)] : olderProblems(pin);
    return { runs: now.runs, events: now.events, isChained: isChained(), problems };
  }

  function check(after: ChainPlace | null) {
    let last = after ?? { n: 0, hash: RUNS_START };
    const faults: ChainFault[] = [];
    const page = entries.all(last.n);
    for (const row of page) {
      faults.push(...faultsOf(last, row));
      last = { n: row.n, hash: row.hash };
    }
    return { faults, next: page.length < PAGE ? null : last };
  }

  return {
    standing: () => guarded(standing),
    check: (after) => guarded(() => check(after)),
    list: (after) =>
      guarded(() => {
        const page = runs.all(after);
        return { runs: page.map(({ run }) => run), next: page.length < PAGE ? null : (page.at(-1)?.id ?? null) };
      }),
    migratedUntil: (run) => guarded(() => (isChained() ? (migrated.get(run)?.seq ?? 0) : MOST_EVENTS)),
  };
}

/** A pin that names something was written by a version that chains. */
function olderProblems(pin: ReadPin): readonly string[] {
  if (pin.state === "missing" || (pin.state === "found" && pin.pin.entries === 0)) return [];
  return ["pawl.db is older than its pin (pawl.pin): it was replaced by an older copy"];
}

function pinProblems(pin: ReadPin, now: Counts): readonly string[] {
  // Where nothing was ever stored there is none.
  if (pin.state === "missing")
    return now.runs + now.entries + now.events === 0
      ? []
      : ["its pin (pawl.pin) is missing, so nothing tells whether the newest runs are"];
  if (pin.state === "damaged") return [`its pin (pawl.pin) is damaged: ${pin.problem}`];
  const { entries, events } = pin.pin;
  if (now.entries < entries || now.lastEvent < events) return [behind(pin.pin, now)];
  const isSame = (now.entry ?? "") === pin.pin.entry && (now.event ?? "") === pin.pin.event;
  return isSame ? [] : ["it is not the journal that its pin (pawl.pin) names: pawl.db was exchanged or rewritten"];
}

function behind(pin: Pin, now: Counts): string {
  return `its pin (pawl.pin) tells of ${pin.runs} runs up to event ${pin.events}, and it has ${now.runs} runs up to event ${now.lastEvent}: the newest are gone, or pawl.db was replaced by an older copy`;
}

function countProblems({ runs, chained, events, lastEvent }: Counts): readonly string[] {
  const problems: string[] = [];
  if (runs < chained) problems.push(`${chained - runs} of ${chained} runs are missing`);
  if (runs > chained)
    problems.push(`${runs - chained} of ${runs} runs are not in the chain of runs: Pawl did not create them`);
  if (events < lastEvent) problems.push(`${lastEvent - events} of ${lastEvent} events are missing`);
  return problems;
}

function faultsOf(last: ChainPlace, row: EntryRow): readonly ChainFault[] {
  const faults: ChainFault[] = [];
  const gap = row.n - last.n - 1;
  if (gap > 0) {
    const which = gap === 1 ? `entry ${last.n + 1} is` : `entries ${last.n + 1} to ${row.n - 1} are`;
    faults.push({ run: null, problem: `${which} missing in the chain of runs: runs were removed` });
  } else if (entryNext(last.hash, row) !== row.hash) {
    faults.push({ run: row.run as RunId, problem: `entry ${row.n} of the chain of runs was changed` });
  }
  const problem = runProblem(row);
  return problem === null ? faults : [...faults, { run: row.run as RunId, problem }];
}

function runProblem({ kind, row, seq, stored, head }: EntryRow): string | null {
  // It is told once, where the run was created.
  if (row === null) return kind === "rested" ? null : "the whole run is missing from the journal";
  if (stored === head) return null;
  return stored === null
    ? `event ${seq}, which the chain of runs names, is missing`
    : `event ${seq} is not the one that the chain of runs names`;
}
