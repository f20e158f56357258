/** Runs the contract of heartbeats against its adapters, and what the one with files adds. */
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createFileHeartbeats } from "../../src/adapters/files/heartbeats.ts";
import { createMemoryHeartbeats } from "../../src/adapters/memory/heartbeats.ts";
import type { RunId } from "../../src/base/ids.ts";
import { makeFolder, RUN, removeFolders } from "../support/process-fixture.ts";
import { heartbeatOf, heartbeatsContract } from "./heartbeats.contract.ts";

heartbeatsContract("memory", () => createMemoryHeartbeats());
heartbeatsContract("files", () => createFileHeartbeats({ dir: join(makeFolder(), "heartbeats") }));

afterEach(removeFolders);

describe("file heartbeats", () => {
  it("are for the owner only, one small file each, and leave nothing else", async () => {
    const dir = join(makeFolder(), "heartbeats");
    const heartbeats = createFileHeartbeats({ dir });
    for (let at = 0; at < 20; at += 1) heartbeats.beat(heartbeatOf({ at }));
    await heartbeats.read(RUN);
    const [name = "", ...rest] = readdirSync(dir);
    expect(rest).toEqual([]);
    expect([dir, join(dir, name)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(JSON.parse(readFileSync(join(dir, name), "utf8"))).toEqual(heartbeatOf({ at: 19 }));
  });

  it("are read by another process a moment later, whole at any time", async () => {
    const dir = makeFolder();
    const writer = createFileHeartbeats({ dir, delayMs: 1 });
    const reader = createFileHeartbeats({ dir });
    const seen: number[] = [];
    for (let at = 1; at <= 50; at += 1) {
      writer.beat(heartbeatOf({ at, lastLine: "x".repeat(5000) }));
      await new Promise((done) => setTimeout(done, 2));
      seen.push(...(await reader.read(RUN)).map((fact) => fact.at));
    }
    expect(seen.length).toBeGreaterThan(20);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  it("are not taken from a link, a folder, a pipe, a part or another run", async () => {
    const dir = makeFolder();
    const heartbeats = createFileHeartbeats({ dir });
    heartbeats.beat(heartbeatOf());
    await heartbeats.read(RUN);
    const [name = ""] = readdirSync(dir);
    symlinkSync(name, join(dir, `${RUN}-link.json`));
    mkdirSync(join(dir, `${RUN}-folder.json`));
    const texts = ["", "{", "null", "[]", "{}", JSON.stringify({ ...heartbeatOf(), pid: "1" })];
    texts.push(JSON.stringify(heartbeatOf({ run: "r_other" as RunId })), " ".repeat(70_000));
    for (const [index, text] of texts.entries()) writeFileSync(join(dir, `${RUN}-${index}.json`), text);
    expect(await heartbeats.read(RUN)).toEqual([heartbeatOf()]);
  });

  it("that a host was killed over go with their run", async () => {
    const dir = makeFolder();
    const heartbeats = createFileHeartbeats({ dir });
    heartbeats.beat(heartbeatOf());
    await heartbeats.read(RUN);
    const [name = ""] = readdirSync(dir);
    writeFileSync(join(dir, `.4711-1-${name}`), "{");
    writeFileSync(join(dir, "of-somebody-else.json"), "{}");
    expect(await heartbeats.runs()).toEqual([RUN]);
    await heartbeats.clear(RUN);
    expect(readdirSync(dir)).toEqual(["of-somebody-else.json"]);
  });

  it("that cannot be written are lost, and nothing else happens", async () => {
    const file = join(makeFolder(), "file");
    writeFileSync(file, "");
    const heartbeats = createFileHeartbeats({ dir: join(file, "heartbeats") });
    heartbeats.beat(heartbeatOf());
    expect(await heartbeats.read(RUN)).toEqual([]);
    await heartbeats.clear(RUN);
  });
});
