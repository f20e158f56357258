/** Claude Code as this machine has it: where it is, and which version. */
import { execFile } from "node:child_process";
import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { AgentProbe } from "../../../ports/agents/agent-backend.ts";

export interface ProgramOptions {
  /** Path of the program; not given: it is looked for. */
  readonly program?: string;
  /** PATH of this process. */
  readonly path: string;
  readonly platform?: string;
  readonly processor?: string;
}

/** The whole contract was run with both ends. */
const OLDEST = "2.1.317";
const NEWEST = "2.1.325";
const TESTED = `${OLDEST} – ${NEWEST}`;
/** Of the package with the program, from the folder of the script that starts it. */
const PLACES = ["../..", "../node_modules/@anthropic-ai", ".."];
const PATIENCE_MS = 10_000;
const INSTALL_HINT = "Install it with `npm install -g @anthropic-ai/claude-code`, or name its program in the settings.";

export async function probeProgram(options: ProgramOptions): Promise<AgentProbe> {
  const program = findProgram(options);
  const absent = { version: null, program: null, tested: TESTED, inRange: false };
  if (program === null) return { ...absent, hint: INSTALL_HINT };
  const version = await versionOf(program);
  if (version === null) return { ...absent, program, hint: `${program} does not say which version it is.` };
  const inRange = compare(version, OLDEST) >= 0 && compare(version, NEWEST) <= 0;
  const hint = inRange ? null : `It was tested with ${TESTED}; what it does not understand of us it refuses.`;
  return { version, program, tested: TESTED, inRange, hint };
}

/** A program of this system itself: what a package puts before it in a script does not find it behind a wall. */
export function findProgram({ program, path, platform, processor }: ProgramOptions): string | null {
  const names = program === undefined ? path.split(delimiter).map((folder) => join(folder, "claude")) : [program];
  const native = `claude-code-${platform ?? process.platform}-${processor ?? process.arch}`;
  for (const name of names) {
    const found = realFile(name);
    if (found === null) continue;
    const beside = PLACES.map((place) => realFile(join(dirname(found), place, native, "claude")));
    const program = [found, ...beside].find((each) => each !== null && isNative(each));
    if (program != null) return program;
  }
  return program === undefined ? null : realFile(program);
}

function realFile(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : null;
  } catch {
    return null;
  }
}

function isNative(path: string): boolean {
  try {
    const file = openSync(path, "r");
    try {
      const magic = Buffer.alloc(4);
      readSync(file, magic, 0, 4, 0);
      return magic.toString("latin1") === "\x7fELF";
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

function versionOf(program: string): Promise<string | null> {
  const env = { PATH: "/usr/bin:/bin", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
  return new Promise((resolve) => {
    execFile(program, ["--version"], { env, timeout: PATIENCE_MS, cwd: "/" }, (error, stdout) => {
      resolve(error === null ? (/^(\d+\.\d+\.\d+)\b/.exec(stdout)?.[1] ?? null) : null);
    });
  });
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}
