/** Where the files of a project disagree about its loops. Each disagreement has a place; which file is right, a person says. */
import type { LoopLimit } from "../../blueprint/dialects/loop-budget.ts";
import type { LoopEntry, LoopFile } from "../../blueprint/dialects/loop-engineering/loop-file.ts";
import { slugOf } from "../../blueprint/dialects/loop-engineering/slug.ts";
import type { StateFile } from "../../blueprint/dialects/loop-engineering/state-file.ts";
import { capsOfRegistry, type Pattern } from "../../blueprint/dialects/registry.ts";
import type { Loop, ProjectFile } from "../../blueprint/project/project-file.ts";
import type { Cadence } from "../../limits/cost/estimate.ts";

export interface Drift {
  /** `file:line` */
  readonly where: string;
  readonly what: string;
  readonly hint: string;
}

export interface DriftFacts {
  readonly now: number;
  /** null: there is no such file. */
  readonly loopFile: LoopFile | null;
  readonly patterns: readonly Pattern[] | null;
  readonly project: ProjectFile | null;
  readonly limits: readonly LoopLimit[];
  /** The state files that are there, by name. */
  readonly states: Readonly<Record<string, StateFile>>;
  /** Names of the blueprints of the project. */
  readonly blueprints: readonly string[];
}

const LOOP_FILE = "LOOP.md";
const DAY_MS = 86_400_000;
/** A loop that missed so many of its times in a row has stopped. */
const MISSED = 3;

export function driftOf(facts: DriftFacts): readonly Drift[] {
  const entries = facts.loopFile?.loops ?? [];
  const loops = facts.project?.loops ?? [];
  return [
    ...entries.flatMap((entry) => [...driftOfText(entry), ...driftOfEntry(entry, facts)]),
    ...entries.flatMap((entry, at) => driftOfRepeat(entry, entries.slice(0, at))),
    ...loops.flatMap((loop) => driftOfLoop(loop, facts)),
    ...facts.limits.flatMap((limit) => driftOfLimit(limit, facts)),
    ...Object.entries(facts.states).flatMap(([file, state]) => driftOfState(file, state, facts)),
  ];
}

/** A text below the root of the project. */
export function isStateName(name: string): boolean {
  return /^(?!\.{0,2}\/)(?!.*\/\.{0,2}\/)[\w./ -]{1,200}\.md$/.test(name);
}

/** By its id, its name, or a short form of one name. */
export function patternOf(name: string, patterns: readonly Pattern[]): Pattern | undefined {
  const slug = slugOf(name);
  const exact = patterns.find((pattern) => pattern.id === slug || slugOf(pattern.name) === slug);
  const meant = patterns.filter((pattern) => slug !== "" && slugOf(pattern.name).startsWith(`${slug}-`));
  return exact ?? (meant.length === 1 ? meant[0] : undefined);
}

