/**
 * The folder of the sockets. A socket is made under a name that begins with `new-` and gets its lasting name when it is
 * listened on: one with a lasting name that nobody listens on belonged to a process that died, and is removed.
 */
import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { basename, join } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { EGRESS_ERRORS } from "../../ports/errors/egress-errors.ts";

/** Linux takes 107 bytes, others 103. */
const MAX_PATH_BYTES = 99;
const OURS = /^(?:out|new)-[0-9a-f]{16}$/;
const UNFINISHED = /^new-/;
const UNFINISHED_FOR_MS = 60_000;

/** Listens on a new socket in the folder and resolves to its path. Rejects with SANDBOX_BROKER_FAILED. */
export async function listenIn(folder: string, server: Server): Promise<string> {
  const id = randomBytes(8).toString("hex");
  const lasting = join(folder, `out-${id}`);
  const fresh = join(folder, `new-${id}`);
  const bytes = Buffer.byteLength(lasting);
  if (bytes > MAX_PATH_BYTES) throw failed(folder, `a path of ${bytes} bytes is too long for a socket`);
  try {
    await prepare(folder);
    await clear(folder);
    await listen(server, fresh);
    await chmod(fresh, 0o600);
    await rename(fresh, lasting);
    return lasting;
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    const { code, message } = error as NodeJS.ErrnoException;
    throw failed(folder, code === undefined ? message : `${code}`, error);
  }
}

async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new Error("it is not a folder");
  if (found.uid !== process.getuid?.()) throw new Error("it belongs to another user");
  if ((found.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
}

async function clear(folder: string): Promise<void> {
  const paths = (await readdir(folder)).filter((name) => OURS.test(name)).map((name) => join(folder, name));
  await Promise.all(
    paths.map(async (path) => {
      if (await isLeftOver(path)) await rm(path, { force: true });
    }),
  );
}

async function isLeftOver(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSocket() !== true) return false;
  const isFresh = UNFINISHED.test(basename(path)) && Date.now() - found.mtimeMs < UNFINISHED_FOR_MS;
  return !isFresh && (await isDeserted(path));
}

/** Only the operating system knows; a listener that is busy does not refuse. */
function isDeserted(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path });
    probe.once("connect", () => {
      probe.destroy();
      resolve(false);
    });
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function failed(place: string, problem: string, cause?: unknown): Error {
  return pawlError(EGRESS_ERRORS, "SANDBOX_BROKER_FAILED", { place, problem }, { cause });
}
