/**
 * What beside the journal tells that runs have been here. Only what a run makes after its first event counts: the vault and the tree that
 * a run starts from are made before it, so a first run that was cut off there has left nothing. Artifacts do not count, because
 * commands that run nothing store some too.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../base/ids.ts";
import { statePaths } from "../paths.ts";

const RUN = /^r_[0-9a-z]{12}$/;
/** What a run started from, below its name in the vault. */
const BEFORE = new Set(["base", "start", "origin", "planted"]);
const PACKED_RUN = /^[0-9a-f]{40,64} refs\/pawl\/(r_[0-9a-z]{12})\/(\w+)/gm;

/** Ends a sentence that begins with "although". null: nothing does. */
export function tracesOfRuns(root: string): string | null {
  const { vault, workspaces, logs } = statePaths(root);
  const saved = savedRuns(vault).size;
  if (saved > 0) return `the vault holds saved work of ${saved === 1 ? "a run" : `${saved} runs`}`;
  if (runsIn(workspaces).length > 0) return "there are workspaces of runs";
  return runsIn(logs).length > 0 ? "there are logs of runs" : null;
}

/** Of these the vault holds saved work, or there are workspaces. */
export function heldRuns(root: string): readonly RunId[] {
  const { vault, workspaces } = statePaths(root);
  return [...new Set([...savedRuns(vault), ...runsIn(workspaces)])].sort() as RunId[];
}

/** The folder of each run that has workspaces. */
export function workspacesBelow(folder: string): ReadonlyMap<RunId, string> {
  return new Map(runsIn(folder).map((run) => [run as RunId, join(folder, run)]));
}

function savedRuns(vault: string): ReadonlySet<string> {
  const folder = join(vault, "refs/pawl");
  const loose = runsIn(folder).filter((run) => namesIn(join(folder, run)).some((name) => !BEFORE.has(name)));
  const packed = [...packedRefs(vault).matchAll(PACKED_RUN)].flatMap(([, run = "", kind = ""]) =>
    BEFORE.has(kind) ? [] : [run],
  );
  return new Set([...loose, ...packed]);
}

function packedRefs(vault: string): string {
  try {
    return readFileSync(join(vault, "packed-refs"), "latin1");
  } catch {
    return "";
  }
}

function runsIn(folder: string): readonly string[] {
  return namesIn(folder).filter((name) => RUN.test(name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
