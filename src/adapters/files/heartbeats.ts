/**
 * Heartbeats as small files, one for each stage, replaced as a whole. They are written a moment after they were given:
 * of a stage that ends at once only the end is written. They are not synced, for they tell of now only.
 */
import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import type { RunId } from "../../base/ids.ts";
import type { Heartbeat, Heartbeats } from "../../ports/heartbeats.ts";
import { NEW_FILE } from "./durable.ts";

export interface FileHeartbeatsOptions {
  readonly dir: string;
  /** Time between a heartbeat and its file. */
  readonly delayMs?: number;
}

const DELAY_MS = 100;
/** A file that is longer is none of ours. */
const LONGEST = 64 * 1024;
const SUFFIX = ".json";
/** A heartbeat, or one that a host was killed over; the id of the run is in it. */
const NAME = /^(?:\.\d+-\d+-)?([A-Za-z0-9_]+)-[0-9a-f]{24}\.json$/;

export function createFileHeartbeats({ dir, delayMs = DELAY_MS }: FileHeartbeatsOptions): Heartbeats {
  const pending = new Map<string, Heartbeat>();
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> = Promise.resolve();
  let writes = 0;

  const write = async (name: string, fact: Heartbeat): Promise<void> => {
    writes += 1;
    const temporary = join(dir, `.${process.pid}-${writes}-${name}`);
    try {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      await writeFile(temporary, `${JSON.stringify(fact)}\n`, { flag: NEW_FILE, mode: 0o600 });
      await rename(temporary, join(dir, name));
    } catch {
      // A disk that is full must not end the stage; the next heartbeat tries again.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const due = [...pending];
    pending.clear();
    work = work.then(async () => {
      for (const [name, fact] of due) await write(name, fact);
    });
    return work;
  };

  return {
    beat: (fact) => {
      pending.set(fileOf(fact.run, fact.stage), fact);
      timer ??= setTimeout(() => void flush(), delayMs);
    },
    read: async (run) => {
      await flush();
      const facts: Heartbeat[] = [];
      for (const name of await filesOf(dir, run)) {
        const fact = await readHeartbeat(join(dir, name), run);
        if (fact !== undefined) facts.push(fact);
      }
      return facts.sort((a, b) => (a.stage < b.stage ? -1 : 1));
    },
    runs: async () => {
      const names = await readdir(dir).catch(() => []);
      return [...new Set(names.flatMap((name) => NAME.exec(name)?.[1] ?? []))] as RunId[];
    },
    clear: async (run) => {
      for (const name of pending.keys()) if (name.startsWith(prefixOf(run))) pending.delete(name);
      await flush();
      const names = await readdir(dir).catch(() => []);
      const own = names.filter((name) => NAME.exec(name)?.[1] === run);
      for (const name of new Set([...own, ...(await filesOf(dir, run))]))
        await rm(join(dir, name), { force: true, recursive: true });
    },
  };
}

function prefixOf(run: RunId): string {
  return `${encodeURIComponent(run)}-`;
}

function fileOf(run: RunId, stage: string): string {
  return `${prefixOf(run)}${sha256(stage).slice(0, 24)}${SUFFIX}`;
}

async function filesOf(dir: string, run: RunId): Promise<readonly string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => name.startsWith(prefixOf(run)) && name.endsWith(SUFFIX));
}

async function readHeartbeat(path: string, run: RunId): Promise<Heartbeat | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile() || found.size > LONGEST) return undefined;
      const fact: unknown = JSON.parse(await readFile(file, "utf8"));
      return isHeartbeat(fact) && fact.run === run ? fact : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

const STATES: ReadonlySet<unknown> = new Set(["starting", "running", "ended"]);
const TEXTS = ["run", "stage", "command", "logPath", "lastLine"];
const NUMBERS = [
  ...["attempt", "startedAt", "at", "elapsedMs", "outputBytes"],
  ...["bytesPerSecond", "cpuMs", "memoryBytes"],
];

function isHeartbeat(value: unknown): value is Heartbeat {
  if (typeof value !== "object" || value === null) return false;
  const fact = value as Record<string, unknown>;
  return (
    STATES.has(fact["state"]) &&
    TEXTS.every((name) => typeof fact[name] === "string") &&
    NUMBERS.every((name) => typeof fact[name] === "number") &&
    ["pid", "etaMs"].every((name) => fact[name] === null || typeof fact[name] === "number")
  );
}
