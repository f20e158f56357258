/** `pawl.yaml` → its loops, lanes and the machine, or every problem of the file, each with its place. A file that says nothing has no loops. */
import type { JsonObject } from "../../base/json.ts";
import { ok, type Result } from "../../base/result.ts";
import { parseProjectText } from "../parse-text.ts";
import { REPOSITORY_FIELDS } from "../policy/repository-file.ts";
import { type Given, object, type Reading } from "../shapes/shape.ts";
import { keysOf } from "../text/tree.ts";
import { LOOPS_FIELDS, type LoopFound, USUAL_WEIGHT } from "./loop-fields.ts";
import type { Lane, Loop, ProjectFile, Trigger, Weight } from "./project-file.ts";

/** Where loops wait that name no lane. */
export const DEFAULT_LANE = "default";

/** Nothing is counted, and nobody is asked. */
const NO_WEIGHT: Weight = { memoryBytes: 0, cpus: 0 };

const SOURCES = ["blueprint", "pattern", "workspace"] as const;
const TRIGGERS = ["every", "cron", "watch", "webhook"] as const;

export const PROJECT_FIELDS = { ...REPOSITORY_FIELDS, ...LOOPS_FIELDS } as const;
const FILE = object(PROJECT_FIELDS, "pawl.yaml");

type NamedLoop = Given<LoopFound> & { readonly name: string };

export function parseProject(text: string, file: string): Result<ProjectFile> {
  const parsed = parseProjectText<ProjectFile>(text, file, (tree, reading) => {
    const found = FILE.read(tree, reading, "pawl.yaml");
    if (found === undefined) return undefined;
    const lanes = (found.lanes?.value ?? []).map(({ name, value }): Lane => ({ name, max: value }));
    const machine = found.machine?.value ?? null;
    const loops = (found.loops?.value ?? []).flatMap((loop) => {
      const read = loopOf(loop, machine, reading);
      if (read !== undefined) checkFit(read, loop, { lanes, machine }, reading);
      return read ?? [];
    });
    return { version: 1, loops, lanes, machine, file };
  });
  const saysNothing = !parsed.ok && parsed.problems.every(({ code }) => code === "BLUEPRINT_TEXT_EMPTY");
  return saysNothing ? ok({ version: 1, loops: [], lanes: [], machine: null, file }) : parsed;
}

/** Undefined: it does not say what runs, which was reported. */
function loopOf(given: NamedLoop, machine: Weight | null, reading: Reading): Loop | undefined {
  const { name, value, key } = given;
  const kind = kindOf(given, reading);
  const trigger = triggerOf(name, value, reading);
  checkTimes(given, reading);
  const source = kind && value[kind]?.value;
  if (kind === undefined || source === undefined) return undefined;
  return {
    name,
    source: kind === "pattern" ? `pattern:${source}` : source,
    kind,
    ...settingsOf(value),
    weight: value.weight?.value ?? (machine === null ? NO_WEIGHT : USUAL_WEIGHT),
    trigger,
    where: reading.problems.source.span(key),
  };
}

function kindOf({ name, node, key }: NamedLoop, { problems }: Reading): Loop["kind"] | undefined {
  const written = SOURCES.filter((each) => keysOf(node).includes(each));
  const problem = written.length === 0 ? "does not say what runs" : `has ${written.join(" and ")}`;
  if (written.length !== 1) problems.report("BLUEPRINT_LOOP_FORM", { name, problem }, key);
  return written[0];
}

function settingsOf(value: LoopFound): Omit<Loop, "name" | "source" | "kind" | "trigger" | "weight" | "where"> {
  return {
    level: value.level?.value ?? "L1",
    params: paramsOf(value),
    agent: value.agent?.value ?? null,
    catchUp: value.catch_up?.value ?? "one",
    jitterMs: value.jitter?.value ?? 0,
    priority: value.priority?.value ?? 0,
    lane: value.lane?.value ?? DEFAULT_LANE,
    paths: (value.paths?.value ?? []).map((path) => path.value),
    maxOpen: value.max_open?.value ?? null,
  };
}

function paramsOf({ params }: LoopFound): JsonObject {
  return Object.fromEntries((params?.value ?? []).map(({ name, value }) => [name, value]));
}

function triggerOf(name: string, value: LoopFound, { problems }: Reading): Trigger | null {
  const [first, second] = TRIGGERS.filter((each) => value[each] !== undefined);
  if (second !== undefined) {
    const problem = `has two ways to be started, ${first} and ${second}`;
    problems.report("BLUEPRINT_LOOP_FORM", { name, problem }, (value[second] as Given<unknown>).key);
  }
  if (value.every !== undefined) return { kind: "every", ...value.every.value };
  if (value.cron !== undefined) return { kind: "cron", text: value.cron.value, zone: value.zone?.value ?? "UTC" };
  if (value.webhook !== undefined) return webhookOf(value.webhook.value.secret_file);
  if (value.watch === undefined) return null;
  const { files, ref } = value.watch.value;
  if ((files === undefined) === (ref === undefined)) {
    const problem = `watches ${ref === undefined ? "neither files nor a ref" : "both files and a ref"}`;
    problems.report("BLUEPRINT_LOOP_FORM", { name, problem }, value.watch.key);
  }
  if (ref !== undefined) return { kind: "watch_ref", ref: ref.value };
  return { kind: "watch", files: (files?.value ?? []).map((glob) => glob.value) };
}

function webhookOf(secret: Given<string> | undefined): Trigger | null {
  return secret === undefined ? null : { kind: "webhook", secretFile: secret.value };
}

/** A key that could have no effect is refused. */
function checkTimes({ value, node }: NamedLoop, { problems }: Reading): void {
  // One that is written and wrong is told as that, and makes nothing else wrong.
  const written = new Set(keysOf(node));
  const misplaced = (key: "zone" | "catch_up" | "jitter", place: string, belongs: string): void => {
    const given = value[key];
    if (given !== undefined) problems.report("BLUEPRINT_KEY_MISPLACED", { key, place, belongs }, given.key);
  };
  if (!written.has("cron")) misplaced("zone", "a loop without `cron`", "loops with `cron`");
  if (!TRIGGERS.some((each) => written.has(each)))
    misplaced(
      "catch_up",
      "a loop that only people start",
      `loops with ${TRIGGERS.map((each) => `\`${each}\``).join(", ")}`,
    );
  if (!written.has("cron") && !written.has("every"))
    misplaced("jitter", "a loop without times", "loops with `every` or `cron`");
}

function checkFit(
  { name, lane, weight }: Loop,
  { value, key }: NamedLoop,
  { lanes, machine }: Pick<ProjectFile, "lanes" | "machine">,
  { problems }: Reading,
): void {
  if (value.lane !== undefined && lane !== DEFAULT_LANE && !lanes.some((each) => each.name === lane)) {
    problems.report("BLUEPRINT_LOOP_UNFIT", { name, problem: `there is no lane "${lane}"` }, value.lane.node);
  }
  if (machine !== null && isAbove(weight, machine)) {
    const problem = "its weight is above that of the machine";
    problems.report("BLUEPRINT_LOOP_UNFIT", { name, problem }, value.weight?.node ?? key);
  }
}

function isAbove(weight: Weight, machine: Weight): boolean {
  return weight.memoryBytes > machine.memoryBytes || weight.cpus > machine.cpus;
}
