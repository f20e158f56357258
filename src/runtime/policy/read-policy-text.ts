/** The text of a file whose rules must hold. A file that is there and cannot be trusted or read is a problem: nothing runs without it. */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { diagnose } from "../../base/diagnostic.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import { PROJECT_BOUNDS, USUAL_BOUNDS } from "../../blueprint/text/bounds.ts";
import { RUNTIME_ERRORS } from "../errors.ts";

export interface PolicyPlace {
  readonly path: string;
  /** The name of the file in messages. */
  readonly shown: string;
  /** Whether it must be there. */
  readonly isRequired: boolean;
  /** A folder that it must not lie in: what is there may have been written by a run. Without it, anybody may have written the file. */
  readonly outside?: string;
  /** Without it 256 KB. */
  readonly mostBytes?: number;
}

/** `pawl.yaml` at the root of a project on this machine. */
export function projectPlace(root: string): PolicyPlace {
  return { path: join(root, "pawl.yaml"), shown: "pawl.yaml", isRequired: false, mostBytes: PROJECT_BOUNDS.bytes };
}

const ROOM = 4096;
const WRITABLE_BY_OTHERS = 0o022;

/** The text, null when there is no such file, or why it cannot be used. */
export type RuleText = { readonly text: string | null } | { readonly unfit: string };

export async function readPolicyText(place: PolicyPlace): Promise<Result<string | null>> {
  const read = await readRuleText(place);
  if ("text" in read) return ok(read.text);
  const where = { file: place.shown, line: 1, column: 1, length: 1 };
  const data = { file: place.shown, problem: read.unfit };
  return failed([diagnose(RUNTIME_ERRORS, "POLICY_FILE_UNFIT", data, where)]);
}

export async function readRuleText(place: PolicyPlace): Promise<RuleText> {
  const found = await lstat(place.path).catch((error: NodeJS.ErrnoException) => error.code ?? "an unknown error");
  if (found === "ENOENT" && !place.isRequired) return { text: null };
  if (typeof found === "string") return { unfit: `it cannot be looked at (${found})` };
  const problem = problemOf(found, place) ?? (await problemOfFolder(place));
  if (problem !== undefined) return { unfit: problem };
  const bytes = await readBytes(place);
  if (typeof bytes === "string") return { unfit: bytes };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { unfit: "it is not UTF-8 text" };
  }
}

function problemOf(found: Stats, { outside, mostBytes = USUAL_BOUNDS.bytes }: PolicyPlace): string | undefined {
  if (found.isSymbolicLink()) return "it is a link";
  if (!found.isFile()) return "it is not a regular file";
  if (found.size > mostBytes) return `it has ${found.size} bytes, and may have ${mostBytes}`;
  if (outside === undefined) return undefined;
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0) return "others than its owner may write it";
  const isOwned = found.uid === 0 || found.uid === process.getuid?.();
  return isOwned ? undefined : "it belongs to another user";
}

async function problemOfFolder({ path, outside }: PolicyPlace): Promise<string | undefined> {
  if (outside === undefined) return undefined;
  const [folder, inner] = await Promise.all([realpath(dirname(path)), realpath(outside)]);
  const isInside = `${folder}${sep}`.startsWith(`${inner}${sep}`);
  return isInside ? "it lies in the project, which must not be able to change it" : undefined;
}

/** The bytes, or why there are none. What was looked at may have been replaced since, so the open file is looked at again. */
async function readBytes(place: PolicyPlace): Promise<Uint8Array | string> {
  const { mostBytes = USUAL_BOUNDS.bytes } = place;
  let file: FileHandle | undefined;
  try {
    file = await open(place.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    const problem = problemOf(found, place);
    if (problem !== undefined) return problem;
    // As large as it is, and a little for whoever writes just now: it is read often, and many may be at it.
    const most = Math.min(mostBytes, found.size + ROOM);
    const buffer = new Uint8Array(most + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      ({ bytesRead: read } = await file.read(buffer, length, buffer.length - length, length));
    }
    return length > most ? "it grows while it is read" : buffer.subarray(0, length);
  } catch (error) {
    return `it cannot be read (${(error as NodeJS.ErrnoException).code ?? "an unknown error"})`;
  } finally {
    await file?.close();
  }
}
