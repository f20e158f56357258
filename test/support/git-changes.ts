/** Random changes of a folder, as a stage makes them; made by fast-check, applied here or in a process that is killed. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";

export type Change =
  | { readonly kind: "write" | "execute"; readonly path: string; readonly text: string }
  | { readonly kind: "link"; readonly path: string; readonly text: string }
  | { readonly kind: "remove" | "pipe" | "repository" | "close"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string };

/** What a verifier writes into a checkout: it is in no tree. */
export const SPOILED = "77777777-spoiled";

const NAMES = [
  "a",
  "b",
  "src",
  "deep",
  "x.log",
  "new\nline",
  "-rf",
  "sp ace",
  "quo\"te'",
  "é",
  "*",
  ".hidden",
  "con",
  "back\\slash",
];
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
/** Each text is its own, so that it can be found again. */
const text = fc.uuid();

export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom("write" as const, "execute" as const), path, text }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("link" as const), path, text }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), path }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("rename" as const), path, to: path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("close" as const, "pipe" as const), path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("repository" as const), path }) },
  ),
  { minLength: 1, maxLength: 12 },
);

/** A change that cannot be made, such as a file below a file, is left out. */
export function applyChanges(folder: string, list: readonly Change[]): void {
  for (const change of list) {
    try {
      applyChange(folder, change);
    } catch (error) {
      if (
        !["EEXIST", "ENOTDIR", "EISDIR", "ENOENT", "ENOTEMPTY", "EINVAL", "ELOOP", "EACCES"].includes(
          (error as { code?: string }).code ?? "",
        )
      )
        throw error;
    }
  }
}

function applyChange(folder: string, change: Change): void {
  const at = join(folder, change.path);
  const make = (): void => {
    if (leadsOut(folder, change.path)) throw Object.assign(new Error("behind a link"), { code: "ELOOP" });
    mkdirSync(dirname(at), { recursive: true });
  };
  switch (change.kind) {
    case "write":
    case "execute":
      make();
      if (lstatSync(at, { throwIfNoEntry: false })?.isFile() === false)
        throw Object.assign(new Error("no file"), { code: "EEXIST" });
      writeFileSync(at, change.text);
      chmodSync(at, change.kind === "write" ? 0o644 : 0o755);
      return;
    case "link":
      make();
      symlinkSync(change.text, at);
      return;
    case "remove":
      if (!leadsOut(folder, change.path)) rmSync(at, { recursive: true });
      return;
    case "rename":
      if (!leadsOut(folder, change.path) && !leadsOut(folder, change.to)) renameSync(at, join(folder, change.to));
      return;
    case "close":
      chmodSync(at, 0);
      return;
    case "pipe":
      make();
      spawnSync("mkfifo", ["--", at], { stdio: "ignore" });
      return;
    case "repository":
      make();
      mkdirSync(join(at, ".git"), { recursive: true });
      writeFileSync(join(at, ".git/HEAD"), "ref: refs/heads/main\n");
      for (const name of ["objects", "refs"]) mkdirSync(join(at, ".git", name), { recursive: true });
  }
}

/** A part of the path on the way is a link. */
function leadsOut(folder: string, path: string): boolean {
  const parts = path.split("/").slice(0, -1);
  return parts.some(
    (_, index) =>
      lstatSync(join(folder, ...parts.slice(0, index + 1)), { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
}

/** The texts of all files and links that must not be lost: those that no ignore rule names. */
export function textsIn(folder: string, label: (path: string, text: string) => string = (_, text) => text): string[] {
  const found: string[] = [];
  const walk = (at: string): void => {
    for (const name of readdirSync(at)) {
      const path = join(at, name);
      if (path === join(folder, ".git") || name.endsWith(".log")) continue;
      const stats = lstatSync(path);
      if (stats.isDirectory()) walk(path);
      else if (stats.isSymbolicLink()) found.push(label(path, readlinkSync(path)));
      else if (stats.isFile()) found.push(label(`${path} ${stats.mode & 0o100}`, readFileSync(path, "utf8")));
    }
  };
  walk(folder);
  return found;
}
