/** The composition root: the only file that names adapters and engines. Stores open with their first use, so reading costs nothing. */
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFileActions } from "../adapters/files/actions.ts";
import { createFileArtifacts } from "../adapters/files/artifacts.ts";
import { openSqliteStore } from "../adapters/sqlite/store.ts";
import { createActions } from "../adapters/system/actions.ts";
import { createSystemClock } from "../adapters/system/clock.ts";
import { createPolicyGate } from "../adapters/system/policy-gate.ts";
import { randomBytes } from "../adapters/system/random.ts";
import { pawlError } from "../base/errors.ts";
import { createRedactor } from "../base/redact.ts";
import { createEmbeddedEngine } from "../engines/embedded/engine.ts";
import type { Action } from "../ports/actions.ts";
import type { Clock } from "../ports/clock.ts";
import type { Executor } from "../ports/executor.ts";
import type { Store } from "../ports/store.ts";
import { type Config, readConfig } from "./config.ts";
import { createRuntime, type RuntimeParts } from "./create-runtime.ts";
import { RUNTIME_ERRORS } from "./errors.ts";
import { statePaths } from "./paths.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";

export interface OpenOptions extends RuntimeOptions {
  /** Actions of the embedding program, besides the built-in ones. */
  readonly actions?: readonly Action[];
  readonly config?: Config;
  readonly clock?: Clock;
  readonly randomBytes?: (count: number) => Uint8Array;
  /** Look only: the state directory is never created or changed. */
  readonly readOnly?: boolean;
  /** Go on although part of the journal is missing; see JOURNAL_WAL_MISSING. */
  readonly acceptLoss?: boolean;
}

const MOST_ARTIFACT_BYTES = 256 << 20;

export async function openRuntime(options: OpenOptions): Promise<Runtime> {
  const { root } = options;
  const found = await stat(root).catch(() => null);
  if (found === null || !found.isDirectory()) throw pawlError(RUNTIME_ERRORS, "PROJECT_ROOT_MISSING", { root });
  const config = options.config ?? readConfig({ flags: { root } });
  const paths = statePaths(root);
  const clock = options.clock ?? createSystemClock();
  const artifacts = createFileArtifacts({ dir: paths.artifacts, maxBytes: MOST_ARTIFACT_BYTES });
  const redactor = createRedactor({ secrets: config.secrets });
  const actions = createActions([createFileActions({ root, artifacts }), options.actions ?? []]);
  const policy = createPolicyGate();
  const { processEnv: baseEnv } = config;
  const executor = onFirstProcess(async () => {
    const { createProcessExecutor } = await import("../adapters/process/executor.ts");
    return createProcessExecutor({ root, artifacts, tempDir: paths.temp, redact: redactor.text, baseEnv });
  });

  const openStore = async (): Promise<Store> => {
    if (options.readOnly !== true) await prepareState(paths.state);
    return openSqliteStore({
      dir: paths.state,
      clock,
      readOnly: options.readOnly ?? false,
      acceptLoss: options.acceptLoss ?? false,
    });
  };
  const parts: RuntimeParts = {
    root,
    statePath: paths.state,
    openStore,
    artifacts,
    actions,
    randomBytes: options.randomBytes ?? randomBytes,
    hasSecret: (text) => redactor.text(text) !== text,
    createEngine: (store, onOutput) =>
      createEmbeddedEngine({
        ports: { journal: store.journal, clock, policy, executor, actions, redact: redactor.event, onOutput },
        runs: store.runs,
        lease: store.lease,
        control: store.control,
      }),
  };
  return createRuntime(parts);
}

/** Loads the executor with the first process: many programs that embed Pawl, and most commands, start none. */
function onFirstProcess(load: () => Promise<Executor>): Executor {
  let loaded: Promise<Executor> | null = null;
  const executor = (): Promise<Executor> => {
    loaded ??= load();
    return loaded;
  };
  return {
    execute: async (...call) => (await executor()).execute(...call),
    reap: async (key) => (await executor()).reap(key),
  };
}

/** Ours alone, and invisible to git without touching a file of the user's. */
async function prepareState(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeFile(join(dir, ".gitignore"), "*\n", { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST" && error.code !== "EROFS" && error.code !== "EACCES") throw error;
  });
}
