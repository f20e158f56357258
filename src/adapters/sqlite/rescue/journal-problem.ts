/** Whether a journal can still be believed: that it is there, that its pages are whole, and that the chain of every run holds. Changes nothing. */
import { isPawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import type { Store } from "../../../ports/store/store.ts";
import { loadDriver } from "../driver.ts";
import { loopFiles, sizeOf, stateFiles } from "../file/state-files.ts";
import { openSqliteLoops } from "../loops/loop-store.ts";
import { requireStores } from "../loss/require-stores.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../store.ts";

export interface StoreProblem {
  readonly store: "journal" | "loops";
  readonly code: string;
  readonly what: string;
}

/** What a new store would help against. A full disk, a missing permission or a newer format is none of these. */
const DAMAGE = new Set(["JOURNAL_CORRUPT", "JOURNAL_LOST", "JOURNAL_WAL_MISSING", "LOOPS_LOST"]);

type Place = Pick<SqliteStoreOptions, "dir" | "clock" | "traces">;

/** null: it is as it should be, or there never was one. Rejects with what no new store would help against. */
export async function journalProblem(place: Place): Promise<StoreProblem | null> {
  return damage("journal", async () => {
    requireStores(place.dir, place.traces ?? (() => null), ["journal"]);
    const store = await openSqliteStore({ ...place, readOnly: true });
    try {
      return await contentProblem(store, await runsIn(place.dir));
    } finally {
      await store.close();
    }
  });
}

export async function loopsProblem({ dir, clock }: Place): Promise<StoreProblem | null> {
  return damage("loops", async () => {
    requireStores(dir, () => null, ["loops"]);
    if (sizeOf(loopFiles(dir).file) === 0) return null;
    await (await openSqliteLoops({ dir, clock, readOnly: true })).close();
    const db = (await loadDriver()).open(loopFiles(dir).file, { readOnly: true, timeout: 5000 });
    try {
      const [first] = db.prepare<{ integrity_check: string }>("PRAGMA integrity_check").all();
      return first === undefined || first.integrity_check === "ok" ? null : first.integrity_check;
    } finally {
      db.close();
    }
  });
}

async function damage(store: StoreProblem["store"], look: () => Promise<string | null>): Promise<StoreProblem | null> {
  try {
    const what = await look();
    return what === null ? null : { store, code: "JOURNAL_CORRUPT", what };
  } catch (error) {
    if (isPawlError(error) && DAMAGE.has(error.code)) return { store, code: error.code, what: error.message };
    // A page that cannot be read surfaces as an error of SQLite, wherever it is met.
    if (!isPawlError(error) && error instanceof Error && /malformed|not a database/.test(error.message))
      return { store, code: "JOURNAL_CORRUPT", what: error.message };
    throw error;
  }
}

async function contentProblem(store: Store, runs: readonly RunId[]): Promise<string | null> {
  const [first] = [...(await store.integrity()), ...(await store.chain.standing()).problems];
  if (first !== undefined) return first;
  for (const run of runs) {
    const report = await store.journal.verify(run);
    if (!report.intact) return `run ${run} is damaged at event ${report.seq}: ${report.problem}`;
  }
  return null;
}

/** Every run of a journal that opens, oldest first; as many as can be read of a damaged one. */
export async function runsIn(dir: string): Promise<readonly RunId[]> {
  const { file } = stateFiles(dir);
  if (sizeOf(file) === 0) return [];
  const db = (await loadDriver()).open(file, { readOnly: true, timeout: 5000 });
  try {
    const read = (order: "ASC" | "DESC"): RunId[] => {
      const found: RunId[] = [];
      try {
        for (const { run } of db.prepare<{ run: RunId }>(`SELECT run FROM runs ORDER BY id ${order}`).iterate())
          found.push(run);
      } catch {
        // Behind a damaged page nothing can be read from this side.
      }
      return found;
    };
    const oldest = read("ASC");
    // From the other side, for those behind the damage.
    return [...new Set([...oldest, ...read("DESC").reverse()])];
  } finally {
    db.close();
  }
}
