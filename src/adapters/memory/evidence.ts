/** Evidence in memory. */
import type { Evidence, EvidencePage, EvidenceQuery, EvidenceRecord } from "../../ports/store/evidence.ts";
import type { MemoryState } from "./state.ts";

interface EvidenceParts {
  readonly state: MemoryState;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

export function createMemoryEvidence({ state, guarded }: EvidenceParts): Evidence {
  const { evidence } = state;

  function list({ blueprint, kind, limit, cursor }: EvidenceQuery): EvidencePage {
    const most = Math.max(0, Math.trunc(limit));
    const before = cursor === undefined ? evidence.length : placeOf(cursor);
    const found: number[] = [];
    for (let i = Math.min(before, evidence.length) - 1; i >= 0 && found.length <= most; i -= 1) {
      const record = evidence[i] as EvidenceRecord;
      if (record.blueprint === blueprint && record.kind === kind) found.push(i);
    }
    const page = found.slice(0, most);
    const records = page.map((place) => evidence[place] as EvidenceRecord);
    const last = page.at(-1);
    return { records, next: found.length > most && last !== undefined ? String(last) : null };
  }

  return {
    add: (record) =>
      guarded(() => {
        if (!evidence.some(({ id }) => id === record.id)) evidence.push({ ...record });
      }),
    list: (query) => guarded(() => list(query)),
  };
}

/** A cursor that no page gave leads to no record. */
function placeOf(cursor: string): number {
  return /^[0-9]{1,15}$/.test(cursor) ? Number(cursor) : 0;
}
