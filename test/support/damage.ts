/** A project with work that only its vault has, damage done to its state, and what commands then say. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOutput, type Sink } from "../../src/cli/output.ts";
import { callCli } from "../../src/cli/run-cli.ts";
import { type CliResult, createProject, type Project } from "./cli.ts";

const WORK = `version: 1
name: work
workspace: { kind: clone }
policy: { allow: [{ shell: "**" }] }
stages:
  - { id: one, command: "echo one >> a.txt" }
  - { id: two, command: "echo two > b.txt; sleep 0.4" }
  - id: ask
    gate: { approval: { question: "Shall it stay?", expires: 24h } }
`;
const SMALL = `version: 1
name: small
workspace: directory
policy: { allow: [{ run: [echo, "**"] }] }
stages: [{ id: say, command: [echo, hi] }]
`;
const LOOPS = `version: 1
loops:
  tidy: { blueprint: small.yaml, level: L2, every: 1h }
`;

export interface Damaged {
  /** A state that was closed cleanly; `killed`: one whose last host was killed, with its -wal. */
  readonly clean: string;
  readonly killed: string;
  remove(): void;
}

/** One run waits for an answer, one was killed in its second stage, and their trees are nowhere but in the vault. */
export async function buildProject(): Promise<Damaged> {
  const project: Project = createProject({
    "work.yaml": WORK,
    "small.yaml": SMALL,
    "pawl.yaml": LOOPS,
    "a.txt": "hi\n",
  });
  const { root } = project;
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  await project.pawl("run", "work.yaml");
  await project.pawl("run", "tidy");
  const killed = project.start("run", "work.yaml", "--jsonl");
  await killed.until('"stage":"two"');
  killed.child.kill("SIGKILL");
  await killed.ended;
  const before = copyOf(root);
  await project.pawl("run", "small.yaml");
  return {
    clean: root,
    killed: before,
    remove: () => {
      for (const each of [root, before]) rmSync(each, { recursive: true, force: true });
    },
  };
}

/** The whole project in another place. */
export function copyOf(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), "pawl-damage-"));
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  return copy;
}

/** Inside this process: a command costs its own work, and no start of Node.js. */
export async function callHere(root: string, args: readonly string[]): Promise<CliResult> {
  const texts = ["", ""];
  const sink = (at: 0 | 1): Sink => ({
    write: (chunk) => {
      texts[at] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      return true;
    },
    on: () => undefined,
  });
  const format = args.includes("--json") ? "json" : "human";
  const out = createOutput(sink(0), sink(1), { format, color: false });
  const code = await callCli([args[0] as string, "-C", root, ...args.slice(1)], out);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(signal);
  return { code, signal: null, stdout: texts[0] as string, stderr: texts[1] as string };
}

/** What a command says, without what differs from call to call. */
export function plainText({ code, stdout }: CliResult, root: string): string {
  const text = stdout
    .replaceAll(root, "ROOT")
    .replaceAll(/r_[0-9a-z]{12}/g, "RUN")
    .replaceAll(/[0-9a-f]{12,64}/g, "ID")
    .replaceAll(/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?: UTC|Z)?/g, "TIME")
    .replaceAll(/[+]?(?:\d+(?:\.\d+)?(?:ms|s|m|h|d) ?)+\b/g, "DURATION")
    .replaceAll(/\bnow\b|DURATIONago/g, "WHEN")
    .replaceAll(/\d+(?:\.\d+)? (?:B|KiB|MiB|objects)\b/g, "SIZE")
    .replaceAll(/ +/g, " ");
  return `${code}\n${text}`;
}

export const TELLING = /\b(?:JOURNAL|LOOPS|WORKSPACE|GIT|ARTIFACT|RUN)_[A-Z_]+|damaged|lost|missing|\bfail\b/;

/** A stack trace, or a defect. */
export const STACK = /\n\s+at .+:\d+:\d+|CLI_DEFECT/;

/** The tree of every commit of ours that the vault holds, whatever names there are. */
export function treesIn(root: string): ReadonlySet<string> {
  const vault = join(root, ".pawl/vault.git");
  const git = (...args: string[]): string => {
    try {
      return execFileSync("git", [`--git-dir=${vault}`, ...args], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    } catch {
      return "";
    }
  };
  const ids = git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)").split("\n");
  const commits = ids.flatMap((line) => (line.startsWith("commit ") ? [git("cat-file", "commit", line.slice(7))] : []));
  return new Set(commits.flatMap((text) => (text.includes("\nPawl-Run: ") ? [text.slice(5, text.indexOf("\n"))] : [])));
}

/** Every file below the workspaces, with its bytes. */
export function workspacesIn(root: string): string {
  const folder = join(root, ".pawl/workspaces");
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return names
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const isWork = entry.isFile() && path.includes("/tree/") && !path.includes("/tree/.git/");
      return isWork ? [`${path.slice(folder.length)} ${readFileSync(path, "latin1")}`] : [];
    })
    .sort()
    .join("\n");
}

export function cut(path: string, at: number): void {
  truncateSync(path, at);
}

export function flipBit(path: string, at: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ (1 << bit);
  writeFileSync(path, bytes);
}

/** Numbers from 0 up to `below`, the same for the same seed. */
export function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
