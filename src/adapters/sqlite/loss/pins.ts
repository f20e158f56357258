/**
 * Keeps the pin of a store: within a second of a commit, and when the store is closed. What it names is synced first, so that
 * after a power cut it is behind the database at most. A pin that is missing, damaged, or names what the database does not have is
 * left as it is: it is all that tells of the loss.
 */
import type { Database } from "../driver.ts";
import type { StateFiles } from "../file/state-files.ts";
import { createWalSync } from "../file/wal-sync.ts";
import { EMPTY_PIN, type Pin, readPin, replacePin, replacePinLater, sweepPins } from "./pin.ts";

export interface Pins {
  /** Something was committed. */
  committed(): void;
  /** Pins what was committed; resolves when that is durable. */
  close(): Promise<void>;
}

/** How far the pin may be behind, as the documentation says. */
const BEHIND_MS = 1000;

export const NO_PINS: Pins = { committed: () => undefined, close: async () => undefined };

export function createPins(db: Database, files: StateFiles): Pins {
  const wal = createWalSync(files.file);
  const look = createLook(db);
  sweepPins(files.dir);
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  let isBehind = false;

  async function pin(): Promise<void> {
    isBehind = false;
    const [before, now] = [readPin(files.dir), look()];
    if (!mayFollow(look, before, now)) return;
    await wal.sync();
    // Another process may have been quicker.
    if (mayFollow(look, readPin(files.dir), now)) await replacePinLater(files.dir, now);
  }

  /** What was committed is durable without it: only a loss of the newest runs would go unnoticed. */
  function begin(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    underWay = underWay.then(pin).catch(() => undefined);
    return underWay;
  }

  return {
    committed() {
      isBehind = true;
      timer ??= setTimeout(begin, BEHIND_MS).unref();
    },
    async close() {
      if (isBehind) await begin();
      await underWay;
      clearTimeout(timer);
      wal.close();
    },
  };
}

/** Whether `now` goes on from the pin that is there. */
function mayFollow(look: (at?: Pin) => Pin, before: ReturnType<typeof readPin>, now: Pin): boolean {
  if (before.state !== "found") return false;
  const { entries, entry, events, event } = before.pin;
  if (entries > now.entries || events > now.events || (entries === now.entries && events === now.events)) return false;
  const then = look(before.pin);
  return then.entry === entry && then.event === event;
}

/** Makes the pin anew, because a person takes the journal as it is. */
export function pinAsItIs(db: Database, dir: string): void {
  db.prepare("UPDATE store SET lost = ?1 WHERE lost IS NULL").run(JSON.stringify({ why: "a person took it as it is" }));
  replacePin(dir, createLook(db)());
}

interface Row {
  readonly entries: number;
  readonly entry: string | null;
  readonly runs: number;
  readonly events: number;
  readonly event: string | null;
}

/** One statement, so one look: how far the store has come, or, of an earlier pin, what stands at its places now. */
function createLook(db: Database): (at?: Pin) => Pin {
  const statement = db.prepare<Row>(`WITH place(entries, events) AS (SELECT
      coalesce(?1, (SELECT max(n) FROM chain), 0), coalesce(?2, (SELECT max(id) FROM events), 0))
    SELECT entries, events, (SELECT hash FROM chain WHERE n = entries) AS entry,
      coalesce((SELECT runs FROM chain WHERE n = entries), 0) AS runs, (SELECT hash FROM events WHERE id = events) AS event
    FROM place`);
  return (at) => {
    const row = statement.get(at?.entries ?? null, at?.events ?? null) as Row;
    return { ...row, entry: row.entry ?? EMPTY_PIN.entry, event: row.event ?? EMPTY_PIN.event };
  };
}
