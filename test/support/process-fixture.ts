/** What the suites over real processes share: a project folder, requests, the executor, and whether a process is gone. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { createMemoryHeartbeats } from "../../src/adapters/memory/heartbeats.ts";
import { createProcessExecutor, type ProcessExecutorOptions } from "../../src/adapters/process/executor.ts";
import { createBubblewrapSandbox } from "../../src/adapters/sandbox/sandbox.ts";
import { formatRunId } from "../../src/base/ids.ts";
import type { SandboxMode } from "../../src/blueprint/blueprint.ts";
import type { Resources, Wall } from "../../src/plan/plan.ts";
import type { Executor, ProcessRequest } from "../../src/ports/executor.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";

export const RUN = formatRunId(new Uint8Array(12));
const made: string[] = [];

/** A folder that `removeFolders` takes away. */
export function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-test-")));
  made.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

const NO_LIMITS: Resources = { memoryBytes: null, cpuMs: null, processes: 4096, fileBytes: null, outputBytes: 2 ** 30 };

export function wallOf(sandbox: SandboxMode, limits: Partial<Resources> = {}): Wall {
  return { sandbox, network: [], resources: { ...NO_LIMITS, ...limits } };
}

let visits = 0;

export function requestOf(argv: readonly string[], change: Partial<ProcessRequest> = {}): ProcessRequest {
  visits += 1;
  return {
    run: RUN,
    stage: "build",
    attempt: 1,
    key: `${RUN}:build:${process.pid}-${visits}`,
    argv,
    env: {},
    folder: null,
    project: "",
    mounts: [],
    cwd: ".",
    wall: wallOf("danger_full_access"),
    timeoutMs: 20_000,
    stallMs: null,
    capture: "none",
    inputs: {},
    strip: [],
    outputs: [],
    ...change,
  };
}

export function shell(script: string, change: Partial<ProcessRequest> = {}): ProcessRequest {
  return requestOf(["/bin/sh", "-c", script], change);
}

/** One for all, for it tries bubblewrap before its first use. */
export const SANDBOX: Sandbox = createBubblewrapSandbox({
  readable: [],
  path: process.env["PATH"] ?? "",
  nodeProgram: process.execPath,
});

/** An executor on the folder, with everything in memory that can be. */
export function executorIn(root: string, change: Partial<ProcessExecutorOptions> = {}): Executor {
  return createProcessExecutor({
    root,
    stateDir: join(root, ".pawl"),
    artifacts: createMemoryArtifacts({ maxBytes: 64 << 20 }),
    tempDir: join(root, "temp"),
    logsDir: join(root, "logs"),
    redact: (text) => text,
    baseEnv: { PATH: "/usr/bin:/bin" },
    sandbox: SANDBOX,
    heartbeats: createMemoryHeartbeats(),
    graceMs: 200,
    ...change,
  });
}

/** Gone, or ended and only not yet collected by the first process of the machine. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true;
  }
}

/** Ids of the processes that have these words as one of their arguments. */
export function processesWith(words: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const argv = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0") : [];
      return argv.includes(words) && !isGone(Number(name)) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
