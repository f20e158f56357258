/**
 * `project.apply`: the files of the project become what the run has made of them, uncommitted. Only a tree that the gates have
 * passed, only where the project is still as the run found it, and all of it or nothing; what a crash leaves half done is
 * completed by the next attempt, for a file that is already as it shall be is left alone.
 */
import { isUtf8 } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readFile, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { visibleLine } from "../../base/visible.ts";
import { sealedPartOf } from "../../plan/paths/sealed-names.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";
import { askBytes, type RunGit } from "./repository/run-git.ts";
import type { Scope, Spec } from "./scope.ts";

const FILE = "100644";
const PROGRAM = "100755";
const NONE = "000000";

interface Change {
  readonly path: string;
  readonly old: Entry;
  readonly now: Entry;
}

interface Entry {
  readonly mode: string;
  readonly id: string;
}

export function applySpec(scope: Scope): Spec {
  const { git, root } = scope;
  return {
    name: "project.apply",
    summary:
      "Puts what the gates have passed into the files of your project, uncommitted; never over a change of yours.",
    effect: "idempotent",
    level: "L2",
    input: {},
    async perform(_input, context, snapshot) {
      const start = `refs/pawl/${context.run}/start`;
      const changes = await changesBetween(git.vault, start, snapshot.tree);
      if (changes.length > 0 && !context.verified) throw unapplied("no gate has passed exactly this tree");
      const sealed = await scope.hooksFolders();
      const due: Change[] = [];
      for (const change of changes) {
        checkPlain(change, sealed);
        if (await isDue(root, change)) due.push(change);
      }
      for (const change of due) await put(git.vault, root, change);
      return { ok: true, output: { files: changes.length } };
    },
  };
}

async function changesBetween(vault: RunGit, from: string, to: string): Promise<readonly Change[]> {
  const args = ["diff-tree", "-r", "--no-renames", "--no-textconv", "--no-ext-diff", "--raw", "--no-abbrev", "-z"];
  const bytes = await askBytes("comparing trees", vault([...args, from, to]));
  const parts = bytes.toString("latin1").split("\0");
  const changes: Change[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode = "", mode = "", oldId = "", id = ""] = (parts[at] ?? "").slice(1).split(" ");
    const name = Buffer.from(parts[at + 1] ?? "", "latin1");
    if (!isUtf8(name)) throw unapplied(`the name of ${visibleLine(name.toString(), 200)} is no text`);
    changes.push({ path: name.toString(), old: { mode: oldMode, id: oldId }, now: { mode, id } });
  }
  return changes;
}

/** Links and submodules lead elsewhere, and what programs obey is for people to change. */
function checkPlain({ path, old, now }: Change, sealed: readonly string[]): void {
  const plain = [FILE, PROGRAM, NONE];
  if (!plain.includes(old.mode) || !plain.includes(now.mode)) throw unapplied(`${shown(path)} is no ordinary file`);
  if (sealedPartOf(path, sealed) !== undefined) throw unapplied(`${shown(path)} is sealed`);
}

/** Whether it is still as the run found it; false: it is already as it shall be. Rejects when it is neither. */
async function isDue(root: string, { path, old, now }: Change): Promise<boolean> {
  const found = await entryAt(root, path, old.id.length);
  if (isSame(found, now)) return false;
  if (isSame(found, old)) return true;
  throw unapplied(`${shown(path)} was changed in the project meanwhile`);
}

function isSame(found: Entry, wanted: Entry): boolean {
  return found.mode === wanted.mode && (found.mode === NONE || found.id === wanted.id);
}

/** What lies there now. Whatever is no file below folders is neither the old nor the new one. */
async function entryAt(root: string, path: string, idLength: number): Promise<Entry> {
  const steps = path.split("/");
  for (let depth = 1; depth < steps.length; depth += 1) {
    const folder = await lstat(join(root, ...steps.slice(0, depth))).catch(() => null);
    if (folder === null) return { mode: NONE, id: "" };
    if (!folder.isDirectory()) return { mode: "link", id: "" };
  }
  const file = join(root, path);
  const found = await lstat(file).catch(() => null);
  if (found === null) return { mode: NONE, id: "" };
  if (!found.isFile()) return { mode: "link", id: "" };
  const bytes = await readFile(file);
  const hash = createHash(idLength === 64 ? "sha256" : "sha1")
    .update(`blob ${bytes.length}\0`)
    .update(bytes);
  return { mode: (found.mode & 0o100) === 0 ? FILE : PROGRAM, id: hash.digest("hex") };
}

async function put(vault: RunGit, root: string, change: Change): Promise<void> {
  const file = join(root, change.path);
  // Between the look at all of them and this one somebody may have saved the file.
  if (!(await isDue(root, change))) return;
  if (change.now.mode === NONE) return unlink(file);
  await mkdir(dirname(file), { recursive: true });
  const bytes = await askBytes("reading a file", vault(["cat-file", "blob", change.now.id]));
  const temporary = join(dirname(file), `.pawl-${randomBytes(6).toString("hex")}`);
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const handle = await open(temporary, flags, change.now.mode === PROGRAM ? 0o755 : 0o644);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

function shown(path: string): string {
  return visibleLine(path, 200);
}

function unapplied(problem: string): Error {
  return pawlError(GIT_ERRORS, "GIT_APPLY_REFUSED", { problem });
}
