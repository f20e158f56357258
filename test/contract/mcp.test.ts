/** Runs the contracts of MCP servers and of what is kept of them against their adapters. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createFileMcpPins } from "../../src/adapters/files/mcp-pins.ts";
import { serversIn } from "../support/mcp/servers.ts";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";
import { mcpPinsContract, mcpServersContract } from "./mcp-servers.contract.ts";

mcpServersContract("behind the wall", (root, startMs) => serversIn(root, startMs === undefined ? {} : { startMs }));
mcpPinsContract("files", () => createFileMcpPins({ dir: join(makeFolder(), "mcp") }));

describe("pins in files", () => {
  afterEach(removeFolders);

  it("are for their owner only", async () => {
    const dir = join(makeFolder(), "mcp");
    await createFileMcpPins({ dir }).write({ server: "a", declaration: "d", tools: [], digest: "t", by: "ada", at: 1 });
    expect(readdirSync(dir)).toEqual(["a.json"]);
    expect([statSync(dir).mode & 0o777, statSync(join(dir, "a.json")).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("that are damaged, or of another server, are no pins", async () => {
    const dir = makeFolder();
    const pin = { server: "a", declaration: "d", tools: [], digest: "t", by: "ada", at: 1 };
    const damaged = [
      "",
      "[]",
      "{",
      JSON.stringify({ ...pin, server: "b" }),
      JSON.stringify({ ...pin, tools: [{ name: 1 }] }),
    ];
    for (const text of damaged) {
      writeFileSync(join(dir, "a.json"), text);
      await expect(createFileMcpPins({ dir }).read("a")).rejects.toMatchObject({ code: "MCP_PIN_UNREADABLE" });
    }
    mkdirSync(join(dir, "c.json"));
    await expect(createFileMcpPins({ dir }).read("c")).rejects.toMatchObject({ code: "MCP_PIN_UNREADABLE" });
  });
});
