/** Whether an agent program is here, and whether this version of it was tested. It is asked, in a folder where nothing is. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentProbe } from "../../../ports/agents/agent-backend.ts";
import { findProgram, onThisMachine, type ProgramPlaces, type ProgramSpec } from "./find-program.ts";

export interface TestedVersions {
  /** What it is called by people. */
  readonly title: string;
  /** How to get it. */
  readonly install: string;
  /** The first and the last that was tested; null: it has no versions that we know. */
  readonly range: readonly [string, string] | null;
}

const PATIENCE_MS = 20_000;
const VERSION = /\d+(?:\.\d+)+/;

export async function probeProgram(
  spec: ProgramSpec,
  { path, nodeProgram }: ProgramPlaces,
  tested: TestedVersions,
): Promise<AgentProbe> {
  const program = findProgram(spec, path);
  const said = tested.range === null ? null : tested.range.join(" – ");
  if (program === null) {
    const hint = `${tested.title} is not installed: ${tested.install}`;
    return { version: null, program: null, tested: said, inRange: false, hint };
  }
  const version = await askVersion(onThisMachine(program, nodeProgram), path);
  const inRange = tested.range === null || (version !== null && isWithin(version, tested.range));
  const hint = inRange
    ? null
    : `This is ${tested.title} ${version ?? "of an unknown version"}; tested is ${said}. Install one of those when it misbehaves.`;
  return { version, program: program.file, tested: said, inRange, hint };
}

async function askVersion(argv: readonly string[], path: string): Promise<string | null> {
  const home = await mkdtemp(join(tmpdir(), "pawl-probe-"));
  try {
    const said = await new Promise<string>((resolve) => {
      const env = { PATH: path, HOME: home, TMPDIR: home, GEMINI_CLI_NO_RELAUNCH: "true" };
      const options = { cwd: home, env, timeout: PATIENCE_MS, killSignal: "SIGKILL" as const };
      execFile(argv[0] as string, [...argv.slice(1), "--version"], options, (_, stdout) => resolve(stdout));
    });
    return VERSION.exec(said)?.[0] ?? null;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** By their numbers, from the left. */
function isWithin(version: string, [first, last]: readonly [string, string]): boolean {
  return compare(first, version) <= 0 && compare(version, last) <= 0;
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(".").map(Number)) as [number[], number[]];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
