/** Checks the chain of runs against the runs and events that are there, and its end against the pin. */
import type { RunId } from "../../../base/ids.ts";
import type { ChainFault, ChainPlace, ChainStanding, RunChain } from "../../../ports/store/run-chain.ts";
import { entryNext, RUNS_START, type RunEntry } from "../../../run/record/chain.ts";
import type { Database, Statement } from "../driver.ts";
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

interface Ends {
  readonly runs: number;
  readonly lastEvent: number;
  readonly entries: number;
  readonly chained: number;
  /** What stands at the places that the pin names. */
  readonly entry: string | null;
  readonly event: string | null;
}

interface Counts extends Ends {
  readonly events: number;
}

const PAGE = 500;
const MOST_EVENTS = Number.MAX_SAFE_INTEGER;

const ENDS_SQL = `SELECT (SELECT count(*) FROM runs) AS runs, coalesce((SELECT max(id) FROM events), 0) AS lastEvent,
  coalesce((SELECT max(n) FROM chain), 0) AS entries,
  coalesce((SELECT runs FROM chain ORDER BY n DESC LIMIT 1), 0) AS chained,
  (SELECT hash FROM chain WHERE n = ?1) AS entry, (SELECT hash FROM events WHERE id = ?2) AS event`;

/** Goes through the index of all events. */
const COUNTS_SQL = `${ENDS_SQL}, (SELECT count(*) FROM events) AS events`;

const ENTRIES_SQL = `SELECT c.n, c.kind, c.run, c.seq, c.head, c.runs, c.hash, r.id AS row, e.hash AS stored
  FROM chain AS c LEFT JOIN runs AS r ON r.run = c.run LEFT JOIN events AS e ON e.run = r.id AND e.seq = c.seq
  WHERE c.n > ?1 ORDER BY c.n LIMIT ${PAGE}`;

export function createRunCheck({ db, dir, guarded }: CheckParts): RunChain {
  const version = db.prepare<{ version: number }>("SELECT user_version AS version FROM pragma_user_version");
  const ends = db.prepare<Ends>(ENDS_SQL);
  const counts = db.prepare<Counts>(COUNTS_SQL);
  const entries = db.prepare<EntryRow>(ENTRIES_SQL);
  const runs = db.prepare<{ id: number; run: RunId }>(
    `SELECT id, run FROM runs WHERE id > ?1 ORDER BY id LIMIT ${PAGE}`,
  );
  const accepted = db.prepare("SELECT 1 FROM store WHERE lost IS NOT NULL");
  const migrated = db.prepare<{ seq: number }>("SELECT seq FROM chain WHERE run = ?1 AND kind = 'migrated'");

  /** A reader leaves a journal of an earlier version as it is. */
  const isChained = (): boolean => (version.get()?.version ?? 0) >= CHAINED_VERSION;

  /** First the pin: the store may grow meanwhile. */
  function lookAt<T extends Ends>(statement: Statement<T>): { readonly now: T; readonly problems: readonly string[] } {
    const pin = readPin(dir);
    const at = pin.state === "found" ? pin.pin : EMPTY_PIN;
    const now = statement.get(at.entries, at.events) as T;
    return { now, problems: isChained() ? [...pinProblems(pin, now), ...runProblems(now)] : olderProblems(pin) };
  }

  function standing(): ChainStanding {
    const { now, problems } = lookAt(counts);
    const { runs, events } = now;
    const isAccepted = accepted.get() !== undefined;
    return {
      runs,
      events,
      isChained: isChained(),
      isAccepted,
      problems: [...problems, ...(isChained() ? eventProblems(now) : [])],
    };
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
    problems: () => guarded(() => lookAt(ends).problems),
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

function pinProblems(pin: ReadPin, now: Ends): readonly string[] {
  // Where nothing was ever stored there is none.
  if (pin.state === "missing")
    return now.runs + now.entries + now.lastEvent === 0
      ? []
      : ["its pin (pawl.pin) is missing, so nothing tells whether the newest runs are"];
  if (pin.state === "damaged") return [`its pin (pawl.pin) is damaged: ${pin.problem}`];
  const { entries, events } = pin.pin;
  if (now.entries < entries || now.lastEvent < events) return [behind(pin.pin, now)];
  const isSame = (now.entry ?? "") === pin.pin.entry && (now.event ?? "") === pin.pin.event;
  return isSame ? [] : ["it is not the journal that its pin (pawl.pin) names: pawl.db was exchanged or rewritten"];
}

function behind(pin: Pin, now: Ends): string {
  return `its pin (pawl.pin) tells of ${pin.runs} runs up to event ${pin.events}, and it has ${now.runs} runs up to event ${now.lastEvent}: the newest are gone, or pawl.db was replaced by an older copy`;
}

function runProblems({ runs, chained }: Ends): readonly string[] {
  if (runs < chained) return [`${chained - runs} of ${chained} runs are missing`];
  if (runs === chained) return [];
  return [`${runs - chained} of ${runs} runs are not in the chain of runs: Pawl did not create them`];
}

function eventProblems({ events, lastEvent }: Counts): readonly string[] {
  return events < lastEvent ? [`${lastEvent - events} of ${lastEvent} events are missing`] : [];
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
