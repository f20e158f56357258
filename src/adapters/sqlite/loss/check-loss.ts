/**
 * Finds out whether acknowledged events are gone. The newest events live in the -wal file until the last process closes the
 * journal, and SQLite takes a missing one for an empty one. Two things betray the loss:
 * 1. SQLite makes -wal before -shm and removes it after: -shm without -wal means that somebody took -wal away.
 * 2. Each writer notes, at its first event and now and then, how far it knows the journal to be durable (host-lock.ts): a journal that ends before has lost events.
 *    Whoever closes cleanly, in whatever order, leaves a journal that has every noted event, so there is no false alarm.
 */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { pawlError } from "../../../base/errors.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import type { Database, Driver } from "../driver.ts";
import { hostIds, isHostAlive, lastSeen, removeDeadHost } from "../file/host-lock.ts";
import { isBlank, type OpenChoice, type StateFiles, sizeOf } from "../file/state-files.ts";
import { blankness } from "./store-id.ts";

const LOOKS = 3;

/** Before the file is opened, which would make a new -wal. */
export async function checkWalPresent(driver: Driver, files: StateFiles, choice: OpenChoice): Promise<void> {
  const { file } = files;
  if (isBlank(file)) return checkNeverStored(files, choice);
  for (let look = 0; look < LOOKS; look += 1) {
    // Between two looks another process may close the last connection, or open the first.
    const shared = existsSync(`${file}-shm`);
    if (!shared || existsSync(`${file}-wal`)) return;
    await sleep(10);
  }
  const living = hostIds(files.hosts).some((id) => isHostAlive(driver, files.hosts, id));
  if (living)
    throw missing(
      file,
      "a process still uses the journal; end it first, because going on beside it would damage the file",
    );
  if (!choice.acceptLoss) throw missing(file, "events that were acknowledged shortly before it ended may be lost");
}

/** A journal that is not there, or is empty, is new only if nothing tells of events in it. */
function checkNeverStored(files: StateFiles, choice: OpenChoice): void {
  const { file } = files;
  const wal = `${file}-wal`;
  const [walBytes, events] = [sizeOf(wal), noted(files)];
  // Another process has made it between two looks: SQLite fills the file before its -wal.
  if (!isBlank(file)) return;
  const problem = blankness(files);
  if (walBytes > 0) {
    throw pawlError(JOURNAL_ERRORS, "JOURNAL_CORRUPT", {
      file,
      detail: `${problem}, although ${wal} holds events of it`,
    });
  }
  if (events > 0 && !choice.acceptLoss) {
    throw pawlError(JOURNAL_ERRORS, "JOURNAL_CORRUPT", {
      file,
      detail: `${problem}, although ${events} events were stored in it`,
    });
  }
}

/**
 * After the file was opened and a -wal, if there is one, was taken in; db is null when there is nothing in it. `seen` was noted
 * before anything of the file was read: what another process stores meanwhile is no loss.
 * With `acceptLoss` the notes that do not fit are dropped.
 */
export function checkNothingLost(
  seen: number,
  db: Database | null,
  driver: Driver,
  files: StateFiles,
  choice: OpenChoice,
): void {
  if (seen === 0) return;
  const stored = db?.prepare<{ last: number | null }>("SELECT max(id) AS last FROM events").get()?.last ?? 0;
  if (stored >= seen) return;
  if (!choice.acceptLoss) throw missing(files.file, `at least ${seen - stored} acknowledged events are lost`);
  if (!choice.readOnly) for (const id of hostIds(files.hosts)) removeDeadHost(driver, files.hosts, id);
}

/** The number of the last event that any writer has noted as durable. */
export function noted(files: StateFiles): number {
  return hostIds(files.hosts).reduce((most, id) => Math.max(most, lastSeen(files.hosts, id)), 0);
}

function missing(file: string, detail: string): Error {
  return pawlError(JOURNAL_ERRORS, "JOURNAL_WAL_MISSING", { file, detail });
}
