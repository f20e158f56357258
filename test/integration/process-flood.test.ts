/** Output without end: what is stored stays small, memory stays flat, the host goes on answering. */
import { createHash } from "node:crypto";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { createRedactor } from "../../src/base/redact.ts";
import type { ProcessReport, ProcessRequest } from "../../src/ports/executor.ts";
import { listenForDeafness } from "../support/deafness.ts";
import { executorIn, makeFolder, removeFolders, shell, wallOf } from "../support/process-fixture.ts";
import { slowness } from "../support/slowness.ts";

afterEach(removeFolders);

const FULL = process.env["PAWL_FULL"] === "1";
const MEGABYTES = FULL ? 10_000 : 300;
const LINES = 1_000_000;
const CAP = 2 << 20;
const OVER = 64 << 10;
const { text: redact } = createRedactor({ secrets: ["open-sesame-42"] });

interface Observed {
  readonly report: ProcessReport;
  readonly deafMs: number;
  readonly grownBytes: number;
  /** The most that lay in the folder of live logs at one time. */
  readonly liveBytes: number;
}

async function run(request: ProcessRequest): Promise<Observed> {
  const root = makeFolder();
  const artifacts = createMemoryArtifacts({ maxBytes: 64 << 20 });
  const deafness = await listenForDeafness();
  let peak = 0;
  let liveBytes = 0;
  let shown = 0;
  const before = process.memoryUsage.rss();
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
    liveBytes = Math.max(liveBytes, bytesBelow(join(root, "logs")));
  }, 20);
  const report = await executorIn(root, { artifacts, redact }).execute(
    request,
    new AbortController().signal,
    (text) => {
      shown += text.length;
    },
  );
  const deafMs = await deafness.stop();
  clearInterval(timer);
  expect(shown).toBeGreaterThan(0);
  return { report, deafMs, grownBytes: peak - before, liveBytes };
}

function bytesBelow(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true })
      .map((name) => statSync(join(folder, String(name))))
      .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
  } catch {
    return 0;
  }
}

const UNLIMITED = wallOf("danger_full_access", { outputBytes: null });
const WALLED = wallOf("workspace_write", { outputBytes: null });

describe("a process that prints", () => {
  it.each([
    [`${MEGABYTES} MB`, `yes 0123456789abcdef | head -c ${MEGABYTES}000000`, MEGABYTES * 1e6],
    ["one endless line", `head -c ${MEGABYTES}000000 /dev/zero | tr '\\0' x`, MEGABYTES * 1e6],
    [`${LINES} lines`, `seq 1 ${LINES}; seq 1 ${LINES} >&2`, 2 * 6_888_896],
    ["behind a wall", `yes | head -c ${MEGABYTES}000000`, MEGABYTES * 1e6],
  ])(
    "%s is kept in part, and the host stays well",
    async (name, script, bytes) => {
      const wall = name === "behind a wall" ? WALLED : UNLIMITED;
      const { report, deafMs, grownBytes, liveBytes } = await run(shell(script, { wall, timeoutMs: 600_000 }));
      expect(report).toMatchObject({ cause: "ok", used: { outputBytes: bytes } });
      expect(report.log.bytes).toBeLessThanOrEqual(CAP + OVER);
      expect(report.log.bytes + report.log.dropped).toBeGreaterThanOrEqual(bytes);
      expect(liveBytes).toBeLessThanOrEqual(CAP + OVER);
      // What is not read yet waits longer on a busy machine; a host that kept it all would have grown by all of it.
      expect(grownBytes).toBeLessThan(Math.min(64 * slowness(), MEGABYTES / 2) * 2 ** 20);
      expect(deafMs).toBeLessThan(250 * slowness());
    },
    600_000,
  );

  it("10 MB of any bytes is kept to the last one", async () => {
    const root = makeFolder();
    const bytes = Buffer.alloc(10_000_000);
    let state = 1;
    for (let i = 0; i < bytes.length; i += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[i] = state >>> 24;
    }
    writeFileSync(join(root, "bytes"), bytes);
    const artifacts = createMemoryArtifacts({ maxBytes: 64 << 20 });
    const executor = executorIn(root, {
      artifacts,
      redact,
      logCap: { headBytes: 8 << 20, tailBytes: 8 << 20 },
    });
    const report = await executor.execute(
      shell("dd if=bytes bs=777 2>/dev/null"),
      new AbortController().signal,
      () => undefined,
    );
    expect(report.log).toEqual({
      sha256: createHash("sha256").update(bytes).digest("hex"),
      bytes: bytes.length,
      dropped: 0,
    });
  });

  it("what steers terminals is shown so that it steers none", async () => {
    const seen = await run(shell("printf 'a\\033[2J\\033]0;owned\\007\\342\\200\\256b\\n'; exit 4"));
    expect(seen.report.error).toBe("sh exited with code 4: a\\x1b[2J\\x1b]0;owned\\x07\\u202eb");
  });
});
