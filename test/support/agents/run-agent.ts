/** Runs an agent program in a place of its own, and keeps what could be seen of it from outside. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { removeTree } from "../temp-dir.ts";
import type { Recipe } from "./recipe.ts";

export interface AgentRun {
  /** null: it was ended from outside because it took too long. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The environment of every process of it that was seen. */
  readonly environments: readonly string[];
  readonly work: string;
  readonly home: string;
}

const LONGEST_MS = 90_000;
const LOOK_MS = 50;

export interface AgentTask {
  readonly recipe: Recipe;
  readonly program: string;
  readonly url: string;
  readonly token: string;
  readonly task: string;
}

/** A folder with a git repository of one commit; gone when the test is over. */
export function makePlace(): { readonly home: string; readonly work: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-agent-")));
  onTestFinished(() => removeTree(root));
  const place = { home: join(root, "home"), work: join(root, "work") };
  for (const folder of [join(place.home, "tmp"), place.work]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(place.work, "README.md"), "# A project\n");
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: place.work, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "first");
  return place;
}

export async function runAgent(place: { home: string; work: string }, given: AgentTask): Promise<AgentRun> {
  const { recipe, program, url, token, task } = given;
  const { argv, env, files } = recipe.run({ ...place, program, url, token }, task);
  for (const [path, text] of Object.entries(files ?? {})) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const [first = "", ...rest] = argv;
  const command = first.endsWith(".js") ? [process.execPath, first, ...rest] : [first, ...rest];
  const child = spawn(command[0] ?? "", command.slice(1), {
    cwd: place.work,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: place.home,
      TMPDIR: join(place.home, "tmp"),
      USER: "agent",
      LANG: "C.UTF-8",
      TERM: "dumb",
      CI: "1",
      // Nothing but the gateway is to be reached; what is tried all the same fails at once.
      HTTPS_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1,localhost",
      ...env,
    },
  });
  const environments = new Map<string, string>();
  const looking = setInterval(() => lookAt(child.pid ?? 0, environments), LOOK_MS);
  const ending = setTimeout(() => endGroup(child.pid ?? 0), LONGEST_MS);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (status) => resolve(status));
  });
  clearInterval(looking);
  clearTimeout(ending);
  endGroup(child.pid ?? 0);
  return { code, stdout, stderr, environments: [...environments.values()], ...place };
}

/** Files below these folders that hold the text. */
export function filesWith(text: string, ...folders: readonly string[]): readonly string[] {
  const { stdout } = spawnSync("grep", ["-rlF", "-e", text, ...folders], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}

/** Every process of the session of the agent, and those below it. */
function lookAt(root: number, seen: Map<string, string>): void {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const parent = / \d+ \((?:.|\n)*\) \S (\d+) /.exec(` ${textOf(`/proc/${name}/stat`)}`)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isBelow = (pid: number): boolean => pid === root || (parents.has(pid) && isBelow(parents.get(pid) ?? 0));
  for (const pid of parents.keys()) {
    if (!isBelow(pid)) continue;
    const text = textOf(`/proc/${pid}/environ`);
    if (text !== "") seen.set(`${pid}:${text.length}`, text);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
