/** Copies what a damaged journal still proves into a new one: each run whose whole chain holds, and records whose tables can be read to their end. */
import { isPawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Store } from "../../../ports/store/store.ts";
import { type Database, loadDriver, type SqlValue } from "../driver.ts";
import { stateFiles } from "../file/state-files.ts";
import { openSqliteStore } from "../store.ts";
import { runsIn } from "./journal-problem.ts";

export interface LostRun {
  readonly run: RunId;
  readonly why: string;
}

export interface Copied {
  readonly kept: readonly RunId[];
  readonly lost: readonly LostRun[];
  /** Records besides runs that could not be read, in words for people. */
  readonly lostRecords: readonly string[];
  /** Why nothing at all could be read; null: it could be opened. */
  readonly unreadable: string | null;
}

const PAGE = 500;
/** Tables that mean something only together. */
const RECORDS: readonly (readonly [what: string, tables: readonly string[]])[] = [
  ["what was spent", ["ledger_entries", "ledger_pages", "ledger_quarters"]],
  ["drills and incidents", ["evidence"]],
  ["breakers", ["breakers"]],
];

/** Both are state folders; `from` is a copy that may be changed. */
export async function copyStore(from: string, to: string, clock: Clock): Promise<Copied> {
  const target = await openSqliteStore({ dir: to, clock });
  const runs = await copyRuns(from, target, clock).finally(() => target.close());
  return { ...runs, lostRecords: await copyRecords(from, to) };
}

async function copyRuns(from: string, target: Store, clock: Clock): Promise<Omit<Copied, "lostRecords">> {
  let source: Store;
  try {
    source = await openSqliteStore({ dir: from, clock, acceptLoss: true });
  } catch (error) {
    return { kept: [], lost: [], unreadable: messageOf(error) };
  }
  try {
    const [kept, lost]: [RunId[], LostRun[]] = [[], []];
    for (const run of await runsIn(from)) {
      const why = await copyRun(source, target, run).catch(messageOf);
      if (why === null) kept.push(run);
      else lost.push({ run, why });
    }
    return { kept, lost, unreadable: null };
  } finally {
    await source.close().catch(() => undefined);
  }
}

/** null: it was copied. Else why it was not. */
async function copyRun(source: Store, target: Store, run: RunId): Promise<string | null> {
  const report = await source.journal.verify(run);
  if (!report.intact) return `event ${report.seq}: ${report.problem}`;
  const row = await source.runs.get(run);
  const plan = row && (await source.journal.plan(row.plan));
  const [first, ...more] = await source.journal.read(run, 0, PAGE);
  if (plan === undefined || first === undefined) return "its plan or its first event is missing";
  await target.journal.create(run, plan, [first.event]);
  for (let [seq, page] = [1, more]; page.length > 0; page = [...(await source.journal.read(run, seq, PAGE))]) {
    const events = page.map(({ event }) => event);
    const { appended } = await target.journal.append(run, seq + 1, events);
    if (!appended) return "its copy could not be continued";
    seq += page.length;
  }
  const copied = await target.journal.verify(run);
  return copied.intact && copied.head === report.head ? null : "its copy is not the same";
}

async function copyRecords(from: string, to: string): Promise<readonly string[]> {
  const driver = await loadDriver();
  const target = driver.open(stateFiles(to).file, { timeout: 5000 });
  try {
    return RECORDS.flatMap(([what, tables]) => {
      try {
        const source = driver.open(stateFiles(from).file, { readOnly: true, timeout: 5000 });
        try {
          copyTables(source, target, tables);
          return [];
        } finally {
          source.close();
        }
      } catch {
        return [what];
      }
    });
  } finally {
    target.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    target.close();
  }
}

/** All of them or none. */
function copyTables(source: Database, target: Database, tables: readonly string[]): void {
  target.exec("BEGIN IMMEDIATE");
  try {
    for (const table of tables)
      for (const row of source.prepare<Record<string, SqlValue>>(`SELECT * FROM ${table}`).iterate()) {
        const names = Object.keys(row);
        const places = names.map(() => "?").join(", ");
        target.prepare(`INSERT INTO ${table}(${names.join(", ")}) VALUES(${places})`).run(...Object.values(row));
      }
    target.exec("COMMIT");
  } catch (error) {
    target.exec("ROLLBACK");
    throw error;
  }
}

function messageOf(error: unknown): string {
  return isPawlError(error) || error instanceof Error ? error.message : String(error);
}
