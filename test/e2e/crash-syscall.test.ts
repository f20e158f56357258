/** A real process, killed at its write-type system calls one after the other (strace injects the SIGKILL), then resumed. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type Crasher, crashRun } from "../support/crash-run.ts";

const FULL = process.env["PAWL_FULL"] === "1";
/** In the short form every so many-th point is tried, spread over all calls. */
const POINTS = FULL ? Number.POSITIVE_INFINITY : 16;
const WORKERS = 2;
const CALLS = [
  "pwrite64",
  "write",
  "writev",
  "fsync",
  "fdatasync",
  "ftruncate",
  "rename",
  "renameat2",
  "link",
  "linkat",
  "unlink",
  "mkdir",
  "fchmod",
  "chmod",
];
const hasStrace = spawnSync("strace", ["-V"]).status === 0;

interface Point {
  readonly call: string;
  readonly nth: number;
}

/** strace counts per thread: the n-th call of each name in the thread that makes most of them is every point there is. */
function points(): Point[] {
  const dir = mkdtempSync(join(tmpdir(), "pawl-calls-"));
  try {
    cpSync(resolve("test/support/crash"), dir, { recursive: true });
    const trace = join(dir, "trace.txt");
    const argv = [
      "-f",
      "-b",
      "execve",
      "-qq",
      "-o",
      trace,
      "-e",
      `trace=${CALLS.join(",")}`,
      process.execPath,
      resolve("dist/cli/main.js"),
      "run",
      "blueprint.yaml",
      "--danger-full-access",
    ];
    const run = spawnSync("strace", argv, { cwd: dir, env: { ...process.env, UV_THREADPOOL_SIZE: "1" } });
    expect(run.status).toBe(0);
    const counts = new Map<string, number>();
    for (const [, thread, call] of readFileSync(trace, "utf8").matchAll(/^(\d+) +([a-z0-9]+)\(/gm)) {
      counts.set(`${call} ${thread}`, (counts.get(`${call} ${thread}`) ?? 0) + 1);
    }
    return CALLS.flatMap((call) => {
      const most = Math.max(0, ...[...counts].filter(([key]) => key.startsWith(`${call} `)).map(([, count]) => count));
      return Array.from({ length: most }, (_, index) => ({ call, nth: index + 1 }));
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function killAt({ call, nth }: Point): Crasher {
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=SIGKILL:when=${nth}`];
  return { command: (argv) => ["strace", "-f", "-b", "execve", "-qq", "-o", "/dev/null", ...inject, ...argv] };
}

/** A run makes a few calls more or less each time: when one ended before the point, an earlier one is taken. */
function earlier({ call, nth }: Point): Point {
  return { call, nth: Math.floor(nth * 0.9) };
}

describe.runIf(hasStrace)("a run whose process is killed at a system call", () => {
  it(FULL ? "survives at every write-type call" : `survives at ${POINTS} write-type calls spread over the run`, {
    timeout: 3_600_000,
  }, async () => {
    const all = points();
    const step = Math.max(1, Math.floor(all.length / POINTS));
    const queue = all.filter((_, index) => index % step === 0);
    const total = queue.length;
    let kills = 0;
    const worker = async (): Promise<void> => {
      for (let point = queue.shift(); point !== undefined; point = queue.shift()) {
        for (let reached = false, at = point; !reached && at.nth > 0; at = earlier(at)) {
          const report = await crashRun([killAt(at)]);
          reached = report.kills > 0;
          kills += report.kills;
          expect(report, `killed at ${at.call} ${at.nth}`).toMatchObject({
            lost: [],
            repeated: [],
            skipped: [],
            status: "succeeded",
          });
        }
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, worker));
    process.stderr.write(`${kills} kills at ${total} of ${all.length} write-type calls\n`);
    expect(kills).toBe(total);
  });
});

describe.runIf(!hasStrace)("a machine without strace", () => {
  it("still kills at random instants", () => {
    expect(readFileSync(resolve("test/e2e/crash-kill.test.ts"), "utf8")).toContain("SIGKILL");
  });
});
