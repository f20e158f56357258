/** Evidence on SQLite: a table that is only added to; a page is read from one place of one index. */
import { canonical, type JsonValue } from "../../base/json.ts";
import type { Evidence, EvidencePage, EvidenceQuery, EvidenceRecord } from "../../ports/store/evidence.ts";
import type { Database } from "./driver.ts";
import type { GroupCommit } from "./group-commit.ts";

interface EvidenceParts {
  readonly db: Database;
  readonly commits: GroupCommit;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

interface EvidenceRow {
  readonly id: number;
  readonly body: string;
}

const MOST_RECORDS = 10_000;
const LAST_ID = Number.MAX_SAFE_INTEGER;

export const EVIDENCE_SQL =
  "SELECT id, body FROM evidence WHERE blueprint = ?1 AND kind = ?2 AND id < ?3 ORDER BY id DESC LIMIT ?4";

export function createSqliteEvidence({ db, commits, guarded }: EvidenceParts): Evidence {
  const insert = db.prepare(
    "INSERT INTO evidence(name, blueprint, kind, body) VALUES(?1, ?2, ?3, ?4) ON CONFLICT(name) DO NOTHING",
  );
  const page = db.prepare<EvidenceRow>(EVIDENCE_SQL);

  function list({ blueprint, kind, limit, cursor }: EvidenceQuery): EvidencePage {
    const most = Math.max(0, Math.min(Math.trunc(limit), MOST_RECORDS));
    const rows = page.all(blueprint, kind, cursor === undefined ? LAST_ID : placeOf(cursor), most + 1);
    const shown = rows.slice(0, most);
    const last = shown.at(-1);
    return {
      records: shown.map(({ body }) => JSON.parse(body) as EvidenceRecord),
      next: rows.length > most && last !== undefined ? String(last.id) : null,
    };
  }

  return {
    async add(record) {
      await commits.run(() => {
        const body = canonical(record as unknown as JsonValue);
        return () => insert.run(record.id, record.blueprint, record.kind, body);
      });
    },
    list: (query) => guarded(() => list(query)),
  };
}

/** A cursor that no page gave leads to no record. */
function placeOf(cursor: string): number {
  return /^[0-9]{1,15}$/.test(cursor) ? Number(cursor) : 0;
}
