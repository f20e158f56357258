/** The table of every key that a loop may have, and of what loops share: lanes and the machine. */
import { parseDuration } from "../../base/duration.ts";
import { zoneOf } from "../../limits/quota/zone.ts";
import { literal } from "../shapes/expression-shape.ts";
import {
  duration,
  type Fields,
  type Found,
  integer,
  list,
  mapped,
  object,
  oneOf,
  record,
  type Shape,
  scalar,
  text,
} from "../shapes/shape.ts";
import { NAME, name, numberBetween, pathPattern, relativePath } from "../shapes/value-shapes.ts";
import { readCron } from "./cron.ts";
import type { Weight } from "./project-file.ts";

const MOST_AT_ONCE = 1000;
const MOST_CPUS = 1024;
const MOST_BYTES = 2 ** 50;
const LONGEST_MS = 366 * 86_400_000;
const GIBIBYTE = 2 ** 30;

/** What a loop without a `weight` is taken to need where the file says what the machine has. */
export const USUAL_WEIGHT: Weight = { memoryBytes: GIBIBYTE, cpus: 1 };

const BYTES = /^(\d{1,6}(?:\.\d{1,2})?) ?([kmgt])(?:i?b)?$/i;
const UNIT = { k: 2 ** 10, m: 2 ** 20, g: GIBIBYTE, t: 2 ** 40 } as const;

/** `512MB`, `2g`, `1.5GB`: powers of 1024. */
const memory: Shape<number> = scalar({
  expected: "a size such as 512MB or 2GB (powers of 1024)",
  schema: { type: "string", pattern: "^\\d{1,6}(\\.\\d{1,2})? ?[kKmMgGtT](i?[bB])?$" },
  convert(value) {
    const [, count, unit] = BYTES.exec(String(value)) ?? [];
    if (unit === undefined) return undefined;
    const bytes = Math.round(Number(count) * UNIT[unit.toLowerCase() as keyof typeof UNIT]);
    return bytes > 0 && bytes <= MOST_BYTES ? bytes : undefined;
  },
});

const weight: Shape<Weight> = mapped(
  object(
    {
      memory: { shape: memory, about: "Memory, such as 2GB (1GB)." },
      cpus: { shape: numberBetween(0.01, MOST_CPUS), about: "Processors, such as 0.5 (1)." },
    },
    "a weight",
  ),
  (found) => ({
    memoryBytes: found.memory?.value ?? USUAL_WEIGHT.memoryBytes,
    cpus: found.cpus?.value ?? USUAL_WEIGHT.cpus,
  }),
);

const machine: Shape<Weight> = mapped(
  object(
    {
      memory: { shape: memory, about: "Memory, such as 12GB.", isRequired: true },
      cpus: { shape: numberBetween(0.01, MOST_CPUS), about: "Processors.", isRequired: true },
    },
    "machine",
  ),
  ({ memory: bytes, cpus }) =>
    bytes === undefined || cpus === undefined ? undefined : { memoryBytes: bytes.value, cpus: cpus.value },
);

export interface Cadence {
  readonly minMs: number;
  readonly maxMs: number;
}

/** `15m`, or `5m-15m`: the ends of a range stand in any order. */
const cadence: Shape<Cadence> = scalar({
  expected: "a duration from 1s to 366d such as 15m, or a range such as 5m-15m",
  schema: { type: "string", pattern: "^[0-9dhms ]+(-[0-9dhms ]+)?$" },
  code: "BLUEPRINT_DURATION_INVALID",
  convert(value) {
    const ends = String(value).split("-").map(parseDuration);
    const [first, last = first] = ends;
    if (ends.length > 2 || first === undefined || last === undefined || ends.includes(undefined)) return undefined;
    const [minMs, maxMs] = [Math.min(first, last), Math.max(first, last)];
    return minMs >= 1000 && maxMs <= LONGEST_MS ? { minMs, maxMs } : undefined;
  },
});

const cron: Shape<string> = mapped(
  text({ expected: "five fields as cron has them, such as 0 3 * * 1-5", max: 200 }),
  (written, node, { problems }) => {
    const read = readCron(written);
    if (typeof read !== "string") return written;
    problems.report("BLUEPRINT_CRON_INVALID", { cron: written, problem: read }, node);
    return undefined;
  },
);

const zone: Shape<string> = scalar({
  expected: "a time zone such as Europe/Berlin",
  schema: { type: "string", minLength: 1, maxLength: 64 },
  convert: (value) => (typeof value === "string" && value.length <= 64 && zoneOf(value) !== null ? value : undefined),
});

