import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileCallRecords } from "../../src/adapters/files/call-records.ts";
import { createMemoryCallRecords } from "../../src/adapters/memory/models/call-records.ts";
import { tempDir } from "../support/temp-dir.ts";
import { BEGUN, callRecordsContract } from "./call-records.contract.ts";

callRecordsContract("files", () => createFileCallRecords({ dir: join(tempDir(), "calls") }));
callRecordsContract("memory", createMemoryCallRecords);

describe("call records in files", () => {
  it("are there for the next process, without what was not written to its end", async () => {
    const dir = tempDir();
    await createFileCallRecords({ dir }).append("g", BEGUN);
    const [name = ""] = readdirSync(dir);
    appendFileSync(join(dir, name), '{"type":"ended","key":');
    expect(await createFileCallRecords({ dir }).read("g")).toEqual([BEGUN]);
  });

  it("leave nothing behind", async () => {
    const dir = tempDir();
    const records = createFileCallRecords({ dir });
    await records.append("g", BEGUN);
    await records.forget("g");
    expect(readdirSync(dir)).toEqual([]);
  });
});
