/** Call records in memory: for a gateway whose budget ends with it, and for tests. */
import type { CallRecord, CallRecords } from "../../../ports/models/call-records.ts";

export function createMemoryCallRecords(): CallRecords {
  const grants = new Map<string, CallRecord[]>();
  return {
    append: async (of, record) => {
      grants.set(of, [...(grants.get(of) ?? []), record]);
    },
    read: async (of) => grants.get(of) ?? [],
    forget: async (of) => {
      grants.delete(of);
    },
  };
}
