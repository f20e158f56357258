/** Reads events and checks chains. What lies in the store is trusted only as far as it can be parsed. */
import { TextDecoder } from "node:util";
import { sha256 } from "../../../base/digest.ts";
import { pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import { canonical } from "../../../base/json.ts";
import type { Plan, PlanJson } from "../../../plan/plan.ts";
import { JOURNAL_ERRORS } from "../../../ports/errors/journal-errors.ts";
import type { ChainReport } from "../../../ports/store/journal.ts";
import type { RunEvent, StoredEvent } from "../../../run/events.ts";
import { isTerminal, type Status } from "../../../run/reasons.ts";
import { type ChainLink, checkChain, type PinnedHead } from "../../../run/record/check-chain.ts";
import type { Database } from "../driver.ts";

export interface EventReader {
  read(run: RunId, afterSeq: number, limit: number): readonly StoredEvent[];
  hasFinished(run: RunId): boolean;
  plan(fingerprint: string): Plan | undefined;
  verify(run: RunId): ChainReport;
}

interface EventRow {
  readonly seq: number;
  readonly body: string;
  readonly hash: string;
}

interface LinkRow {
  readonly seq: number;
  readonly body: Uint8Array;
  readonly hash: string;
}

type HeadRow = Omit<PinnedHead, "isOpen"> & { readonly owner: string | null };

const MOST_ROWS = 2 ** 31;

export function createEventReader(db: Database, file: string): EventReader {
  const events = db.prepare<EventRow>(`SELECT seq, body, hash FROM events
    WHERE run = (SELECT id FROM runs WHERE run = ?1) AND seq > ?2 ORDER BY seq LIMIT ?3`);
  const links = db.prepare<LinkRow>(`SELECT seq, CAST(body AS BLOB) AS body, hash FROM events
    WHERE run = (SELECT id FROM runs WHERE run = ?1) ORDER BY seq`);
  const head = db.prepare<HeadRow>(`SELECT head_seq AS seq, head_hash AS hash, owner, status, reason,
    blueprint, parent AS under, created_at AS createdAt,
    coalesce((SELECT fingerprint FROM plans WHERE plans.id = runs.plan), '') AS plan FROM runs WHERE run = ?1`);
  const status = db.prepare<{ status: Status }>("SELECT status FROM runs WHERE run = ?1");
  const planBody = db.prepare<{ body: string }>("SELECT body FROM plans WHERE fingerprint = ?1");

  function parse<T>(text: string, what: string): T {
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw pawlError(JOURNAL_ERRORS, "JOURNAL_CORRUPT", { file, detail: `${what} is not JSON` }, { cause });
    }
  }

  function plan(fingerprint: string): Plan | undefined {
    const row = planBody.get(fingerprint);
    return row === undefined ? undefined : parse<Plan>(row.body, `plan ${fingerprint}`);
  }

  return {
    plan,
    read(run, afterSeq, limit) {
      const rows = events.all(run, afterSeq, Math.max(0, Math.min(limit, MOST_ROWS)));
      return rows.map(({ seq, body, hash }, i) => {
        // Without it, what comes after would be taken for the whole.
        if (seq !== afterSeq + i + 1)
          throw pawlError(JOURNAL_ERRORS, "JOURNAL_CORRUPT", {
            file,
            detail: `event ${afterSeq + i + 1} of ${run} is missing`,
          });
        return { seq, event: parse<RunEvent>(body, `event ${seq} of ${run}`), hash };
      });
    },
    hasFinished(run) {
      const row = status.get(run);
      return row !== undefined && isTerminal(row.status);
    },
    verify(run) {
      const row = head.get(run);
      if (row === undefined) return { intact: false, seq: 1, problem: "there is no such run" };
      const { owner, ...pin } = row;
      const pinned = { ...pin, isOpen: owner !== null };
      const report = checkChain(run, readLinks(links.iterate(run)), pinned);
      if (report.intact && !isPlanIntact(planBody.get(pinned.plan)?.body, pinned.plan)) {
        return { intact: false, seq: 1, problem: "the stored plan does not match its fingerprint" };
      }
      return report;
    },
  };
}

function* readLinks(rows: Iterable<LinkRow>): Iterable<ChainLink> {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (const { seq, body, hash } of rows) yield { seq, body: decode(strict, body), hash };
}

function decode(strict: TextDecoder, bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

function isPlanIntact(body: string | undefined, fingerprint: string): boolean {
  if (body === undefined) return false;
  try {
    const { fingerprint: _, ...rest } = JSON.parse(body) as PlanJson;
    return sha256(canonical(rest)) === fingerprint;
  } catch {
    return false;
  }
}