/** What the file says of the loop, whatever the others say. */
function driftOfText({ name, level, status, line }: LoopEntry): readonly Drift[] {
  if (level !== null || !/^[*`]{0,2}l\d/i.test(status)) return [];
  const what = `"${name}" has "${status}" here, which is no level`;
  return [
    { where: `${LOOP_FILE}:${line}`, what, hint: "Write L0, L1, L2 or L3: nothing else lowers the level of a loop." },
  ];
}

function driftOfRepeat({ name, line }: LoopEntry, before: readonly LoopEntry[]): readonly Drift[] {
  const first = before.find((each) => slugOf(each.name) === slugOf(name));
  if (first === undefined) return [];
  const what = `"${name}" stands on line ${first.line} already; the lowest level counts`;
  return [{ where: `${LOOP_FILE}:${line}`, what, hint: "Leave one of them: people read the first that they find." }];
}

function driftOfEntry(entry: LoopEntry, { patterns, project, states }: DriftFacts): readonly Drift[] {
  const found: Drift[] = [];
  const at = (line: number): string => `${LOOP_FILE}:${line}`;
  const pattern = patternOf(entry.name, patterns ?? []);
  const isOurs = project?.loops.some(({ name }) => name === slugOf(entry.name)) ?? false;
  if (pattern === undefined && patterns !== null && !isOurs)
    found.push({
      where: at(entry.line),
      what: `"${entry.name}" is a loop here, and neither the registry nor pawl.yaml knows it`,
      hint: "Use the name of a pattern, or add the loop to pawl.yaml.",
    });
  if (pattern !== undefined && entry.cadence !== null && !fits(entry.cadence, pattern.cadence))
    found.push({
      where: at(entry.cadence.line),
      what: `"${entry.name}" runs every "${entry.cadence.written}"; the registry says ${pattern.cadence.written} (${placeOf(pattern)})`,
      hint: "Make the two agree.",
    });
  if (pattern !== undefined && entry.state !== null && entry.state !== pattern.state)
    found.push({
      where: at(entry.line),
      what: `the state of "${entry.name}" is ${entry.state} here and ${pattern.state} in the registry (${placeOf(pattern)})`,
      hint: `A tick reads and writes ${pattern.state}.`,
    });
  else if (entry.state !== null && !isStateName(entry.state))
    found.push({
      where: at(entry.line),
      what: `${entry.state}, the state of "${entry.name}", is no file of the project`,
      hint: "Name a .md file by its path from the root of the project.",
    });
  else if (entry.state !== null && states[entry.state] === undefined)
    found.push({
      where: at(entry.line),
      what: `${entry.state}, the state of "${entry.name}", is not there`,
      hint: "The first tick writes it; until then nobody can tell it anything.",
    });
  return found;
}

function driftOfLoop(loop: Loop, { patterns, loopFile }: DriftFacts): readonly Drift[] {
  const where = `${loop.where.file}:${loop.where.line}`;
  const id = loop.kind === "pattern" ? loop.source.replace(/^pattern:/, "") : null;
  const pattern = patterns?.find((each) => each.id === id);
  const names = [loop.name, ...(pattern === undefined ? [] : [pattern.id, pattern.name])].map(slugOf);
  const entry = loopFile?.loops.find(({ name }) => names.includes(slugOf(name)));
  const found: Drift[] = [];
  if (id !== null && patterns !== null && pattern === undefined)
    found.push({ where, what: `the registry has no pattern "${id}"`, hint: "`pawl list` shows those that it has." });
  if (entry?.level != null && entry.level !== loop.level)
    found.push({
      where,
      what: `"${loop.name}" has ${loop.level} here and ${entry.level} in ${LOOP_FILE}:${entry.line}`,
      hint: "Make the two agree: people read LOOP.md to know how far a loop may go.",
    });
  const { trigger } = loop;
  if (trigger?.kind === "every" && pattern !== undefined) {
    const every = { fastestMs: trigger.minMs, slowestMs: trigger.maxMs };
    if (!fits(every, pattern.cadence))
      found.push({
        where,
        what: `"${loop.name}" has another cadence than the registry: ${pattern.cadence.written} (${placeOf(pattern)})`,
        hint: "Make the two agree; what the registry says of its cost counts on its cadence.",
      });
  }
  return found;
}

function driftOfLimit(limit: LoopLimit, facts: DriftFacts): readonly Drift[] {
  const { patterns, loopFile, project, blueprints } = facts;
  const where = limit.source.replace(/:\d+$/, "");
  const pattern = patterns?.find(({ id }) => id === limit.loop);
  const names = [
    ...(loopFile?.loops ?? []).map(({ name }) => slugOf(name)),
    ...(project?.loops ?? []).map(({ name }) => name),
    ...blueprints,
  ];
  if (pattern === undefined && !names.includes(limit.loop))
    return [
      {
        where,
        what: `the limit on ${limit.unit} is for "${limit.loop}", and there is no such loop`,
        hint: "Correct the name: a limit of nobody holds nothing.",
      },
    ];
  const most = Math.max(...limit.amounts.map(({ amount }) => amount));
  const isDaily = limit.unit === "tokens" && limit.window === "day";
  const [cap] = isDaily && pattern !== undefined ? capsOfRegistry([pattern]) : [];
  if (cap === undefined || most <= cap.amount) return [];
  const suggested = `${cap.amount} (${cap.source.replace(/:\d+$/, "")})`;
  return [
    {
      where,
      what: `"${limit.loop}" may spend ${most} tokens a day here, and the registry suggests ${suggested}`,
      hint: "loop-budget.md counts. Raise the one or lower the other.",
    },
  ];
}

function driftOfState(file: string, state: StateFile, facts: DriftFacts): readonly Drift[] {
  const { loopFile, project, patterns, now } = facts;
  const pattern = patterns?.find((each) => each.state === file);
  if (pattern === undefined) return [];
  const entry = loopFile?.loops.find(({ name }) => patternOf(name, [pattern]) !== undefined);
  const loop = project?.loops.find(({ source }) => source.replace(/^pattern:/, "") === pattern.id);
  if (entry === undefined && loop === undefined) {
    const isNamed = (loopFile?.loops.length ?? 0) > 0 || (project?.loops.length ?? 0) > 0;
    const what = `it is the state of "${pattern.name}", which neither LOOP.md nor pawl.yaml names`;
    return isNamed ? [{ where: `${file}:1`, what, hint: "Name the loop there, or remove the file." }] : [];
  }
  const { slowestMs, written } = entry?.cadence ?? pattern.cadence;
  const age = state.lastRun === null ? 0 : now - state.lastRun;
  if (age <= Math.max(slowestMs * MISSED, DAY_MS)) return [];
  return [
    {
      where: `${file}:${state.lastRunLine}`,
      what: `"${pattern.name}" ran last ${Math.floor(age / DAY_MS)} days ago, and should run every "${written}"`,
      hint: "Look with `pawl why`, or take the loop out of LOOP.md.",
    },
  ];
}

/** Within the range of the other. */
function fits(cadence: Cadence, range: Cadence): boolean {
  return cadence.fastestMs >= range.fastestMs && cadence.slowestMs <= range.slowestMs;
}

function placeOf({ where }: Pattern): string {
  return `${where.file}:${where.line}`;
}
