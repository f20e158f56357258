/** A pattern of a loop-engineering registry, by its id: one tick of it is a blueprint. */
import { join } from "node:path";
import { diagnose } from "../../base/diagnostic.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import {
  findLoop,
  type LoopEntry,
  levelUnder,
  parseLoopFile,
} from "../../blueprint/dialects/loop-engineering/loop-file.ts";
import { SHIPPED, SHIPPED_REGISTRY } from "../../blueprint/dialects/patterns/shipped-registry.ts";
import { tickText } from "../../blueprint/dialects/patterns/tick-text.ts";
import { type Pattern, parseRegistry } from "../../blueprint/dialects/registry.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { MOCK_TOKENS } from "../loops/tick-parts.ts";
import { REGISTRIES } from "../money/loop-texts.ts";
import { readRuleText } from "../policy/read-policy-text.ts";
import type { BlueprintFile } from "../runtime.ts";
import { findTestCommand } from "../survey/find-test-command.ts";
import { isThere } from "../survey/project-text.ts";
import type { Door } from "./door.ts";
import type { DoorOptions } from "./door-options.ts";

const LOOP_FILE = "LOOP.md";
const GATE_FILE = "gate.yaml";
/** Backends that call no model by themselves. */
const FREE: ReadonlySet<string> = new Set(["scripted", "command"]);

export const patternDoor: Door = {
  name: "pattern",
  async claims({ path, isFolder, text, root }) {
    if (isFolder || text !== null) return false;
    const { patterns } = await registryOf(root);
    // A registry that cannot be read says itself why; what it may mean is known of the patterns that everybody has.
    const known = patterns.ok ? patterns : parseRegistry(SHIPPED_REGISTRY, SHIPPED, "lenient");
    return known.ok && known.value.some(({ id }) => id === idIn(path));
  },
  async read({ path, root, options = {} }) {
    const { patterns, file, sources } = await registryOf(root);
    const origin = { door: "pattern", path: file, item: idIn(path) } as const;
    if (!patterns.ok) return { text: patterns, origin, sources };
    const pattern = patterns.value.find(({ id }) => id === idIn(path)) as Pattern;
    const loops = await readOwn(root, LOOP_FILE);
    if (!loops.ok) return { text: loops, origin, sources };
    const level = levelUnder(pattern.weekOneLevel ?? "L1", namedIn(loops.value, pattern));
    const text = tickText(pattern, await tickOptions(root, options, options.level ?? level));
    return { text: ok(text), origin, sources, level };
  },
  async list(root) {
    const { patterns, file } = await registryOf(root);
    // Those that come with Pawl can be run by name, and are no part of the project.
    return file === SHIPPED ? [] : listedAll(patterns, file);
  },
};

/** Where a pattern of the project keeps its state; null: there is no such pattern, or its registry cannot be read. */
export async function stateFileOf(root: string, path: string): Promise<string | null> {
  const { patterns } = await registryOf(root);
  return (patterns.ok ? patterns.value.find(({ id }) => id === idIn(path))?.state : undefined) ?? null;
}

/** The patterns that come with Pawl, for projects that have no registry of their own. */
export function shippedPatterns(): readonly BlueprintFile[] {
  return listedAll(parseRegistry(SHIPPED_REGISTRY, SHIPPED, "lenient"), SHIPPED);
}

function listedAll(patterns: Result<readonly Pattern[]>, file: string): readonly BlueprintFile[] {
  if (!patterns.ok) return [listed(file, file, null, patterns.problems)];
  return patterns.value.map(({ id, name, cadence, goal }) => ({
    ...listed(id, id, `${name}, every ${cadence.written}: ${goal}`, []),
    title: name,
  }));
}

/** What LOOP.md says of the loop of this pattern. */
function namedIn(text: string | null, { id, name }: Pattern): LoopEntry | null {
  return text === null ? null : findLoop(parseLoopFile(text), id, name);
}

function listed(
  path: string,
  name: string,
  description: string | null,
  problems: BlueprintFile["problems"],
): BlueprintFile {
  return { path, name, description, problems, door: "pattern" };
}

/** `pattern:ID` or the id alone. */
function idIn(path: string): string {
  return path.replace(/^pattern:/, "");
}

interface Registry {
  readonly patterns: Result<readonly Pattern[]>;
  readonly file: string;
  readonly sources: Readonly<Record<string, string>>;
}

/** That of the project, read kindly: a field that nobody knows says nothing about a tick. */
async function registryOf(root: string): Promise<Registry> {
  for (const file of REGISTRIES) {
    const read = await readOwn(root, file);
    if (!read.ok) return { patterns: read, file, sources: {} };
    const { value: text } = read;
    if (text !== null) return { patterns: parseRegistry(text, file, "lenient"), file, sources: { [file]: text } };
  }
  return { patterns: parseRegistry(SHIPPED_REGISTRY, SHIPPED, "lenient"), file: SHIPPED, sources: {} };
}

/** null: there is none. What is there and cannot be used is a problem: without it a tick might do more than it may. */
async function readOwn(root: string, file: string): Promise<Result<string | null>> {
  const read = await readRuleText({ path: join(root, file), shown: file, isRequired: false });
  if ("text" in read) return ok(read.text);
  const where = { file, line: 1, column: 1, length: 1 };
  return failed([diagnose(RUNTIME_ERRORS, "LOOP_FILE_UNFIT", { file, problem: read.unfit }, where)]);
}

async function tickOptions(
  root: string,
  { agent = "claude", isMock = false, worktree = false }: DoorOptions,
  level: Level,
) {
  // Below L2 nothing is changed, and nobody has to say how it would be tested.
  const none = level < "L2" ? [] : null;
  return {
    agent,
    calls: FREE.has(agent) ? "nothing" : "models",
    test: (await findTestCommand(root))?.argv ?? none,
    gate: (await isThere(join(root, GATE_FILE))) ? GATE_FILE : null,
    workspace: worktree ? "worktree" : "clone",
    flat: isMock ? MOCK_TOKENS : null,
  } as const;
}
