/** Everything that the files of a project say about its loops. Reads only, and follows no link. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { LoopLimit } from "../../blueprint/dialects/loop-budget.ts";
import { type LoopFile, parseLoopFile } from "../../blueprint/dialects/loop-engineering/loop-file.ts";
import { parseRunLog, RUN_LOG, type RunLog } from "../../blueprint/dialects/loop-engineering/run-log.ts";
import { parseStateFile, type StateFile } from "../../blueprint/dialects/loop-engineering/state-file.ts";
import { type Pattern, parseRegistry } from "../../blueprint/dialects/registry.ts";
import type { ProjectFile } from "../../blueprint/project/project-file.ts";
import { isStateName } from "../../loops/audit/drift.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { loadProject } from "../loops/load-project.ts";
import { readLoopFiles } from "../money/loop-files.ts";
import { readLoopTexts } from "../money/loop-texts.ts";
import { readRuleText } from "../policy/read-policy-text.ts";

export interface LoopProject {
  /** null: there is no such file. */
  readonly loopFile: { readonly file: LoopFile; readonly text: string } | null;
  readonly patterns: readonly Pattern[] | null;
  readonly limits: readonly LoopLimit[];
  readonly project: ProjectFile | null;
  readonly states: Readonly<Record<string, StateFile>>;
  readonly log: RunLog | null;
  readonly problems: readonly Diagnostic[];
  /** Where the registry is not what its schema says, though it can be read. */
  readonly deviations: readonly Diagnostic[];
  readonly sources: Readonly<Record<string, string>>;
  /** Whether there is anything of loops at all. */
  readonly isAny: boolean;
}

const LOOP_FILE = "LOOP.md";
const STATE_FILE = "STATE.md";
const STATE_NAME = /^[A-Za-z0-9-]+-state\.md$/;
const MOST_STATES = 100;

export async function readLoopProject(root: string): Promise<LoopProject> {
  const problems: Diagnostic[] = [];
  const read = (file: string): Promise<string | null> => readOr(root, file, problems);
  const texts = await readLoopTexts(root);
  const { patterns, limits, sources } = readLoopFiles(texts);
  const { registryFile } = texts;
  const project = await loadProject(root);
  for (const result of [patterns, limits, project.file]) if (result?.ok === false) problems.push(...result.problems);
  const known = patterns.ok && Object.hasOwn(sources, registryFile) ? patterns.value : null;
  const loopText = await read(LOOP_FILE);
  const logText = await read(RUN_LOG);
  const loopFile = loopText === null ? null : { file: parseLoopFile(loopText), text: loopText };
  const states = await statesOf(root, [...statesIn(known), ...statesIn(loopFile?.file.loops)], read);
  const files = Object.keys({ ...sources, ...project.sources, ...states });
  return {
    loopFile,
    patterns: known,
    limits: limits.ok ? limits.value : [],
    project: project.file?.ok === true ? project.file.value : null,
    states,
    log: logText === null ? null : parseRunLog(logText),
    problems,
    deviations: known === null ? [] : deviationsOf(sources[registryFile] as string, registryFile),
    sources: { ...sources, ...project.sources },
    isAny: problems.length > 0 || loopText !== null || logText !== null || files.length > 0,
  };
}

function deviationsOf(registry: string, file: string): readonly Diagnostic[] {
  const strict = parseRegistry(registry, file, "strict");
  return strict.ok ? [] : strict.problems;
}

async function readOr(root: string, file: string, problems: Diagnostic[]): Promise<string | null> {
  const found = await readRuleText({ path: join(root, file), shown: file, isRequired: false });
  if ("text" in found) return found.text;
  const where = { file, line: 1, column: 1, length: 1 };
  problems.push(diagnose(RUNTIME_ERRORS, "LOOP_FILE_UNFIT", { file, problem: found.unfit }, where));
  return null;
}

/** The state files that patterns or loops name. */
function statesIn(named: readonly { readonly state: string | null }[] | null | undefined): readonly string[] {
  return (named ?? []).flatMap(({ state }) => (state !== null && isStateName(state) ? [state] : []));
}

async function statesOf(
  root: string,
  named: readonly string[],
  read: (file: string) => Promise<string | null>,
): Promise<Record<string, StateFile>> {
  const there = (await readdir(root).catch(() => [])).filter((name) => STATE_NAME.test(name)).sort();
  const names = new Set([STATE_FILE, ...named.slice(0, MOST_STATES), ...there.slice(0, MOST_STATES)]);
  const states: Record<string, StateFile> = {};
  for (const name of names) {
    const text = await read(name);
    if (text !== null) states[name] = parseStateFile(text);
  }
  return states;
}
