/**
 * The signing key as a file: ed25519, for its owner only. It gets its name in one step that replaces nothing, so of two
 * processes that make it at once one wins and both use that one. The public key lies beside it.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { constants } from "node:fs";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { isPawlError, pawlError } from "../../base/errors.ts";
import { SIGNER_ERRORS } from "../../ports/errors/signer-errors.ts";
import type { Signer } from "../../ports/trust/signer.ts";
import { openTemporary, replaceFile, syncFolder, writeAll } from "./durable.ts";
import { errnoOf } from "./store-errors.ts";

export interface FileSignerOptions {
  /** The state directory; `signing.key` and `signing.pub` lie in it. */
  readonly dir: string;
}

interface Pair {
  readonly key: KeyObject;
  readonly publicKey: string;
}

const PRIVATE = "signing.key";
const PUBLIC = "signing.pub";
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const PUBLIC_FORM = /^[A-Za-z0-9_-]{43}$/;

export function createFileSigner({ dir }: FileSignerOptions): Signer {
  const path = `${dir}/${PRIVATE}`;
  let loading: Promise<Pair> | null = null;

  const load = (): Promise<Pair> => {
    loading ??= guarded(path, () => readOrMake(dir, path)).catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  const publicKey = (): Promise<string | null> => guarded(path, () => readPublic(`${dir}/${PUBLIC}`));

  return {
    async sign(bytes) {
      const pair = await load();
      return { key: pair.publicKey, value: sign(null, bytes, pair.key).toString("base64url") };
    },
    async verify(bytes, { key, value }) {
      if ((await publicKey()) !== key) return false;
      const x = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" });
      return verify(null, bytes, x, Buffer.from(value, "base64url"));
    },
    publicKey,
  };
}

async function readOrMake(dir: string, path: string): Promise<Pair> {
  const key = (await readPrivate(path)) ?? (await make(dir, path));
  const publicKey = createPublicKey(key).export({ format: "jwk" }).x as string;
  if ((await readPublic(`${dir}/${PUBLIC}`)) !== publicKey)
    await replaceFile(dir, PUBLIC, Buffer.from(`${publicKey}\n`), 0o644);
  return { key, publicKey };
}

async function make(dir: string, path: string): Promise<KeyObject> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const fresh = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
  const temporary = await openTemporary(dir, 0o600);
  try {
    try {
      await writeAll(temporary.handle, Buffer.from(fresh));
      await temporary.handle.sync();
    } finally {
      await temporary.handle.close();
    }
    await link(temporary.path, path).catch((error: unknown) => {
      if (errnoOf(error) !== "EEXIST") throw error;
    });
  } finally {
    await rm(temporary.path, { force: true });
  }
  await syncFolder(dir);
  const made = await readPrivate(path);
  if (made === null) throw pawlError(SIGNER_ERRORS, "SIGNER_KEY_DAMAGED", { path });
  return made;
}

/** null: there is none. */
async function readPrivate(path: string): Promise<KeyObject | null> {
  const handle = await open(path, READ).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return null;
    if (errnoOf(error) === "ELOOP") throw damaged(path, error);
    throw error;
  });
  if (handle === null) return null;
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw damaged(path);
    const user = process.getuid?.();
    const isForeign = user !== undefined && found.uid !== user && user !== 0;
    if ((found.mode & 0o077) !== 0 || isForeign) {
      const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
      throw pawlError(SIGNER_ERRORS, "SIGNER_KEY_EXPOSED", { path, mode });
    }
    return parse(await handle.readFile(), path);
  } finally {
    await handle.close();
  }
}

function parse(text: Buffer, path: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (error) {
    throw damaged(path, error);
  }
  if (key.asymmetricKeyType !== "ed25519") throw damaged(path);
  return key;
}

/** null: there is none, or what is there is no key. */
async function readPublic(path: string): Promise<string | null> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return "";
    throw error;
  });
  return PUBLIC_FORM.test(text.trim()) ? text.trim() : null;
}

function damaged(path: string, cause?: unknown): Error {
  return pawlError(SIGNER_ERRORS, "SIGNER_KEY_DAMAGED", { path }, { cause });
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPawlError(error)) throw error;
    const detail = errnoOf(error) === "" ? String(error) : errnoOf(error);
    throw pawlError(SIGNER_ERRORS, "SIGNER_STORE_FAILED", { path, detail }, { cause: error });
  }
}
