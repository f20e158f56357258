/**
 * Starts a damaged or lost store anew. Nothing is deleted: what was there is moved aside, and a new journal has every run that the old one still
 * proves. A crash at any step leaves a store that is refused as before, and the next call continues where this one was cut off.
 *
 *   lost/<time>/              what was moved aside: pawl.db with its -wal, loops.db, hosts/, workers/, the pin and the ids
 *   lost/<time>/under-way     while the new journal is not in its place yet
 *   lost/<time>/new/          the new journal while it is being made
 */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import { formatInstant } from "../../../base/text/instant.ts";
import type { Clock } from "../../../ports/clock.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import { type Driver, loadDriver } from "../driver.ts";
import { hostIds, isHostAlive } from "../file/host-lock.ts";
import { isBlank, loopFiles, type StateFiles, stateFiles } from "../file/state-files.ts";
import { syncFolder } from "../file/sync-folder.ts";
import { pinPath } from "../loss/pin.ts";
import { type Copied, copyStore } from "./copy-store.ts";

export interface Restart {
  readonly dir: string;
  readonly clock: Clock;
  readonly journal: boolean;
  readonly loops: boolean;
  /** What was wrong, for whoever asks the new journal what it lacks. */
  readonly why: string;
}

export interface Restarted extends Copied {
  /** The folder that what was there lies in now. */
  readonly aside: string;
}

const NOTHING: Copied = { kept: [], lost: [], lostRecords: [], unreadable: null };
const UNDER_WAY = "under-way";

/** Rejects with JOURNAL_IN_USE while a process uses one of the stores. */
export async function restartStores(restart: Restart): Promise<Restarted> {
  const { dir, clock, journal, loops } = restart;
  const driver = await loadDriver();
  for (const files of [stateFiles(dir), loopFiles(dir)]) requireUnused(driver, files);
  const aside = unfinished(dir) ?? begun(dir, clock);
  if (loops) moveAside(loopFiles(dir), aside);
  const copied = journal ? await restartJournal(restart, aside, driver) : NOTHING;
  rmSync(join(aside, UNDER_WAY), { force: true });
  syncFolder(aside);
  return { aside, ...copied };
}

async function restartJournal({ dir, clock, why }: Restart, aside: string, driver: Driver): Promise<Copied> {
  const files = stateFiles(dir);
  const [work, made] = [join(aside, "work"), join(aside, "new")];
  // One that is there although the old one was moved is the new one: only the last step is missing.
  const isPlaced = existsSync(join(aside, basename(files.file))) && !isBlank(files.file);
  let copied = NOTHING;
  if (!isPlaced) {
    moveAside(files, aside);
    for (const folder of [work, made]) rmSync(folder, { recursive: true, force: true });
    mkdirSync(work, { mode: 0o700 });
    for (const name of ["pawl.db", "pawl.db-wal"])
      if (existsSync(join(aside, name))) cpSync(join(aside, name), join(work, name));
    copied = await copyStore(work, made, clock);
    noteLoss(driver, made, { at: clock.now(), why, aside, kept: copied.kept.length });
    rmSync(work, { recursive: true, force: true });
    move(pinPath(made), pinPath(dir));
    move(stateFiles(made).file, files.file);
  }
  move(stateFiles(made).id as string, files.id as string);
  rmSync(made, { recursive: true, force: true });
  return copied;
}

/** The new journal knows that older runs were lost. */
function noteLoss(driver: Driver, dir: string, loss: Readonly<Record<string, unknown>>): void {
  const db = driver.open(stateFiles(dir).file, { timeout: 5000 });
  db.prepare("UPDATE store SET lost = ?1").run(JSON.stringify(loss));
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

function requireUnused(driver: Driver, { file, hosts }: StateFiles): void {
  if (hostIds(hosts).some((id) => isHostAlive(driver, hosts, id)))
    throw pawlError(JOURNAL_ERRORS, "JOURNAL_IN_USE", { file });
}

function moveAside(files: StateFiles, aside: string): void {
  const { dir, file, hosts, id } = files;
  const isJournal = file === stateFiles(dir).file;
  for (const path of [file, `${file}-wal`, `${file}-shm`, hosts, ...(isJournal ? [pinPath(dir)] : [])])
    move(path, freeName(join(aside, basename(path))));
  // Of the journal it stays until the new one has its own: until then everything refuses the folder.
  if (!isJournal && id !== null) move(id, freeName(join(aside, `${basename(id)}.id`)));
}

/** What was moved before stays as it is. */
function freeName(path: string): string {
  for (let next = 1; ; next += 1) {
    const name = next === 1 ? path : `${path}.${next}`;
    if (!existsSync(name)) return name;
  }
}

function move(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  renameSync(from, to);
  for (const folder of [dirname(from), dirname(to)]) syncFolder(folder);
}

function begun(dir: string, clock: Clock): string {
  const time = formatInstant(clock.now()).replaceAll(":", "");
  for (let next = 1; ; next += 1) {
    const aside = join(dir, "lost", next === 1 ? time : `${time}-${next}`);
    if (existsSync(aside)) continue;
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    writeFileSync(join(aside, UNDER_WAY), "", { mode: 0o600 });
    for (const folder of [aside, dirname(aside), dir]) syncFolder(folder);
    return aside;
  }
}

function unfinished(dir: string): string | null {
  const folder = join(dir, "lost");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find((each) => existsSync(join(folder, each, UNDER_WAY)));
  return name === undefined ? null : join(folder, name);
}
