/** From an ended process to its report: the log, the captured value, the promised files, the verdict in words. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { formatBytes } from "../../base/size.ts";
import { visibleLine } from "../../base/visible.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { ProcessReport, ProcessRequest } from "../../ports/executor.ts";
import type { ArtifactRef, RefusedHost, ResourceUse } from "../../run/events.ts";
import { lastLine, programName, type Verdict } from "./classify.ts";
import { type Log, redactBytes } from "./output/capture.ts";
import type { OutputCapture } from "./output/output-capture.ts";
import type { Kept } from "./take/keep.ts";
import { holdFile, storeFile } from "./take/store-file.ts";

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
  /** What it was to keep and has written. */
  readonly kept: Kept;
}

interface Store {
  readonly artifacts: Artifacts;
  readonly redact: (text: string) => string;
}

const MAX_ERROR = 200;

export async function writeReport(
  store: Store,
  request: ProcessRequest,
  gathered: Gathered,
  { log, output, kept }: Recorded,
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
    artifacts: { ...settled.artifacts, ...kept.artifacts },
    ...(kept.unkept === 0 ? {} : { unkept: kept.unkept }),
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

function invalid(what: string): Results {
  return { verdict: { cause: "invalid_output", what } };
}
