/** Executor on processes of this machine, each behind its wall: none is left behind, and nothing they write is lost or leaked. */
import type { RunId } from "../../base/ids.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Heartbeats } from "../../ports/heartbeats.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import { createHeart } from "./heart.ts";
import { layOutInputs, removeInputs, removeLeftInputs } from "./inputs.ts";
import { createLog, gapMark, type LogCap } from "./output/capture.ts";
import { liveLogPath, readLiveLog, removeLiveLog, removeLiveLogs, runsWithLiveLogs } from "./output/live-log.ts";
import { createLiveLog } from "./output/live-writer.ts";
import { createOutputCapture } from "./output/output-capture.ts";
import { killMarked } from "./reap.ts";
import { writeReport } from "./report.ts";
import { type Host, runProcess } from "./run-process.ts";
import { beginKeeping } from "./take/keep.ts";
import { endLeftGroups } from "./terminate.ts";
import { createOomCount } from "./watch/account.ts";
import { createGroups } from "./watch/group.ts";
import { createHistory } from "./watch/history.ts";

export interface ProcessExecutorOptions {
  /** The project root; a process without a workspace works in a folder below it. */
  readonly root: string;
  /** Our own folder, which no process behind a wall may see. */
  readonly stateDir: string;
  readonly artifacts: Artifacts;
  /** Where the inputs of a process are laid out while it runs. */
  readonly tempDir: string;
  /** Where the output of a process is written while it runs. */
  readonly logsDir: string;
  readonly redact: (text: string) => string;
  /** The environment of every process without a wall, before what a request adds; of the others only its locale. */
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  readonly heartbeats: Heartbeats;
  /** Folders of a workspace from which the user's git runs hooks: no process may write there. */
  readonly hooksFolders?: () => Promise<readonly string[]>;
  readonly logCap?: LogCap;
  /** Time between asking a process to end and killing it. */
  readonly graceMs?: number;
  /** How long a wall may take to stand. */
  readonly readyMs?: number;
}

const LOG_CAP: LogCap = { headBytes: 1024 * 1024, tailBytes: 1024 * 1024 };
/** A stage that shall end is gone within two seconds, whatever it does. */
const GRACE_MS = 1200;
/** It takes milliseconds; this is for a machine that is choked. */
const READY_MS = 20_000;

export function createProcessExecutor(options: ProcessExecutorOptions): Executor {
  const { artifacts, heartbeats, redact, logsDir, tempDir } = options;
  const cap = options.logCap ?? LOG_CAP;
  const history = createHistory();
  /** Live logs that are being removed: the next attempt of the same name waits for that. */
  const clearing = new Map<string, Promise<void>>();
  const host: Host = {
    ...options,
    graceMs: options.graceMs ?? GRACE_MS,
    readyMs: options.readyMs ?? READY_MS,
    hooksFolders: options.hooksFolders ?? (async () => []),
    groups: createGroups(),
    oomKillsBefore: createOomCount(),
  };
  return {
    execute: async (request, signal, onOutput) => {
      const { run, stage, attempt, argv } = request;
      const from = performance.now();
      const logPath = liveLogPath(logsDir, run, stage, attempt);
      const heart = createHeart({ heartbeats, request, logPath, redact, expectedMs: history.expectedMs(argv) });
      const log = createLog(cap);
      const liveLog = createLiveLog(logPath, cap, redact);
      const output = createOutputCapture(request.capture, request.evidence?.report === null);
      await clearing.get(logPath);
      const inputs = await layOutInputs(artifacts, tempDir, request);
      try {
        const keeping = await beginKeeping(request.folder, options.root, request.keep ?? []);
        const gathered = await runProcess(host, request, { inputs, log, liveLog, output, heart, signal, onOutput });
        const kept = await keeping.end({ artifacts, redact });
        const written = await writeReport({ artifacts, redact }, request, gathered, { log, output, kept });
        const report = Object.keys(inputs.stripped).length === 0 ? written : { ...written, stripped: inputs.stripped };
        // A host that leaves records nothing of this attempt: its next host finds here what it had written.
        if (signal.reason === "drain") await liveLog.leave();
        else await liveLog.end();
        heart.end(report.cause, gathered.used);
        if (report.cause === "ok") history.add(argv, performance.now() - from);
        return report;
      } catch (error) {
        await liveLog.leave();
        throw error;
      } finally {
        await removeInputs(inputs);
      }
    },
    reap: async (key) => {
      await killMarked(key);
      await endLeftGroups(host.groups.leftBy(key));
      await removeLeftInputs(tempDir, key);
    },
    salvage: async ({ run, stage, attempt }) => {
      const path = liveLogPath(logsDir, run, stage, attempt);
      const found = await readLiveLog(path);
      if (found === null) return null;
      const { head, gap, tail } = found;
      const ref = await artifacts.put(Buffer.concat([head, gapMark(gap), tail]));
      return { ...ref, dropped: gap };
    },
    forget: async ({ run, stage, attempt }) => {
      const path = liveLogPath(logsDir, run, stage, attempt);
      const work = removeLiveLog(path);
      clearing.set(path, work);
      await work.finally(() => {
        if (clearing.get(path) === work) clearing.delete(path);
      });
    },
    leave: async (run) => {
      await Promise.all([heartbeats.clear(run), removeLiveLogs(logsDir, run)]);
    },
    kept: async () => {
      const [beating, logged] = await Promise.all([heartbeats.runs(), runsWithLiveLogs(logsDir)]);
      return [...new Set([...beating, ...(logged as RunId[])])];
    },
  };
}
