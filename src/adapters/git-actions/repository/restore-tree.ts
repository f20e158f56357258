/**
 * Puts a working tree that was left between two commits to one of them. A path is touched only where it holds what the other commit has there, a part
 * of what was being written, or nothing: whatever else is there the user has made.
 */
import { createHash } from "node:crypto";
import { rmdir, unlink } from "node:fs/promises";
import { type ChangedEntry, changedPaths } from "./changes.ts";
import type { Checkout } from "./checkout.ts";
import type { LandingRecord } from "./landing-record.ts";
import { ask, askBytes } from "./run-git.ts";
import { bytesAt, lookAt, placeAt, type Spot } from "./spot.ts";

interface Side {
  readonly mode: string;
  readonly id: string;
}

const NO_MODE = "000000";
const LINK = "120000";
const FILE = /^100/;

/** The index of our own is that of the user, and becomes that of the commit. */
export async function restoreTree(checkout: Checkout, { from, to }: LandingRecord, aim: "from" | "to"): Promise<void> {
  const { folder, git } = checkout;
  const changes = await changedPaths(git, from, to);
  const wanted = (entry: ChangedEntry): Side => (aim === "to" ? newOf(entry) : oldOf(entry));
  for (const entry of changes) {
    const isUnwanted = wanted(entry).mode === NO_MODE;
    if (isUnwanted && (await isOurs(checkout, entry))) await remove(folder, entry.path);
  }
  const toWrite: string[] = [];
  for (const entry of changes) if (await mustWrite(checkout, entry, wanted(entry))) toWrite.push(entry.path);
  const [other, target] = aim === "to" ? [from, to] : [to, from];
  await ask("putting an index right", git(["read-tree", "-i", "-m", other, target]));
  const input = Buffer.from(toWrite.map((path) => `${path}\0`).join(""), "latin1");
  if (toWrite.length > 0)
    await ask("putting files right", git(["checkout-index", "-q", "-f", "-z", "--stdin"], { input }));
  await git(["update-index", "-q", "--refresh"]);
}

const oldOf = ({ oldMode: mode, oldId: id }: ChangedEntry): Side => ({ mode, id });
const newOf = ({ newMode: mode, newId: id }: ChangedEntry): Side => ({ mode, id });

async function mustWrite(checkout: Checkout, entry: ChangedEntry, wanted: Side): Promise<boolean> {
  if (wanted.mode !== LINK && !FILE.test(wanted.mode)) return false;
  const { folder } = checkout;
  const spot = await lookAt(folder, entry.path);
  if (spot.is === "nothing") return true;
  if (spot.is === "folder") return isEmptied(folder, entry.path);
  const isExecutable = spot.is === "file" && spot.isExecutable;
  const isThere =
    isExecutable === (wanted.mode === "100755") && isSide(spot, await bytesAt(folder, entry.path, spot), wanted);
  return !isThere && isOurs(checkout, entry);
}

async function isOurs({ folder, git }: Checkout, entry: ChangedEntry): Promise<boolean> {
  const spot = await lookAt(folder, entry.path);
  const bytes = await bytesAt(folder, entry.path, spot);
  if (bytes === null) return false;
  const begun = newOf(entry);
  if (isSide(spot, bytes, oldOf(entry)) || isSide(spot, bytes, begun)) return true;
  if (spot.is !== "file" || !FILE.test(begun.mode)) return false;
  const whole = await askBytes("reading a file", git(["cat-file", "blob", begun.id]));
  return isBeginning(bytes, whole) || isBeginning(unixLines(bytes), unixLines(whole));
}

function isSide(spot: Spot, bytes: Buffer | null, { mode, id }: Side): boolean {
  if (bytes === null || (spot.is === "link") !== (mode === LINK) || mode === NO_MODE) return false;
  return blobId(bytes, id) === id || (spot.is === "file" && blobId(unixLines(bytes), id) === id);
}

/** The name that git gives these bytes, as long as the one it is compared with. */
function blobId(bytes: Buffer, like: string): string {
  const hash = createHash(like.length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

function isBeginning(part: Buffer, whole: Buffer): boolean {
  return part.length <= whole.length && whole.subarray(0, part.length).equals(part);
}

/** Git may have written the lines of a file as the user's system ends them. */
function unixLines(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
}

/** With the folders that are empty then. */
async function remove(folder: string, path: string): Promise<void> {
  await unlink(placeAt(folder, path));
  const parts = path.split("/");
  for (let depth = parts.length - 1; depth > 0; depth -= 1)
    if (!(await isEmptied(folder, parts.slice(0, depth).join("/")))) return;
}

/** Removes a folder that holds nothing. */
function isEmptied(folder: string, path: string): Promise<boolean> {
  return rmdir(placeAt(folder, path)).then(
    () => true,
    () => false,
  );
}
