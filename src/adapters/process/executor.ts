/** Executor on plain processes: no wall around them, but none is left behind and nothing they write is lost or leaked. */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { isPawlError } from "../../base/errors.ts";
import { visibleLine } from "../../base/visible.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { Executor, ProcessReport, ProcessRequest } from "../../ports/executor.ts";
import type { ArtifactRef } from "../../run/events.ts";
import { createLines, createLog, type Log, type LogCap } from "./capture.ts";
import { classify, lastLine, programName, type Verdict } from "./classify.ts";
import { createLiveOutput } from "./live-output.ts";
import { createOutputCapture, type OutputCapture } from "./output.ts";
import { countOomKills } from "./proc.ts";
import { killMarked } from "./reap.ts";
import { folderBelow, refuse, startProcess } from "./spawn.ts";
import { supervise } from "./supervise.ts";

export interface ProcessExecutorOptions {
  /** The project root; every process works in a folder below it. */
  readonly root: string;
  readonly artifacts: Artifacts;
  /** Where the inputs of a process are laid out while it runs. */
  readonly tempDir: string;
  readonly redact: (text: string) => string;
  /** The environment of every process, before what a request adds. */
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly logCap?: LogCap;
  /** Time between asking a process to end and killing it. */
  readonly graceMs?: number;
}

const LOG_CAP: LogCap = { headBytes: 1024 * 1024, tailBytes: 1024 * 1024 };
const GRACE_MS = 2000;
const MAX_ERROR = 200;

/** What one execution has gathered. */
interface Gathered {
  readonly verdict: Verdict;
  readonly code: number | null;
  readonly signal: string | null;
  readonly folder: string;
}

export function createProcessExecutor(options: ProcessExecutorOptions): Executor {
  return {
    execute: async (request, signal, onOutput) => {
      const log = createLog(options.logCap ?? LOG_CAP);
      const output = createOutputCapture(request.capture);
      const inputs = await layOutInputs(options, request);
      try {
        const gathered = await run(options, request, { ...inputs, log, output, signal, onOutput });
        return await report(options, request, gathered, log, output);
      } finally {
        if (inputs.folder !== undefined) await rm(inputs.folder, { recursive: true, force: true });
      }
    },
    reap: async (key) => {
      await killMarked(key);
      const left = await readdir(options.tempDir).catch(() => []);
      for (const name of left.filter((each) => each.startsWith(inputPrefix(key)))) {
        await rm(resolve(options.tempDir, name), { recursive: true, force: true });
      }
    },
  };
}

interface Inputs {
  /** undefined: there are none. */
  readonly folder?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Two inputs whose variables would have the same name. */
  readonly clash?: string;
}

interface Session extends Inputs {
  readonly log: Log;
  readonly output: OutputCapture;
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
}

async function run(options: ProcessExecutorOptions, request: ProcessRequest, session: Session): Promise<Gathered> {
  const none = { code: null, signal: null, folder: "" };
  if (session.signal.aborted)
    return { ...none, verdict: { cause: "killed", what: "was not started: the run was ended" } };
  if (session.clash !== undefined)
    return { ...none, verdict: refuse(`two inputs are called ${session.clash}`).refused };
  const folder = await folderBelow(options.root, request.cwd);
  if ("refused" in folder) return { ...none, verdict: folder.refused };
  const oomKills = countOomKills();
  const started = await startProcess({
    argv: request.argv,
    cwd: folder.path,
    env: environment(options, request, session.env),
  });
  if ("refused" in started) return { ...none, verdict: started.refused };

  const live = createLiveOutput(options.redact, session.onOutput);
  const onLines = (lines: Uint8Array): void => {
    session.log.write(lines);
    live.write(lines);
  };
  const lines = { stdout: createLines(onLines), stderr: createLines(onLines) };
  const ended = await supervise(started.child, started.pid, {
    key: request.key,
    timeoutMs: request.timeoutMs,
    stallMs: request.stallMs,
    graceMs: options.graceMs ?? GRACE_MS,
    signal: session.signal,
    oomKills,
    onChunk: (stream, chunk) => {
      lines[stream].write(chunk);
      if (stream === "stdout") session.output.write(chunk);
    },
  });
  lines.stdout.end();
  lines.stderr.end();
  if (ended.survivors.length > 0)
    onLines(Buffer.from(`\n[pawl: could not end these processes: ${ended.survivors.join(", ")}]\n`));
  live.end();
  return { code: ended.code, signal: ended.signal, verdict: classify(ended, request), folder: folder.path };
}

