/** The adapters that contain a run, put together as for a project; they are no part of the package's interface. */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createFileArtifacts } from "../../src/adapters/files/artifacts.ts";
import { createFileHeartbeats } from "../../src/adapters/files/heartbeats.ts";
import { createGitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import { createProcessExecutor } from "../../src/adapters/process/executor.ts";
import { type BubblewrapOptions, createBubblewrapSandbox } from "../../src/adapters/sandbox/sandbox.ts";
import { effectKey, formatRunId, type RunId } from "../../src/base/ids.ts";
import { createRedactor } from "../../src/base/redact.ts";
import type { SandboxMode } from "../../src/blueprint/blueprint.ts";
import type { Executor, ProcessRequest } from "../../src/ports/executor.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import type { Workspaces } from "../../src/ports/workspaces.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { statePaths } from "../../src/runtime/paths.ts";

const MOST_ARTIFACT_BYTES = 1 << 20;
const PATIENCE_MS = 60_000;
/** Those of a stage that asks for nothing else. */
const LIMITS = { memoryBytes: null, cpuMs: null, processes: 4096, fileBytes: null, outputBytes: 1 << 30 };

/** All requests belong to one run that goes through the same stages again and again. */
const RUN = newRun();
const STAGES = 16;

export function sandboxOptions(): BubblewrapOptions {
  const { bubblewrap, readable, path } = readConfig();
  const program = bubblewrap.value === null ? {} : { program: bubblewrap.value };
  return { ...program, readable: readable.value, path, nodeProgram: process.execPath };
}

/** Throws when there can be no wall on this machine. */
export async function openSandbox(): Promise<Sandbox> {
  const sandbox = createBubblewrapSandbox(sandboxOptions());
  const { missing, hint } = await sandbox.check();
  if (missing !== null) throw new Error(`there is no sandbox here: ${missing}. ${hint ?? ""}`);
  return sandbox;
}

/** Gives `work` an executor. Heartbeats are written a moment later: none is under way when this resolves. */
export async function withExecutor<T>(
  root: string,
  sandbox: Sandbox,
  work: (executor: Executor) => Promise<T>,
): Promise<T> {
  const { state, temp, logs, artifacts, heartbeats: beats } = statePaths(root);
  mkdirSync(state, { recursive: true });
  const heartbeats = createFileHeartbeats({ dir: beats });
  const executor = createProcessExecutor({
    root,
    stateDir: state,
    tempDir: temp,
    logsDir: logs,
    artifacts: createFileArtifacts({ dir: artifacts, maxBytes: MOST_ARTIFACT_BYTES }),
    heartbeats,
    redact: createRedactor({ secrets: [] }).text,
    baseEnv: readConfig().processEnv,
    sandbox,
  });
  try {
    return await work(executor);
  } finally {
    await heartbeats.clear(RUN);
  }
}

/** `name`: workspaces with different names have different vaults. */
export function openWorkspaces(root: string, sandbox: Sandbox, name: string): Workspaces {
  const dir = join(statePaths(root).state, name);
  const { path } = readConfig();
  return createGitWorkspaces({ root, dir: join(dir, "workspaces"), vault: join(dir, "vault.git"), sandbox, path });
}

export function newRun(): RunId {
  return formatRunId(randomBytes(12));
}

let visits = 0;

export function requestFor(argv: readonly string[], folder: string, sandbox: SandboxMode): ProcessRequest {
  visits += 1;
  const stage = `bench-${visits % STAGES}`;
  return {
    run: RUN,
    stage,
    attempt: 1,
    key: effectKey(RUN, stage, visits),
    argv,
    env: {},
    folder,
    project: "",
    mounts: [],
    cwd: ".",
    wall: { sandbox, network: [], resources: LIMITS },
    timeoutMs: PATIENCE_MS,
    stallMs: null,
    capture: "text",
    inputs: {},
    strip: [],
    outputs: [],
  };
}

/** Rejects when the process did not end well: what did not run must not be measured. */
export async function execute(executor: Executor, request: ProcessRequest): Promise<void> {
  const { cause, error } = await executor.execute(request, new AbortController().signal, () => undefined);
  if (cause !== "ok") throw new Error(`${request.argv.join(" ")}: ${cause} ${error ?? ""}`);
}
