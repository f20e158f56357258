/** A repository of 10,000 files, packed as after a clone, and the changes that are made in a tree of it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const FILES = 10_000;
const PER_FOLDER = 100;
const SMALLEST = 200;
const SIZES = 37;
const STEP = 160;

/** Git reads nothing of this user's settings. */
const GIT_ENV = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Bench",
  GIT_AUTHOR_EMAIL: "bench@localhost",
  GIT_COMMITTER_NAME: "Bench",
  GIT_COMMITTER_EMAIL: "bench@localhost",
};

export async function makeRepository(root: string): Promise<void> {
  for (let file = 0; file < FILES; file += 1) {
    if (file % PER_FOLDER === 0) mkdirSync(join(root, folderOf(file)), { recursive: true });
    writeFileSync(join(root, pathOf(file)), contentOf(file, "first"));
  }
  writeFileSync(join(root, ".gitignore"), "/.pawl\nnode_modules\n*.log\n");
  await shell(root, "git init -q -b main && git add -A && git commit -qm first && git repack -adq");
}

/** Runs a script in a folder. Resolves to what it printed. */
export async function shell(cwd: string, script: string): Promise<string> {
  const env = { ...process.env, ...GIT_ENV };
  const child = spawn("/bin/sh", ["-c", script], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

/** Six files are changed, three are new, one is gone: what a step of an agent leaves. Others with each `step`. */
export function changeFiles(tree: string, step: number): void {
  const file = (count: number): string => join(tree, pathOf((step * 613 + count * 997) % FILES));
  for (let count = 0; count < 6; count += 1) {
    const path = file(count);
    writeFileSync(path, `${readFileSync(path, "utf8")}changed in step ${step}\n`);
  }
  for (let count = 0; count < 3; count += 1)
    writeFileSync(
      join(tree, folderOf(count * PER_FOLDER), `new-${step}-${count}.txt`),
      contentOf(count, `new ${step}`),
    );
  rmSync(file(6));
}

function folderOf(file: number): string {
  const folder = Math.floor(file / PER_FOLDER);
  return join(`area-${Math.floor(folder / 10)}`, `part-${folder % 10}`);
}

function pathOf(file: number): string {
  return join(folderOf(file), `file-${file}.txt`);
}

/** From 200 bytes to 6 KB, no two alike. */
function contentOf(file: number, word: string): string {
  const line = `${word} line of file ${file}\n`;
  return line.repeat(Math.ceil((SMALLEST + (file % SIZES) * STEP) / line.length));
}
