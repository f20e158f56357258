/** The contract of the CallRecords port. */
import { describe, expect, it } from "vitest";
import type { CallBegun, CallEnded, CallRecords } from "../../src/ports/models/call-records.ts";

export const BEGUN: CallBegun = {
  ...{ type: "begun", key: "r_1/fix/1/1/1", at: 1000, model: "m", reserved: { tokens: 100, microUsd: 300 } },
};
const ENDED: CallEnded = {
  ...{ type: "ended", key: "r_1/fix/1/1/1", at: 2000, provider: "anthropic", model: "m-1", estimate: null },
  charged: { tokens: 35, microUsd: 90 },
};

export function callRecordsContract(name: string, create: () => CallRecords): void {
  describe(`CallRecords contract: ${name}`, () => {
    it("gives the records of a grant in the order they were appended", async () => {
      const records = create();
      await records.append("r_1/fix/1/1", BEGUN);
      await records.append("r_1/fix/1/1", ENDED);
      await records.append("r_1/fix/1/2", { ...BEGUN, key: "r_1/fix/1/2/1" });
      expect(await records.read("r_1/fix/1/1")).toEqual([BEGUN, ENDED]);
    });

    it("keeps all of those that come at once", async () => {
      const records = create();
      const all = Array.from({ length: 50 }, (_, at): CallBegun => ({ ...BEGUN, key: `g/${at}` }));
      await Promise.all(all.map((record) => records.append("g", record)));
      expect(await records.read("g")).toEqual(all);
    });

    it("has none of a grant that it does not know", async () => {
      expect(await create().read("g")).toEqual([]);
    });

    it("forgets a grant, and only that, also twice; it can begin anew", async () => {
      const records = create();
      await records.append("g", BEGUN);
      await records.append("h", BEGUN);
      await records.forget("g");
      await records.forget("g");
      expect([await records.read("g"), await records.read("h")]).toEqual([[], [BEGUN]]);
      await records.append("g", ENDED);
      expect(await records.read("g")).toEqual([ENDED]);
    });
  });
}
