/** From an ended process to its report: the log, the captured value, the promised files, the verdict in words. */
import { constants, existsSync } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { isPawlError } from "../../base/errors.ts";
import { formatBytes } from "../../base/size.ts";
import { visibleLine } from "../../base/visible.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { ProcessReport, ProcessRequest } from "../../ports/executor.ts";
import type { ArtifactRef, RefusedHost, ResourceUse } from "../../run/events.ts";
import { lastLine, programName, type Verdict } from "./classify.ts";
import { type Log, redactBytes } from "./output/capture.ts";
import type { OutputCapture } from "./output/output-capture.ts";

/** What one execution has gathered. */
export interface Gathered {
  readonly verdict: Verdict;
  readonly code: number | null;
  readonly signal: string | null;
  /** Its working folder on this machine; null: it was not started. */
  readonly folder: string | null;
  readonly used?: ResourceUse;
  readonly refused?: readonly RefusedHost[];
}

export interface Recorded {
  readonly log: Log;
  readonly output: OutputCapture;
}

interface Store {
  readonly artifacts: Artifacts;
  readonly redact: (text: string) => string;
}

const MAX_ERROR = 200;
const NO_FILE: Readonly<Record<string, string>> = {
  ARTIFACT_TOO_LARGE: "it is too large",
  ARTIFACT_NOT_A_FILE: "it is missing or not an ordinary file",
};

export async function writeReport(
  store: Store,
  request: ProcessRequest,
  gathered: Gathered,
  { log, output }: Recorded,
): Promise<ProcessReport> {
  const { bytes, dropped } = log.finish(store.redact);
  const ref = await store.artifacts.put(bytes);
  const settled = await takeResults(store, request, gathered, output);
  const { verdict } = settled;
  const evidence = request.evidence && (await takeEvidence(store, request.evidence.report, gathered, output));
  const detail = verdict.cause === "exit" ? lastLine(bytes) : "";
  const sentence = `${programName(request.argv)} ${verdict.what ?? ""}${detail === "" ? "" : `: ${detail}`}`;
  return {
    cause: verdict.cause,
    ...seenOf(gathered),
    ...(verdict.what === undefined ? {} : { error: visibleLine(store.redact(sentence), MAX_ERROR) }),
    ...(settled.output === undefined ? {} : { output: settled.output }),
    log: { ...ref, dropped },
    artifacts: settled.artifacts ?? {},
    ...(evidence === undefined ? {} : { evidence }),
  };
}

/** What was seen of the process, whatever became of it. */
function seenOf({ code, signal, used, refused = [] }: Gathered): Partial<ProcessReport> {
  return {
    ...(code === null ? {} : { exit: code }),
    ...(signal === null ? {} : { signal }),
    ...(used === undefined ? {} : { used }),
    ...(refused.length === 0 ? {} : { refused }),
  };
}

interface Results {
  readonly verdict: Verdict;
  readonly output?: NonNullable<ProcessReport["output"]> | null;
  readonly artifacts?: Readonly<Record<string, ArtifactRef>>;
}

/** The captured value and the files a process promised; without one of them it has not done its work. */
async function takeResults(
  store: Store,
  request: ProcessRequest,
  { verdict, folder }: Gathered,
  output: OutputCapture,
): Promise<Results> {
  if (verdict.cause !== "ok" || folder === null) return { verdict };
  const captured = output.finish(store.redact);
  if (!captured.ok) return invalid(`ended well, but ${captured.problem}`);
  const artifacts: Record<string, ArtifactRef> = {};
  for (const { name, path } of request.outputs) {
    const stored = await storeFile(store.artifacts, folder, path);
    if (typeof stored === "string") return invalid(`ended well, but its output ${name} ${stored}`);
    artifacts[name] = stored;
  }
  return { verdict, artifacts, ...(captured.output === undefined ? {} : { output: captured.output }) };
}

const MAX_EVIDENCE = 32 << 20;

/** What a gate reads, whole or not at all. */
async function takeEvidence(
  { artifacts, redact }: Store,
  report: string | null,
  { folder }: Gathered,
  output: OutputCapture,
): Promise<NonNullable<ProcessReport["evidence"]>> {
  const bytes = report === null ? output.whole() : await readReport(folder, report);
  if (typeof bytes === "string") return { problem: bytes };
  return { ref: await artifacts.put(redactBytes(bytes, redact)) };
}

/** The bytes of a report, or why there are none. */
async function readReport(folder: string | null, path: string): Promise<Buffer | string> {
  const held = folder === null ? undefined : await holdFile(folder, path);
  if (held === undefined) return `its report is not at ${path}`;
  try {
    const file = await open(held.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) return "its report is not an ordinary file";
      if (found.size > MAX_EVIDENCE) return `its report is larger than ${formatBytes(MAX_EVIDENCE)}`;
      return await readWhole(file, found.size);
    } finally {
      await file.close();
    }
  } catch {
    return `its report is not at ${path}`;
  } finally {
    await held.parent.close();
  }
}

/** Not more than the file had when it was measured. */
async function readWhole(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** The stored file, or why there is none. */
async function storeFile(artifacts: Artifacts, folder: string, path: string): Promise<ArtifactRef | string> {
  const file = await holdFile(folder, path);
  if (file === undefined) return `is not at ${path}`;
  try {
    return await artifacts.putFile(file.path);
  } catch (error) {
    const problem = isPawlError(error) ? NO_FILE[error.code] : undefined;
    if (problem === undefined) throw error;
    return `cannot be stored: ${problem}`;
  } finally {
    await file.parent.close();
  }
}

function invalid(what: string): Results {
  return { verdict: { cause: "invalid_output", what } };
}

const HELD_PATHS = existsSync("/proc/self/fd");

/**
 * An output whose folder is below the working folder. The folder is held open and it is the held one that is checked:
 * a link that takes its place afterwards leads nowhere. The last part of the path is checked by the store.
 */
async function holdFile(
  folder: string,
  path: string,
): Promise<{ readonly path: string; readonly parent: FileHandle } | undefined> {
  const cut = path.lastIndexOf("/");
  const name = path.slice(cut + 1);
  if (name === "" || name === "." || name === "..") return undefined;
  const place = resolve(folder, path.slice(0, cut + 1));
  const parent = await open(place, constants.O_RDONLY | constants.O_DIRECTORY).catch(() => undefined);
  if (parent === undefined) return undefined;
  const held = HELD_PATHS ? `/proc/self/fd/${parent.fd}` : place;
  const way = relative(folder, await realpath(held).catch(() => sep));
  if (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return { path: join(held, name), parent };
  await parent.close();
  return undefined;
}
