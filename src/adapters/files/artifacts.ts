/**
 * Artifacts as files: `<dir>/ab/<sha256>`, readable by the owner only. A file gets its name after its bytes are on disk
 * and is checked against that name whenever it is read. What a crash leaves behind has another name and is never read.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { pawlError } from "../../base/errors.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import { ARTIFACT_ERRORS } from "../../ports/errors/artifact-errors.ts";
import type { ArtifactRef } from "../../run/events.ts";
import { NEW_FILE, openTemporary, syncFolder, writeAll } from "./durable.ts";
import { errnoOf, storeError } from "./store-errors.ts";

export interface FileArtifactsOptions {
  readonly dir: string;
  /** The largest artifact that is stored. */
  readonly maxBytes: number;
}

const CHUNK = 262_144;
const DIGEST = /^[0-9a-f]{64}$/;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Older temporary files belong to nobody: no write takes so long. */
const ABANDONED_MS = 24 * 3_600_000;

export function createFileArtifacts(options: FileArtifactsOptions): Artifacts {
  const { dir, maxBytes } = options;
  const shelf = createShelf(dir);
  return {
    put: (bytes) =>
      guarded(dir, async () => {
        if (bytes.length > maxBytes) throw tooLarge(maxBytes);
        const ref = { sha256: sha256(bytes), bytes: bytes.length };
        if (await shelf.has(ref.sha256)) return ref;
        return shelf.take(async (handle) => {
          await writeAll(handle, bytes);
          return ref;
        });
      }),
    putFile: (path) =>
      guarded(dir, async () => {
        const source = await openRegular(path);
        try {
          if ((await source.stat()).size > maxBytes) throw tooLarge(maxBytes);
          return await shelf.take((target) => copyInto(source, target, maxBytes));
        } finally {
          await source.close();
        }
      }),
    get: (digest) =>
      guarded(dir, async () => {
        const chunks: Uint8Array[] = [];
        await readChecked(dir, digest, async (chunk) => {
          chunks.push(chunk);
        });
        return Buffer.concat(chunks);
      }),
    check: (ref) =>
      guarded(dir, async () => {
        let bytes = 0;
        await readChecked(dir, ref.sha256, async (chunk) => {
          bytes += chunk.length;
        });
        if (bytes !== ref.bytes) throw damaged(ref.sha256);
      }),
    copyTo: (digest, path) => guarded(path, () => copyOut(dir, digest, path)),
  };
}

interface Shelf {
  /** Whether the store has these bytes, checked and durable. */
  has(digest: string): Promise<boolean>;
  /** Writes through `fill`, which returns what it wrote, and keeps it unless the store has it. */
  take(fill: (handle: FileHandle) => Promise<ArtifactRef>): Promise<ArtifactRef>;
}

function createShelf(dir: string): Shelf {
  const folders = new Set<string>();
  const durable = new Set<string>();
  let prepared: Promise<void> | undefined;

  const prepare = (): Promise<void> => {
    prepared ??= prepareStore(dir).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  const folderOf = async (digest: string): Promise<string> => {
    const folder = `${dir}/${digest.slice(0, 2)}`;
    if (folders.has(folder)) return folder;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(dir);
    folders.add(folder);
    return folder;
  };
  const has = async (digest: string): Promise<boolean> => {
    if (durable.has(digest)) return (await stat(pathOf(dir, digest)).catch(() => undefined)) !== undefined;
    const intact = await readChecked(dir, digest, ignore).then(
      () => true,
      () => false,
    );
    if (!intact) return false;
    await syncFolder(await folderOf(digest));
    remember(durable, digest);
    return true;
  };
  const name = async (temporary: string, digest: string): Promise<void> => {
    const folder = await folderOf(digest);
    await rename(temporary, `${folder}/${digest}`);
    await syncFolder(folder);
    remember(durable, digest);
  };
  const take = async (fill: (handle: FileHandle) => Promise<ArtifactRef>): Promise<ArtifactRef> => {
    await prepare();
    const { handle, path } = await openTemporary(dir, 0o600);
    try {
      const ref = await fillAndSync(handle, fill);
      if (await has(ref.sha256)) await rm(path, { force: true });
      else await name(path, ref.sha256);
      return ref;
    } catch (error) {
      await rm(path, { force: true }).catch(ignore);
      throw error;
    }
  };
  return { has, take };
}

async function fillAndSync(
  handle: FileHandle,
  fill: (handle: FileHandle) => Promise<ArtifactRef>,
): Promise<ArtifactRef> {
  try {
    const ref = await fill(handle);
    await handle.sync();
    return ref;
  } finally {
    await handle.close();
  }
}

function pathOf(dir: string, digest: string): string {
  return `${dir}/${digest.slice(0, 2)}/${digest}`;
}

async function prepareStore(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await syncFolder(dirname(dir));
  const limit = Date.now() - ABANDONED_MS;
  for (const name of await readdir(dir)) {
    if (!name.startsWith(".tmp-")) continue;
    const found = await stat(`${dir}/${name}`).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < limit) await rm(`${dir}/${name}`, { force: true });
  }
}

async function openRegular(path: string): Promise<FileHandle> {
  const handle = await open(path, READ).catch((error: unknown) => {
    throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_NOT_A_FILE", { path }, { cause: error });
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_NOT_A_FILE", { path });
}

async function copyInto(source: FileHandle, target: FileHandle, maxBytes: number): Promise<ArtifactRef> {
  const digest = createHash("sha256");
  let bytes = 0;
  for await (const chunk of chunksOf(source)) {
    bytes += chunk.length;
    // The file may have grown since it was opened.
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    digest.update(chunk);
    await writeAll(target, chunk);
  }
  return { sha256: digest.digest("hex"), bytes };
}

/** Reads an artifact piece by piece; rejects at the end when the pieces do not make up the digest. */
async function readChecked(dir: string, digest: string, onChunk: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  if (!DIGEST.test(digest)) throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_MISSING", { sha256: digest.slice(0, 80) });
  const handle = await open(pathOf(dir, digest), READ).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_MISSING", { sha256: digest });
    if (errnoOf(error) === "ELOOP") throw damaged(digest);
    throw error;
  });
  try {
    if (!(await handle.stat()).isFile()) throw damaged(digest);
    const actual = createHash("sha256");
    for await (const chunk of chunksOf(handle)) {
      actual.update(chunk);
      await onChunk(chunk);
    }
    if (actual.digest("hex") !== digest) throw damaged(digest);
  } finally {
    await handle.close();
  }
}

async function copyOut(dir: string, digest: string, path: string): Promise<void> {
  let target: FileHandle;
  try {
    target = await open(path, NEW_FILE, 0o600);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw pawlError(ARTIFACT_ERRORS, "ARTIFACT_TARGET_TAKEN", { path });
    throw error;
  }
  try {
    await readChecked(dir, digest, (chunk) => writeAll(target, chunk)).finally(() => target.close());
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Keeps the memory small: what is forgotten is only checked once more. */
function remember(digests: Set<string>, digest: string): void {
  if (digests.size >= 4096) digests.clear();
  digests.add(digest);
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(error, path);
  }
}

function tooLarge(maxBytes: number): Error {
  return pawlError(ARTIFACT_ERRORS, "ARTIFACT_TOO_LARGE", { maxBytes });
}

function damaged(digest: string): Error {
  return pawlError(ARTIFACT_ERRORS, "ARTIFACT_DAMAGED", { sha256: digest });
}

async function ignore(): Promise<void> {
  // Nothing to do.
}