const version = scalar({
  expected: "1",
  code: "BLUEPRINT_VERSION_UNSUPPORTED",
  schema: { const: 1 },
  convert: (value) => (value === 1 ? (1 as const) : undefined),
});

const REF = /^(?![/.-])(?!.*(?:\.\.|@\{|\/\/|\.lock$|[/.]$))[^\s~^:?*[\\\x00-\x20\x7f]{1,200}$/;

const WATCH = object(
  {
    files: {
      shape: list(pathPattern(["above", "top"]), { min: 1, max: 100 }),
      about: "Runs when a file that matches one of these has changed.",
    },
    ref: {
      shape: text({ expected: "a branch or a ref such as main or refs/tags/v1", max: 200, pattern: REF }),
      about: "Runs when this ref of the repository names another commit.",
    },
  },
  "watch",
);

const WEBHOOK = object(
  {
    secret_file: {
      shape: text({ expected: "the path of a file", max: 1024, pattern: /^[^\r\n\0]+$/, refusesReferences: true }),
      about: "The file whose content signs deliveries; keep it out of the repository.",
      isRequired: true,
    },
  },
  "webhook",
);

export const LOOP_FIELDS = {
  blueprint: {
    shape: relativePath(),
    about: "What runs: builtin:NAME, the path of a blueprint, or any path that `pawl run` takes.",
  },
  pattern: {
    shape: text({ expected: "the id of a pattern such as ci-sweeper", max: 64, pattern: /^[a-z][a-z0-9-]*$/ }),
    about: "What runs: a pattern of patterns/registry.yaml, by its id.",
  },
  workspace: { shape: relativePath(), about: "What runs: the folder of an openloop workspace." },
  level: { shape: oneOf("L0", "L1", "L2", "L3"), about: "The ceiling: L0 plan, L1 report, L2 propose, L3 merge (L1)." },
  params: { shape: record(literal(), NAME), about: "Parameters of the blueprint." },
  agent: {
    shape: text({
      expected: "an agent such as codex, or scripted:PATH",
      max: 200,
      pattern: /^[a-z][a-z0-9_-]*(?::[^\r\n\0]+)?$/,
    }),
    about:
      "Who works in stages that name no agent, instead of whom the blueprint says; of a pattern: who works (claude).",
  },
  every: { shape: cadence, about: "Runs again so long after the time before: 15m, or anywhere in 5m-15m." },
  cron: { shape: cron, about: 'Runs at these times, such as "0 3 * * 1-5".' },
  zone: { shape: zone, about: "The time zone of `cron` (UTC)." },
  watch: { shape: WATCH, about: "Runs when files or a ref have changed." },
  webhook: { shape: WEBHOOK, about: "Runs when a signed request comes in." },
  catch_up: {
    shape: oneOf("skip", "one", "all"),
    about:
      "What came while nobody was there, or while a run was open: none of it, one run for all, or one for each (one).",
  },
  jitter: {
    shape: duration(0),
    about: "Each time is put off by up to this, so that loops do not start together (0s).",
  },
  priority: { shape: integer(0, 100), about: "Who goes first when several wait: the larger number (0)." },
  lane: { shape: name(), about: "The lane it waits in, one of `lanes` (default)." },
  paths: {
    shape: list(pathPattern(["above", "top"]), { min: 1, max: 100 }),
    about: "What its changes may touch: two loops that share a path do not run at the same time.",
  },
  max_open: {
    shape: integer(1, 1000),
    about: "Most proposals of it that nobody has answered; it does not start above that.",
  },
  weight: {
    shape: weight,
    about: "What one run of it takes of the machine (with `machine`: 1GB, 1 processor; else nothing is counted).",
  },
} as const satisfies Fields;

export type LoopFound = Found<typeof LOOP_FIELDS>;

const LANE: Shape<number> = mapped(
  object(
    { max: { shape: integer(1, MOST_AT_ONCE), about: "Most runs at the same time.", isRequired: true } },
    "a lane",
  ),
  (found) => found.max?.value,
);

/** What `pawl.yaml` may say besides what is about all runs. */
export const LOOPS_FIELDS = {
  version: { shape: version, about: "The version of this form: 1." },
  loops: { shape: record(object(LOOP_FIELDS, "a loop"), NAME), about: "What runs by name, and when." },
  lanes: { shape: record(LANE, NAME), about: "Queues that loops wait in, each with its own width." },
  machine: { shape: machine, about: "What all runs of this machine may take together." },
} as const satisfies Fields;
