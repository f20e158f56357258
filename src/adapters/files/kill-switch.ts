/**
 * The kill switch as files that a person can make by hand:
 *
 *   .pawl/kill         everything; `touch .pawl/kill` is enough, and `rm .pawl/kill` lets go again
 *   .pawl/kill-<run>   one run
 *   STATE.md           a line `loop-pause-all: true` at the project root: everything
 *
 * What is in a flag file says who and why, as JSON; whatever else it holds, it is a flag. One look reads one folder and
 * asks for the age of one file.
 */
import { closeSync, constants, openSync, readdirSync, readSync, type Stats, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { pausesAll } from "../../limits/kill/pauses-all.ts";
import { FILE_ERRORS } from "../../ports/errors/file-errors.ts";
import type { KillScope, KillSwitch, Pulled } from "../../ports/stop/kill-switch.ts";
import { syncFolder, writeAll } from "./durable.ts";
import { errnoOf } from "./store-errors.ts";

export interface FileKillSwitchOptions {
  /** The state directory; made by whoever opens the project. */
  readonly stateDir: string;
  readonly root: string;
}

/** How old a look may be. Asked before every effect, it must cost nothing; whoever pulls waits longer than this. */
const STALE_MS = 20;
const WATCH_MS = 40;
const YOUNG_MS = 100;
const ALL = "kill";
const ONE = "kill-";
const STATE_FILE = "STATE.md";
const MOST_FLAG_BYTES = 4096;
const MOST_STATE_BYTES = 1 << 20;
const MOST_TEXT = 500;
const GONE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);

/** What the last look has found. */
interface Look {
  readonly all: Pulled | null;
  readonly runs: ReadonlyMap<string, Pulled>;
}

const NOTHING: Look = { all: null, runs: new Map() };

export function createFileKillSwitch({ stateDir, root }: FileKillSwitchOptions): KillSwitch {
  const stateFlag = createStateFlag(root);
  const watches = new Set<() => void>();
  let timer: NodeJS.Timeout | null = null;
  let last = NOTHING;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function look(): Look {
    const names = namesIn(stateDir).filter((name) => name === ALL || name.startsWith(ONE));
    const foreign = stateFlag();
    if (names.length === 0 && foreign === null) return NOTHING;
    const runs = new Map<string, Pulled>();
    for (const name of names) if (name !== ALL) runs.set(name.slice(ONE.length), readFlag(stateDir, name));
    return { all: names.includes(ALL) ? readFlag(stateDir, ALL) : foreign, runs };
  }

  function fresh(): Look {
    const now = performance.now();
    if (now - lookedAt < STALE_MS) return last;
    last = look();
    lookedAt = now;
    return last;
  }

  const find = ({ all, runs }: Look, scope: KillScope): Pulled | null => all ?? runs.get(scope) ?? null;
  const forget = (): void => {
    lookedAt = Number.NEGATIVE_INFINITY;
  };

  /** Nobody watches any more: the timer ends with its next turn, unless somebody does again. To begin one costs more. */
  function tick(): void {
    for (const check of [...watches]) check();
    if (watches.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  return {
    async pull({ scope, by, why, at }) {
      await writeFlag(stateDir, nameOf(scope), { by, why, at });
      forget();
    },
    pulled: (scope) => find(fresh(), scope),
    watch(run, onPull) {
      const check = (): void => {
        const pulled = orNull(() => find(fresh(), run));
        if (pulled !== null && watches.delete(check)) onPull(pulled);
      };
      watches.add(check);
      timer ??= setInterval(tick, WATCH_MS).unref();
      // Not before the caller has what ends the watch.
      queueMicrotask(check);
      return () => void watches.delete(check);
    },
    async release(scope) {
      const { all, runs } = look();
      const found = scope === "all" ? [all, ...runs.values()] : [runs.get(scope) ?? null];
      const released = found.filter((pulled): pulled is Pulled => pulled !== null && !pulled.isForeign);
      for (const { scope: each } of released) await rm(join(stateDir, nameOf(each)), { recursive: true, force: true });
      if (released.length > 0) await syncFolder(stateDir);
      forget();
      return { released, left: find(look(), scope) };
    },
  };
}

/** Whoever watches is told nothing while nothing can be known: the question before each effect is then an error. */
function orNull(find: () => Pulled | null): Pulled | null {
  try {
    return find();
  } catch {
    return null;
  }
}

function nameOf(scope: KillScope): string {
  return scope === "all" ? ALL : `${ONE}${scope}`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (GONE.has(errnoOf(error))) return [];
    throw unreadable(folder, error);
  }
}

function unreadable(path: string, error: unknown): Error {
  return pawlError(FILE_ERRORS, "FILE_FLAG_UNREADABLE", { path, detail: errnoOf(error) }, { cause: error });
}

/** That it is there is all that counts; a flag that cannot be read, or is gone by now, was pulled all the same. */
function readFlag(folder: string, name: string): Pulled {
  const path = join(folder, name);
  const facts = jsonIn(path);
  const at = facts["at"];
  const scope = name === ALL ? "all" : (name.slice(ONE.length) as RunId);
  const source = `.pawl/${name}`;
  const by = textOf(facts["by"]) || "somebody who made the file";
  return { scope, by, why: textOf(facts["why"]), at: isTime(at) ? at : madeAt(path), source, isForeign: false };
}

function jsonIn(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(beginningOf(path, MOST_FLAG_BYTES));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MOST_TEXT) : "";
}

function madeAt(path: string): number {
  return Math.trunc(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

/** The name counts, so it is made first: on a full disk an empty flag stands. */
async function writeFlag(
  folder: string,
  name: string,
  facts: { readonly by: string; readonly why: string; readonly at: number },
): Promise<void> {
  const path = join(folder, name);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    const handle = await open(path, flags, 0o600);
    try {
      await writeAll(handle, Buffer.from(`${JSON.stringify(facts)}\n`)).catch(() => undefined);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) !== "EEXIST")
      throw pawlError(FILE_ERRORS, "FILE_FLAG_UNWRITABLE", { path, detail: errnoOf(error) }, { cause: error });
  }
  await syncFolder(folder);
}

/** Reads the file only when it has changed. */
function createStateFlag(root: string): () => Pulled | null {
  const path = join(root, STATE_FILE);
  let seen = "";
  let flag: Pulled | null = null;
  return () => {
    const found = statOf(path);
    const mark = found === undefined ? "" : `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}`;
    // Two changes in one tick of the clock of the file system look like one.
    const isYoung = found !== undefined && Date.now() - found.mtimeMs < YOUNG_MS;
    if (mark === seen && !isYoung) return flag;
    flag = found === undefined || !found.isFile() ? null : readState(path, Math.trunc(found.mtimeMs));
    seen = mark;
    return flag;
  };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unreadable(path, error);
  }
}

function beginningOf(path: string, most: number): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(most);
    let used = 0;
    for (let got = -1; got !== 0 && used < most; used += got)
      got = readSync(descriptor, bytes, used, most - used, null);
    return bytes.toString("utf8", 0, used);
  } finally {
    closeSync(descriptor);
  }
}

function readState(path: string, at: number): Pulled | null {
  try {
    const line = pausesAll(beginningOf(path, MOST_STATE_BYTES));
    if (line === null) return null;
    const source = `${STATE_FILE}:${line}`;
    return {
      scope: "all",
      by: `whoever wrote ${STATE_FILE}`,
      why: "loop-pause-all: true",
      at,
      source,
      isForeign: true,
    };
  } catch (error) {
    if (GONE.has(errnoOf(error))) return null;
    throw unreadable(path, error);
  }
}
