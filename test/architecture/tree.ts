/** The tree as the architecture tests see it, and copies of it in which offences are planted. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Paths relative to the root with `/`, of every file below a folder. */
export function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(ROOT.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Lines as the linter counts them: a last line break ends a line and does not begin one. */
export function lineCount(path: string): number {
  return textOf(path).replace(/\n$/, "").split("\n").length;
}

export interface Copy {
  readonly folder: string;
  readonly dispose: () => void;
}

/** A copy of some of the tree with files added. Packages are those of the real tree. */
export function plantedCopy(paths: readonly string[], planted: Readonly<Record<string, string>>): Copy {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-architecture-")));
  for (const path of paths) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [path, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, dispose: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Runs a tool of the project and returns its standard output as JSON. */
export function runForJson(folder: string, tool: string, args: readonly string[]): unknown {
  const result = spawnSync(process.execPath, [join(ROOT, "node_modules", tool), ...args], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  try {
    return JSON.parse(result.stdout);
  } catch {
    throw new Error(`${tool} ${args.join(" ")} gave no JSON: ${result.stderr}${result.stdout.slice(0, 2000)}`);
  }
}
