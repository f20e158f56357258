/** The contract of the Evidence port. */
import { describe, expect, it } from "vitest";
import type { DrillRecord, EvidenceRecord, IncidentRecord } from "../../src/ports/store/evidence.ts";
import { buildRunId } from "../support/events-builder.ts";
import type { OpenStore } from "./store-fixture.ts";

export function buildDrill(id: string, fields: Partial<DrillRecord> = {}): DrillRecord {
  const counts = { planted: 8, caught: 8, harmless: 4, passed: 4 };
  const about = { at: 1000, blueprint: "demo", plan: "p", gates: "g", by: "ann" };
  return { kind: "drill", id, ...about, ...counts, ...fields };
}

function buildIncident(id: string, fields: Partial<IncidentRecord> = {}): IncidentRecord {
  const about = { at: 2000, blueprint: "demo", run: buildRunId(), level: "L3", by: "bob" } as const;
  return { kind: "incident", id, ...about, what: "revert", why: "it broke the build", ...fields };
}

export function evidenceContract(name: string, open: OpenStore): void {
  describe(`Evidence contract: ${name}`, () => {
    it("keeps what was added, exactly, for every store on the same runs, newest first", async () => {
      const { store, another } = await open();
      const records: readonly EvidenceRecord[] = [buildDrill("e_1"), buildIncident("e_2"), buildDrill("e_3")];
      for (const record of records) await store.evidence.add(record);
      const other = (await another()).evidence;
      const drills = await other.list({ blueprint: "demo", kind: "drill", limit: 10 });
      expect(drills).toEqual({ records: [records[2], records[0]], next: null });
      const incidents = await other.list({ blueprint: "demo", kind: "incident", limit: 10 });
      expect(incidents).toEqual({ records: [records[1]], next: null });
    });

    it("keeps the blueprints apart", async () => {
      const { store } = await open();
      await store.evidence.add(buildDrill("e_1"));
      const page = await store.evidence.list({ blueprint: "other", kind: "drill", limit: 10 });
      expect(page).toEqual({ records: [], next: null });
    });

    it("never changes what was recorded: adding again under the same id is adding once", async () => {
      const { store } = await open();
      await store.evidence.add(buildDrill("e_1"));
      await store.evidence.add(buildDrill("e_1", { caught: 0 }));
      const { records } = await store.evidence.list({ blueprint: "demo", kind: "drill", limit: 10 });
      expect(records).toEqual([buildDrill("e_1")]);
    });

    it("gives pages that meet without a gap, and nothing for a cursor that no page gave", async () => {
      const { store } = await open();
      for (let i = 0; i < 5; i += 1) await store.evidence.add(buildDrill(`e_${i}`));
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const query = {
          blueprint: "demo",
          kind: "drill",
          limit: 2,
          ...(cursor === undefined ? {} : { cursor }),
        } as const;
        const page = await store.evidence.list(query);
        found.push(...page.records.map(({ id }) => id));
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      expect(found).toEqual(["e_4", "e_3", "e_2", "e_1", "e_0"]);
      const lost = { blueprint: "demo", kind: "drill", limit: 2, cursor: "nonsense" } as const;
      expect(await store.evidence.list(lost)).toEqual({ records: [], next: null });
      expect(await store.evidence.list({ ...lost, cursor: "99999", limit: 1 })).toMatchObject({
        records: [{ id: "e_4" }],
      });
      expect((await store.evidence.list({ blueprint: "demo", kind: "drill", limit: 0 })).records).toEqual([]);
    });

    it("refuses to record when it is closed", async () => {
      const { store } = await open();
      await store.close();
      await expect(store.evidence.add(buildDrill("e_1"))).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
    });
  });
}
