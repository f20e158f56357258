/** Processes that hang, wait and dawdle: each is ended at its limit, and none that works is. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { createProgress } from "../../src/adapters/process/watch/progress.ts";
import type { SandboxMode } from "../../src/blueprint/blueprint.ts";
import type { ProcessReport, ProcessRequest } from "../../src/ports/executor.ts";
import { executorIn, makeFolder, processesWith, removeFolders, shell, wallOf } from "../support/process-fixture.ts";
import { slowness } from "../support/slowness.ts";

afterAll(removeFolders);

interface Timed {
  readonly report: ProcessReport;
  readonly ms: number;
}

/** With the grace that people get. */
async function run(request: ProcessRequest): Promise<Timed> {
  const from = performance.now();
  const executor = executorIn(makeFolder(), { graceMs: 1200 });
  const report = await executor.execute(request, new AbortController().signal, () => undefined);
  return { report, ms: performance.now() - from };
}

const STALL_MS = 600;
const TIMEOUT_MS = 2500;

/** What it does → how it ends. Standard input is closed, so what reads from there ends by itself. */
const STYLES: readonly (readonly [name: string, script: string, cause: ProcessReport["cause"]])[] = [
  ["asks and reads the answer", "read answer", "exit"],
  ["copies its input", "cat", "ok"],
  ["waits for a pipe that nobody writes to", "mkfifo p; read x < p", "stall"],
  ["stops itself", "kill -STOP $$", "stall"],
  ["ignores the request to end", "trap '' TERM; sleep 60 & wait; sleep 60", "stall"],
  ["fills a pipe that nobody reads", "head -c 200000 /dev/zero | sleep 60", "stall"],
  ["works without a word", "while :; do :; done", "timeout"],
  ["writes a letter now and then", "while :; do printf .; sleep 0.2; done", "timeout"],
  ["asks for a password on the terminal", "read answer < /dev/tty", "exit"],
];

describe.each(["danger_full_access", "workspace_write"] as const)("a process in %s that", (mode: SandboxMode) => {
  it.concurrent.each(STYLES)("%s is ended in time with the right cause", async (_, script, cause) => {
    const wall = wallOf(mode);
    // Of two limits the one that is not meant is far away: on a busy machine the other might come first.
    const limits =
      cause === "timeout"
        ? { stallMs: 4 * STALL_MS * slowness(), timeoutMs: TIMEOUT_MS }
        : { stallMs: STALL_MS, timeoutMs: 600_000 };
    const { report, ms } = await run(shell(script, { wall, ...limits }));
    expect(report.cause).toBe(cause);
    expect(ms).toBeLessThan((cause === "timeout" ? TIMEOUT_MS : STALL_MS) + 2000 * slowness());
  });
});

describe("a silent process", () => {
  it("is not stalled while a descendant works, in whatever group and session", async () => {
    const busy = "setsid sh -c 'i=0; while [ $i -lt 900000 ]; do i=$((i+1)); done'";
    expect((await run(shell(`${busy} & wait`, { stallMs: 300 }))).report.cause).toBe("ok");
  });

  it("is not stalled while it moves bytes", async () => {
    const script = "for i in 1 2 3 4 5 6 7 8; do head -c 30000 /dev/zero > file; sleep 0.1; done";
    expect((await run(shell(script, { stallMs: 400 }))).report.cause).toBe("ok");
  });

  it("M3: is stalled although it wakes up now and then", async () => {
    const script = "setTimeout(() => {}, 60000); setInterval(() => {}, 50)";
    const request = { ...shell(""), argv: [process.execPath, "-e", script], stallMs: 1500 };
    expect((await run(request)).report.cause).toBe("stall");
  });
});

describe("a prompt for credentials", () => {
  it("fails instead of waiting", async () => {
    const server = createServer((_, response) => {
      response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    const { report, ms } = await run(shell(`git ls-remote http://127.0.0.1:${port}/x.git`, { stallMs: 3000 }));
    server.close();
    expect(report).toMatchObject({ cause: "exit", exit: 128 });
    expect(ms).toBeLessThan(3000 * slowness());
  });
});

describe("the end of a stage", () => {
  it.each(["danger_full_access", "workspace_write"] as const)(
    "in %s comes with the end of its process, not of those that hold its pipes",
    async (mode) => {
      const script = "(trap '' TERM HUP; exec sleep 314.1) & (setsid sleep 314.1) & exit 3";
      const { report, ms } = await run(shell(script, { wall: wallOf(mode) }));
      expect(report).toMatchObject({ cause: "exit", exit: 3 });
      expect(ms).toBeLessThan(1000 * slowness());
      expect(processesWith("314.1")).toEqual([]);
    },
  );
});

describe("progress", () => {
  const sample = { processes: 1, runs: false, cpuMs: 0, memoryBytes: 0, transferBytes: 0 };

  it("is processor time or moved bytes beyond the noise", () => {
    const moved = (change: Partial<typeof sample>): boolean => {
      const progress = createProgress();
      progress.compare(sample, 0);
      return progress.compare({ ...sample, ...change }, 1000);
    };
    expect(moved({})).toBe(false);
    expect(moved({ cpuMs: 10, transferBytes: 10_000 })).toBe(false);
    expect(moved({ cpuMs: 30 })).toBe(true);
    expect(moved({ transferBytes: 20_000 })).toBe(true);
    expect(moved({ runs: true })).toBe(true);
  });

  it("is also that someone who had moved much is gone", () => {
    const progress = createProgress();
    progress.compare({ ...sample, transferBytes: 1_000_000 }, 0);
    expect(progress.compare(sample, 250)).toBe(true);
    expect(progress.compare(sample, 500)).toBe(false);
  });
});
