/** The table of every key a blueprint may have. The validator reads by it and the JSON Schema is written from it. */
import { QUOTA_VENDORS } from "../limits/quota/signals.ts";
import { FEWEST_REPEATS, MOST_REPEATS } from "../limits/stagnation/thresholds.ts";
import { AGENT, AGENT_DEFAULTS } from "./agent/agent-fields.ts";
import { GATE_FIELDS, GATE_KINDS, type GateKind } from "./gate/gate-fields.ts";
import { POLICY_FIELDS } from "./policy/rule-fields.ts";
import { argument, expression, expressionMap, listOrReference, literal, program } from "./shapes/expression-shape.ts";
import {
  boolean,
  duration,
  type Field,
  type Found,
  integer,
  list,
  object,
  oneOf,
  record,
  scalar,
  text,
} from "./shapes/shape.ts";
import {
  ACTION_NAME,
  backoff,
  blueprintPath,
  byteCount,
  dollars,
  hostName,
  mapOf,
  NAME,
  name,
  pathPattern,
  relativePath,
  tokenCount,
  VARIABLE,
  workspace,
} from "./shapes/value-shapes.ts";

/** The verbs. */
export const STAGE_KINDS = ["command", "agent", "action", "gate", "group", "run"] as const;
type Verb = (typeof STAGE_KINDS)[number];
/** What a stage is; a gate that no process judges is a kind of its own, because it has none of the keys of a process. */
export type KindName = Verb | GateKind;

/** The key that makes a stage of this kind. */
export function verbOf(kind: KindName): Verb {
  return kind === "inspection" || kind === "approval" ? "gate" : kind;
}

export function stageName(kind: KindName): string {
  if (kind === "inspection") return "a gate that judges the change";
  if (kind === "approval") return "an approval gate";
  return kind === "action" || kind === "agent" ? `an ${kind} stage` : `a ${kind} stage`;
}

/** Where a run can end; no stage may have such a name. */
export const TERMINALS: readonly string[] = ["done", "fail", "paused"];
/** The same, of a name that a stage may have: then the stage is meant. */
export const ESCALATION = "escalate";

const MAX_STAGES = 10_000;
const MAX_MEMBERS = 1000;

export interface StageField<T> extends Field<T> {
  readonly kinds: readonly KindName[];
  /** A member of a group does not route, so it cannot have this key. */
  readonly isTopOnly?: true;
}

const EVERY: readonly KindName[] = [...STAGE_KINDS, "inspection", "approval"];
const LEAVES = EVERY.filter((kind) => kind !== "group");
const PROCESS = ["command", "gate"] as const;
const WALLED = ["command", "agent", "gate"] as const;
const SINGLE = ["command", "agent", "action", "gate"] as const;
const RETRIED = ["command", "agent", "action", "gate", "run"] as const;

const RESOURCES = object(
  {
    memory: { shape: byteCount(), about: "Memory of all its processes together, such as 2g." },
    cpu: { shape: duration(1), about: "Processor time of all its processes together." },
    processes: { shape: integer(1, 100_000), about: "Processes at the same time (4096)." },
    file_size: { shape: byteCount(), about: "Size of one file it writes (4g)." },
    output: {
      shape: byteCount(),
      about: "What it prints before it is ended (1g); the log keeps its first and last part.",
    },
  },
  "resources",
);

/** Keys of a stage that `defaults` may set for all stages. */
const SETTING_FIELDS = {
  effect: {
    shape: oneOf("idempotent", "keyed", "once"),
    about: "What repeating does: nothing new (idempotent), nothing new for the same key (keyed), harm (once).",
    kinds: SINGLE,
  },
  max_attempts: { shape: integer(1, 100), about: "How often the stage is tried before it failed.", kinds: RETRIED },
  max_visits: {
    shape: integer(1, 100_000),
    about: "How often routes may lead to the stage in one run.",
    kinds: EVERY,
    isTopOnly: true,
  },
  timeout: { shape: duration(1), about: "Longest time of one attempt, such as 10m.", kinds: RETRIED },
  stall: { shape: duration(1), about: "Longest silence of a process before it is ended.", kinds: WALLED },
  backoff: { shape: backoff(), about: "Wait between attempts: a duration, or first, factor and max.", kinds: RETRIED },
  cwd: { shape: relativePath(), about: "Working directory below the folder of the project.", kinds: WALLED },
  sandbox: {
    shape: oneOf("read_only", "workspace_write", "repo_write", "danger_full_access"),
    about: "What the process may write: nothing, the workspace (default), its git data too, or anything at all.",
    kinds: WALLED,
  },
  network: {
    shape: list(hostName(), { min: 0, max: 100 }),
    about: "Hosts the process may reach through the broker (none).",
    kinds: WALLED,
  },
  resources: { shape: RESOURCES, about: "The most the process and all it starts may use.", kinds: WALLED },
} as const satisfies Record<string, StageField<unknown>>;

