import pc from "picocolors";
import { describe, expect, it } from "vitest";
import type { RunId } from "../../base/ids.ts";
import type { Heartbeat } from "../../ports/heartbeats.ts";
import { renderHeartbeat } from "./heartbeat.ts";

const plain = pc.createColors(false);
const BEAT: Heartbeat = {
  run: "r_000000000000" as RunId,
  stage: "a",
  attempt: 1,
  state: "running",
  pid: 4711,
  command: "make",
  logPath: "/tmp/x",
  startedAt: 0,
  at: 1000,
  elapsedMs: 1000,
  outputBytes: 2048,
  bytesPerSecond: 1024.4,
  etaMs: 5000,
  lastLine: "compiling\u001b[2J",
  cpuMs: 900,
  memoryBytes: 5 * 2 ** 20,
};

describe("a heartbeat", () => {
  it("says who runs, what it uses, how fast it goes and what it said last", () => {
    const [facts, last] = renderHeartbeat(BEAT, plain);
    expect(facts).toContain("process 4711, 5 MiB of memory");
    expect(facts).toContain("2 KiB written, 1 KiB/s, about 5");
    expect(last).not.toContain("\u001b");
    expect(last).toContain("compiling");
  });

  it("says nothing of what nobody knows", () => {
    const lines = renderHeartbeat({ ...BEAT, pid: null, bytesPerSecond: 0, etaMs: null, lastLine: "" }, plain);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/process \d|to go|\/s/);
  });
});
