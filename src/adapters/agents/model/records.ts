/** What a session has to remember, in the home of its task: written by us, so nothing behind the wall can change it. */
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";

export interface Records {
  /** In the order in which they are told; resolves when it is durable, if that is asked for. Rejects when the store fails. */
  keep(record: JsonObject, isDurable: boolean): Promise<void>;
  /** Resolves when all are stored. */
  close(): Promise<void>;
}

const SESSION = /^r_[0-9a-z]{12}$/;

/** null: there is no such session, or it cannot be read. */
export async function readRecords(home: string, session: string): Promise<readonly JsonObject[] | null> {
  try {
    const lines = (await readFile(pathOf(home, session), "utf8")).split("\n").slice(0, -1);
    const records = lines.map((line) => JSON.parse(line) as unknown);
    return records.length > 0 && records.every(isJsonObject) ? records : null;
  } catch {
    return null;
  }
}

export async function openRecords(home: string, session: string): Promise<Records> {
  const file = await open(pathOf(home, session), "a+", 0o600);
  // What a crash has cut off is no record, and the next one begins on a line of its own.
  const bytes = await file.readFile();
  await file.truncate(bytes.lastIndexOf(10) + 1);
  let last: Promise<void> = Promise.resolve();
  return {
    keep(record, isDurable) {
      last = last.then(async () => {
        await file.appendFile(`${JSON.stringify(record)}\n`);
        if (isDurable) await file.datasync();
      });
      return last;
    },
    async close() {
      await last.finally(() => file.close());
    },
  };
}

function pathOf(home: string, session: string): string {
  if (!SESSION.test(session)) throw new RangeError(`"${session}" is no session`);
  return join(home, `${session}.jsonl`);
}