const AGENT_SETTING = {
  shape: AGENT_DEFAULTS,
  about: "Of agents: the name of a backend, or use, model, toolset and max_turns.",
} as const;

const GROUP = object(
  {
    parallel: {
      shape: list(mapOf("member", "a stage"), { min: 1, max: MAX_MEMBERS }),
      about: "Members that run side by side.",
    },
    for_each: {
      shape: listOrReference(MAX_MEMBERS),
      about: "A list; the stage runs once per item, results stay in order.",
    },
    stage: {
      shape: mapOf("member", "a stage"),
      about: `The stage that runs for each item, as \${item} and \${index}.`,
    },
    max_items: { shape: integer(1, MAX_MEMBERS), about: "Most items the list may have (100)." },
    max_parallel: { shape: integer(1, 64), about: "Most members under way at once (4)." },
    fail_fast: { shape: boolean(), about: "Start no further member after one failed." },
  },
  "group",
);

const RUN = object(
  {
    blueprint: {
      shape: blueprintPath(),
      about: "The blueprint of the child run, such as ./child.yaml.",
      isRequired: true,
    },
    params: { shape: record(expression(), NAME), about: "Parameters of the child run." },
  },
  "run",
);

const MODELS = object(
  {
    tokens: { shape: tokenCount(), about: "Most tokens of one attempt, such as 200k.", isRequired: true },
    usd: { shape: dollars(), about: "Most money of one attempt, in dollars.", isRequired: true },
    calls: { shape: integer(1, 100_000), about: "Most calls of one attempt (1000)." },
    providers: {
      shape: list(name(), { min: 1, max: 20 }),
      about: "Providers it may use, such as anthropic (any with a key).",
    },
    record: { shape: boolean(), about: "Keep all that passes as the artifact model-traffic, secrets masked (false)." },
  },
  "models",
);

const target = text({ expected: "the id of a stage, or done, fail or paused", max: 64 });

const reservedOutput = (key: string): string | undefined =>
  ({
    log: "the log of the process has this name",
    transcript: "what an agent said and did has this name",
    "model-traffic": "what passed to models has this name",
  })[key];
const reservedVariable = (key: string): string | undefined =>
  key.startsWith("PAWL_") ? "names that begin with PAWL_ are set by the runtime" : undefined;

export const STAGE_FIELDS = {
  id: { shape: name(), about: "The name of the stage.", kinds: EVERY },
  title: {
    shape: text({ expected: "text of at most 200 characters", max: 200, refusesReferences: true }),
    about: "A line for people.",
    kinds: EVERY,
  },
  level: {
    shape: oneOf("L1", "L2", "L3"),
    about: "The lowest level at which the stage runs.",
    kinds: EVERY,
    isTopOnly: true,
  },
  below: {
    shape: name(),
    about: "The stage that is entered instead where the level does not reach this one (the run ends there).",
    kinds: LEAVES,
    isTopOnly: true,
  },
  command: {
    shape: program(),
    about: "A process: a list is started as it is, text is read by a shell.",
    kinds: ["command"],
  },
  agent: { shape: AGENT, about: "An agent: a program, a script or a model that works alone.", kinds: ["agent"] },
  action: {
    shape: text({ expected: "the name of an action such as git.commit", max: 128, pattern: ACTION_NAME }),
    about: "A registered function.",
    kinds: ["action"],
  },
  gate: {
    shape: object(GATE_FIELDS, "gate"),
    about: "A check: by a command, by tests, by a metric, of the change itself, or by a person.",
    kinds: GATE_KINDS,
  },
  group: { shape: GROUP, about: "Members side by side, or one stage for each item of a list.", kinds: ["group"] },
  run: { shape: RUN, about: "A child run of another blueprint.", kinds: ["run"] },
  with: { shape: expressionMap(), about: "What the action is given.", kinds: ["action"] },
  env: {
    shape: record(argument(), { ...VARIABLE, reserved: reservedVariable }),
    about: "Variables added to the environment.",
    kinds: PROCESS,
  },
  capture: {
    shape: oneOf("none", "text", "lines", "json"),
    about: "How standard output becomes the output of the stage (none).",
    kinds: PROCESS,
  },
  outputs: {
    shape: record(relativePath(), { ...NAME, reserved: reservedOutput }),
    about: "Artifact name → file to store after success.",
    kinds: WALLED,
  },
  keep: {
    shape: list(pathPattern(["above", "top"]), { min: 1, max: 20 }),
    about: "Files to store that it writes, such as output/**, however it ends: globs from the top of the repository.",
    kinds: PROCESS,
  },
  quota: {
    shape: oneOf(...QUOTA_VENDORS),
    about:
      "Whose limit messages it may fail with: the run then rests until the limit is over, and nothing counts as failed.",
    kinds: ["command"],
  },
  inputs: {
    shape: list(text({ expected: "an artifact such as build.log", max: 130 }), { min: 0, max: 100 }),
    about: "Artifacts of earlier stages, as stage.name.",
    kinds: [...SINGLE, "approval"],
  },
  models: {
    shape: MODELS,
    about: "What it may use of models: it reaches the gateway, with a token instead of a key.",
    kinds: ["command", "agent"],
  },
  untrusted: {
    shape: boolean(),
    about: "Whether what it leaves is third-party text (true for a process with a network, else false).",
    kinds: RETRIED,
  },
  ...SETTING_FIELDS,
  on_success: { shape: target, about: "Where success (of a gate: pass) leads.", kinds: EVERY, isTopOnly: true },
  on_failure: { shape: target, about: "Where failure (of a gate: fail) leads.", kinds: EVERY, isTopOnly: true },
  on: {
    shape: record(target, NAME),
    about: "Outcome → where it leads.",
    kinds: EVERY,
    isTopOnly: true,
  },
} as const satisfies Record<string, StageField<unknown>>;

