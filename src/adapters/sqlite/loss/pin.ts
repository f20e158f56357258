/**
 * The pin: a small file beside the database that says how far the journal had come, so that a run that was deleted, or a
 * database that was exchanged for an older copy, is noticed. It is written only after what it names is durable, so after a
 * crash it is at most behind the database and never ahead of it. It has a digest of its own, so that an edit is noticed.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { sha256 } from "../../../base/digest.ts";
import { canonical, type JsonValue } from "../../../base/json.ts";
import { readShort } from "../file/read-short.ts";
import { syncFolder } from "../file/sync-folder.ts";

/** How far a journal has come. All are 0 and empty before the first run. */
export interface Pin {
  /** Entries in the chain of runs, and the hash of the last. */
  readonly entries: number;
  readonly entry: string;
  /** Runs that were ever created. */
  readonly runs: number;
  /** Row id of the newest event, and its hash. */
  readonly events: number;
  readonly event: string;
}

/** `damaged`: the file is there, and what it says cannot be believed. */
export type ReadPin =
  | { readonly state: "found"; readonly pin: Pin }
  | { readonly state: "missing" }
  | { readonly state: "damaged"; readonly problem: string };

/** What stands in the file while nothing was stored yet. */
export const EMPTY_PIN: Pin = { entries: 0, entry: "", runs: 0, events: 0, event: "" };

const FORMAT = 1;
/** No write of a pin takes so long. */
const ABANDONED_MS = 3_600_000;
/** A larger file is none of ours. */
const MOST_BYTES = 4096;
const HASH = /^([A-Za-z0-9_-]{43})?$/;

export function pinPath(dir: string): string {
  return join(dir, "pawl.pin");
}

/** Reads the pin of a state folder; changes nothing. To be called before the database is looked at, which may grow meanwhile. */
export function readPin(dir: string): ReadPin {
  let text: string;
  try {
    text = readShort(pinPath(dir));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { state: "missing" } : { state: "damaged", problem: `it cannot be read: ${message}` };
  }
  return parsePin(text);
}

/** The text of the file: one line of JSON, with a digest over all the rest. */
export function pinText(pin: Pin): string {
  const { entries, entry, runs, events, event } = pin;
  const body = { version: FORMAT, entries, entry, runs, events, event };
  return `${canonical({ ...body, digest: sha256(canonical(body)) })}\n`;
}

export function parsePin(text: string): ReadPin {
  const damaged = (problem: string): ReadPin => ({ state: "damaged", problem });
  if (text.length > MOST_BYTES) return damaged("it is too long");
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return damaged("it is not JSON");
  }
  const read = value as unknown as Pin | null;
  if (!isPin(read)) return damaged("it is no pin");
  const { entries, entry, runs, events, event } = read;
  const pin = { entries, entry, runs, events, event };
  // The same pin has one text only: what was added or changed anywhere makes another.
  return pinText(pin) === text ? { state: "found", pin } : damaged("it does not match its own digest");
}

function isPin(value: Pin | null): value is Pin {
  if (typeof value !== "object" || value === null) return false;
  const isCount = (count: unknown): boolean => Number.isSafeInteger(count) && (count as number) >= 0;
  const isHash = (hash: unknown): boolean => typeof hash === "string" && HASH.test(hash);
  return [value.entries, value.runs, value.events].every(isCount) && [value.entry, value.event].every(isHash);
}

/** Puts a pin where none is; one that is there stays as it is. Durable when it returns. */
export function createPin(dir: string, pin: Pin): void {
  const path = temporary(dir);
  try {
    writeDurably(path, pin);
    linkSync(path, pinPath(dir));
    syncFolder(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(path, { force: true });
  }
}

/** Puts a pin in the place of the one before: a crash leaves the one or the other. Durable when it returns. */
export function replacePin(dir: string, pin: Pin): void {
  const path = temporary(dir);
  try {
    writeDurably(path, pin);
    renameSync(path, pinPath(dir));
    syncFolder(dir);
  } finally {
    rmSync(path, { force: true });
  }
}

/** The same while the event loop goes on. */
export async function replacePinLater(dir: string, pin: Pin): Promise<void> {
  const path = temporary(dir);
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(pinText(pin));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(path, pinPath(dir));
    const folder = await open(dir, constants.O_RDONLY | constants.O_DIRECTORY);
    await folder.sync().finally(() => folder.close());
  } finally {
    await rm(path, { force: true });
  }
}

/** Removes what a write left behind whose process was killed. */
export function sweepPins(dir: string): void {
  const prefix = `${basename(pinPath(dir))}.`;
  for (const path of readdirSync(dir).flatMap((name) => (name.startsWith(prefix) ? [join(dir, name)] : []))) {
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > ABANDONED_MS) rmSync(path, { force: true });
  }
}

/** A name that only this call knows. */
function temporary(dir: string): string {
  return `${pinPath(dir)}.${process.pid}-${randomBytes(6).toString("hex")}`;
}

function writeDurably(path: string, pin: Pin): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeFileSync(file, pinText(pin));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