/** Nothing is inherited; our own names come last, so that nothing can take their place. */
function environment(
  options: ProcessExecutorOptions,
  request: ProcessRequest,
  inputs: Inputs["env"],
): Record<string, string> {
  return {
    ...options.baseEnv,
    ...request.env,
    PAWL_RUN: request.run,
    PAWL_STAGE: request.stage,
    PAWL_ATTEMPT: String(request.attempt),
    PAWL_KEY: request.key,
    ...inputs,
  };
}

/** Named after the key, so that what a dead host left can be found again. */
function inputPrefix(key: string): string {
  return `in-${sha256(key).slice(0, 24)}-`;
}

async function layOutInputs(options: ProcessExecutorOptions, request: ProcessRequest): Promise<Inputs> {
  const names = Object.entries(request.inputs);
  if (names.length === 0) return { env: {} };
  await mkdir(options.tempDir, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(resolve(options.tempDir, inputPrefix(request.key)));
  const env: Record<string, string> = {};
  for (const [index, [name, ref]] of names.entries()) {
    const variable = `PAWL_INPUT_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
    if (Object.hasOwn(env, variable)) return { folder, env, clash: variable };
    const path = resolve(folder, `${index}-${name.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 100)}`);
    await options.artifacts.copyTo(ref.sha256, path);
    env[variable] = path;
  }
  return { folder, env };
}

async function report(
  options: ProcessExecutorOptions,
  request: ProcessRequest,
  gathered: Gathered,
  log: Log,
  output: OutputCapture,
): Promise<ProcessReport> {
  const { bytes, dropped } = log.finish(options.redact);
  const ref = await options.artifacts.put(bytes);
  const settled =
    gathered.verdict.cause === "ok"
      ? await takeResults(options, request, gathered, output)
      : { verdict: gathered.verdict };
  const { verdict } = settled;
  const detail = verdict.cause === "exit" ? lastLine(bytes) : "";
  const sentence = `${programName(request.argv)} ${verdict.what ?? ""}${detail === "" ? "" : `: ${detail}`}`;
  return {
    cause: verdict.cause,
    ...(gathered.code === null ? {} : { exit: gathered.code }),
    ...(gathered.signal === null ? {} : { signal: gathered.signal }),
    ...(verdict.what === undefined ? {} : { error: visibleLine(options.redact(sentence), MAX_ERROR) }),
    ...(settled.output === undefined ? {} : { output: settled.output }),
    log: { ...ref, dropped },
    artifacts: settled.artifacts ?? {},
  };
}

interface Results {
  readonly verdict: Verdict;
  readonly output?: NonNullable<ProcessReport["output"]> | null;
  readonly artifacts?: Readonly<Record<string, ArtifactRef>>;
}

/** The captured value and the files a process promised; without one of them it has not done its work. */
async function takeResults(
  options: ProcessExecutorOptions,
  request: ProcessRequest,
  gathered: Gathered,
  output: OutputCapture,
): Promise<Results> {
  const captured = output.finish(options.redact);
  if (!captured.ok) return invalid(`ended well, but ${captured.problem}`);
  const artifacts: Record<string, ArtifactRef> = {};
  for (const { name, path } of request.outputs) {
    const file = await fileBelow(gathered.folder, path);
    if (file === undefined) return invalid(`ended well, but did not write its output ${name} to ${path}`);
    try {
      artifacts[name] = await options.artifacts.putFile(file);
    } catch (error) {
      if (!isPawlError(error) || !OUTPUT_PROBLEMS.has(error.code)) throw error;
      return invalid(`ended well, but its output ${name} cannot be stored: ${error.message}`);
    }
  }
  return {
    verdict: gathered.verdict,
    artifacts,
    ...(captured.output === undefined ? {} : { output: captured.output }),
  };
}

const OUTPUT_PROBLEMS: ReadonlySet<string> = new Set(["ARTIFACT_TOO_LARGE", "ARTIFACT_NOT_A_FILE"]);

function invalid(what: string): Results {
  return { verdict: { cause: "invalid_output", what } };
}

/** The path of an output whose folder is below the working folder; the last part is checked by the store. */
async function fileBelow(folder: string, path: string): Promise<string | undefined> {
  const cut = path.lastIndexOf("/");
  const parent = await folderBelow(folder, cut === -1 ? "." : path.slice(0, cut + 1));
  const name = path.slice(cut + 1);
  return "refused" in parent || name === "" || name === ".." ? undefined : resolve(parent.path, name);
}
