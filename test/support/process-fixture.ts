/** What the suites over real processes share: a project folder, requests, and whether a process is gone. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatRunId } from "../../src/base/ids.ts";
import type { ProcessRequest } from "../../src/ports/executor.ts";

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
    cwd: ".",
    timeoutMs: 20_000,
    stallMs: null,
    capture: "none",
    inputs: {},
    outputs: [],
    ...change,
  };
}

export function shell(script: string, change: Partial<ProcessRequest> = {}): ProcessRequest {
  return requestOf(["/bin/sh", "-c", script], change);
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