export type StageFound = Found<typeof STAGE_FIELDS>;
export type SettingFound = Found<typeof SETTING_FIELDS>;

const PARAM = object(
  {
    type: { shape: oneOf("string", "number", "boolean", "list", "map"), about: "The type of the value." },
    default: { shape: literal(), about: "The value when nobody gives one; without it the parameter is required." },
    description: { shape: text({ expected: "text of at most 2000 characters", max: 2000 }), about: "What it is for." },
    untrusted: { shape: boolean(), about: "The value is third-party text, such as the body of an issue (false)." },
  },
  "a parameter",
);

const repeats = integer(FEWEST_REPEATS, MOST_REPEATS);
const STAGNATION = object(
  {
    same_failure: { shape: repeats, about: "Visits of a stage that fail the same way (3)." },
    same_tree: { shape: repeats, about: "Visits of a stage that end well and leave the tree as it was (3)." },
    oscillation: { shape: repeats, about: "Changes of the tree in a row back to one that the run had before (4)." },
    repeats: { shape: repeats, about: "Visits of a stage that changes nothing and ends well (3)." },
    test_outcomes: { shape: repeats, about: "Failed verdicts of a tests gate without a new test outcome (10)." },
  },
  "stagnation",
);

const LIMITS = object(
  {
    stages: { shape: integer(1, 1_000_000), about: "Most attempts of stages in one run." },
    wall: { shape: duration(1), about: "Longest time of the whole run." },
    rounds: { shape: integer(1, 100_000), about: "Most rounds of a cycle." },
    consecutive_failures: {
      shape: integer(1, 1000),
      about: "Most failed attempts in a row, and most rounds in a row in which a stage failed.",
    },
    tokens: { shape: tokenCount(), about: "Most tokens, such as 500k." },
    usd: { shape: dollars(), about: "Most money, in dollars." },
    turns: { shape: integer(1, 1_000_000), about: "Most calls to models, with those of child runs." },
    spawns: { shape: integer(1, 100_000), about: "Most child runs, with those that they start." },
    depth: { shape: integer(1, 16), about: "How deep child runs may go: 1 is its own, which then start none." },
    stagnation: {
      shape: STAGNATION,
      about: "How often something may repeat with nothing new in between before the run is stuck.",
    },
  },
  "limits",
);

export const BLUEPRINT_FIELDS = {
  version: {
    shape: scalar({
      expected: "1",
      code: "BLUEPRINT_VERSION_UNSUPPORTED",
      schema: { const: 1 },
      convert: (value) => (value === 1 ? (1 as const) : undefined),
    }),
    about: "The version of this form: 1.",
    isRequired: true,
  },
  name: {
    shape: text({
      expected: "small letters and digits joined by -, at most 64",
      max: 64,
      pattern: /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
    }),
    about: "The name of the blueprint, such as fix-tests.",
    isRequired: true,
  },
  description: { shape: text({ expected: "text of at most 2000 characters", max: 2000 }), about: "What it is for." },
  params: { shape: record(PARAM, NAME), about: "Values given when a run starts." },
  defaults: {
    shape: object({ ...SETTING_FIELDS, agent: AGENT_SETTING }, "defaults"),
    about: "Settings for every stage that does not have its own.",
  },
  workspace: { shape: workspace(), about: "Where the processes of a run work (clone)." },
  limits: { shape: LIMITS, about: "Bounds of the whole run." },
  policy: { shape: object(POLICY_FIELDS, "policy"), about: "What stages may do. What no rule mentions is denied." },
  protect: {
    shape: list(pathPattern(["above", "top"]), { min: 0, max: 200 }),
    about: "Paths that a gate sees as they were when the run began, besides the built-in ones.",
  },
  unprotect: {
    shape: list(pathPattern(), { min: 0, max: 200 }),
    about: "Built-in protected paths that are not protected, as they are listed.",
  },
  stages: {
    shape: list(mapOf("stage", "a stage"), { min: 1, max: MAX_STAGES }),
    about: "The stages; the run begins with the first.",
    isRequired: true,
  },
} as const satisfies Record<string, Field<unknown>>;

export type BlueprintFound = Found<typeof BLUEPRINT_FIELDS>;
