/** The store of loops on SQLite: a file beside the journal, so that queues and schedules cost a run nothing. */
import { pawlError } from "../../../base/errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import type { LoopStore } from "../../../ports/loops/loop-store.ts";
import { type Database, type Driver, loadDriver } from "../driver.ts";
import { storeFailure } from "../file/failures.ts";
import { closeIfBroken, openDatabase } from "../file/open-database.ts";
import { identityOf, outdatedCheck } from "../file/outdated.ts";
import { type FileSystem, fileSystemIn, loopFiles, type StateFiles, stateFiles } from "../file/state-files.ts";
import { writerOf } from "../file/writer-of.ts";
import { createGroupCommit, PATIENCE_MS } from "../group-commit.ts";
import { createHosts } from "../hosts.ts";
import { createSqliteAdmissions } from "./admissions.ts";
import { createSqliteBoard } from "./board.ts";
import { createSqliteJobs } from "./jobs.ts";
import type { LoopParts } from "./loop-parts.ts";
import { LOOPS_SCHEMA } from "./schema.ts";
import { createSqliteSlots } from "./slots.ts";

export interface SqliteLoopsOptions {
  /** The state directory; made if it is not there. */
  readonly dir: string;
  readonly clock: Clock;
  /** Writes nothing. A directory without loops is one where nothing waits. */
  readonly readOnly?: boolean;
  /** Goes on although what was stored last is lost (JOURNAL_WAL_MISSING). */
  readonly acceptLoss?: boolean;
  /** Of this machine, not of a project: nothing is missed when it is swept with other temporary files. */
  readonly isOfMachine?: boolean;
  readonly driver?: Driver;
  readonly fileSystem?: FileSystem;
  /** The clock of leases, see LoopParts; that of the machine if not given. */
  readonly uptime?: () => number;
}

/** Rejects with JOURNAL_* when the store cannot be opened; it is then left as it was. */
export async function openSqliteLoops(options: SqliteLoopsOptions): Promise<LoopStore> {
  const { dir, clock, readOnly = false, acceptLoss = false, uptime = machineUptime } = options;
  const driver = options.driver ?? (await loadDriver());
  const files = { ...loopFiles(dir), ...(options.isOfMachine === true ? { id: null } : {}) };
  const before = identityOf(files.file);
  const db = await openDatabase(driver, files, { readOnly, acceptLoss, ...fileSystemIn(options) }, LOOPS_SCHEMA);
  return closeIfBroken(db, files, () => assemble({ db, driver, files, clock, readOnly, uptime, before }));
}

/** The same for every process of this machine, unlike `performance.now`. */
export function machineUptime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

interface Opened {
  readonly db: Database;
  readonly driver: Driver;
  readonly files: StateFiles;
  readonly clock: Clock;
  readonly readOnly: boolean;
  readonly uptime: () => number;
  /** See `outdatedCheck`. */
  readonly before: string;
}

function assemble({ db, driver, files, clock, readOnly, uptime, before }: Opened): LoopStore {
  const { file } = files;
  let closed = false;

  async function guarded<T>(work: () => T): Promise<T> {
    if (closed) throw pawlError(JOURNAL_ERRORS, "JOURNAL_CLOSED", { file });
    return translated(work);
  }

  function translated<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeFailure(error, file);
    }
  }

  const hosts = createHosts({ db, driver, dir: files.hosts, clock, newest: () => 0 });
  const idle = (): void => undefined;
  const commits = createGroupCommit(db, {
    ...{ file, readOnly, patienceMs: PATIENCE_MS, begun: idle, committing: idle, committed: idle },
    rolledBack: hosts.clear,
  });
  const becomeHost = (): void => {
    translated(() => hosts.lock());
  };
  const parts: LoopParts = { db, commits, hosts, guarded, becomeHost, uptime };

  return {
    jobs: createSqliteJobs(parts),
    board: createSqliteBoard(parts),
    admissions: createSqliteAdmissions(parts),
    slots: createSqliteSlots(parts),
    writers: async () => [stateFiles(files.dir), files].flatMap(({ file: each }) => writerOf(each) ?? []),
    isOutdated: outdatedCheck(db, { file, readOnly, before }),
    async close() {
      if (closed) return;
      closed = true;
      commits.close();
      db.close();
      hosts.release(true);
    },
  };
}
