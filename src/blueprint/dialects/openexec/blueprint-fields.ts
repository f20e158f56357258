/** The keys of a blueprint of OpenExec, in both forms it has: a list of stages, and a map of them by name. */
import { parseDuration } from "../../../base/duration.ts";
import {
  boolean,
  either,
  type Found,
  type Given,
  integer,
  list,
  mapped,
  object,
  oneOf,
  record,
  type Shape,
  scalar,
  text,
} from "../../shapes/shape.ts";
import { NAME, name } from "../../shapes/value-shapes.ts";
import { version } from "./version.ts";

/** Actions of its contract; `stages-of.ts` says what each becomes. */
export const ACTIONS = [
  "build_context_pack",
  "apply_patch",
  "run_linters",
  "run_tests",
  "generate_diff_report",
  "prepare_review_bundle",
  "summarize_run",
] as const;
export type ActionName = (typeof ACTIONS)[number];

const MOST_STAGES = 1000;
const LONGEST_MS = 366 * 86_400_000;
const NANOSECONDS = 1_000_000;

const words = text({ expected: "text of at most 2000 characters", max: 2000 });
const line = text({ expected: "text of at most 2000 characters, on one line", max: 2000, pattern: /^[^\r\n]+$/ });
const task = text({ expected: "text of at most 20000 characters", max: 20_000 });
const target = text({ expected: "the name of a stage, or done, complete, fail or paused", max: 64 });
const retries = integer(0, 99);

/** Its own programs write whole nanoseconds. */
const wait = scalar({
  expected: "a duration such as 10m, or whole milliseconds in nanoseconds",
  code: "BLUEPRINT_DURATION_INVALID",
  schema: { type: ["string", "integer"] },
  convert(value) {
    const ms = typeof value === "string" ? parseDuration(value) : Number(value) / NANOSECONDS;
    return ms !== undefined && Number.isInteger(ms) && ms >= 1 && ms <= LONGEST_MS ? ms : undefined;
  },
});

/** It writes the modes with either sign. */
const sandbox = scalar({
  expected: "one of read_only, workspace_write, repo_write, danger_full_access",
  schema: { type: "string" },
  convert: (value) =>
    (["read_only", "workspace_write", "repo_write", "danger_full_access"] as const).find(
      (mode) => mode === String(value).replaceAll("-", "_"),
    ),
});

const STAGE_FIELDS = {
  id: { shape: name(), about: "The name of the stage, in a list." },
  name: { shape: words, about: "Its name for people." },
  description: { shape: words, about: "What it is for." },
  type: {
    shape: oneOf("deterministic", "agent", "agentic"),
    about: "Who does it: commands and actions, or an agent.",
    isRequired: true,
  },
  toolset: { shape: name(), about: "What the agent may use." },
  action: { shape: oneOf(...ACTIONS), about: "An action of its contract." },
  commands: { shape: list(line, { min: 1, max: 100 }), about: "Commands, one after the other." },
  goal: { shape: task, about: "What the agent is to do." },
  prompt: { shape: task, about: "What the agent is to do." },
  inputs: { shape: list(name(), { min: 0, max: 100 }), about: "What earlier stages have put out." },
  outputs: { shape: list(name(), { min: 0, max: 100 }), about: "Names for what it puts out." },
  on_success: { shape: target, about: "Where success leads." },
  on_failure: { shape: target, about: "Where failure leads." },
  retry_limit: { shape: retries, about: "How often it is tried again." },
  max_retries: { shape: retries, about: "How often it is tried again." },
  timeout: { shape: wait, about: "Longest time of one attempt." },
  approval_required: { shape: boolean(), about: "A person must agree before it begins." },
  create_checkpoint: { shape: boolean(), about: "What has changed is kept after it." },
  run_quality_gates: { shape: boolean(), about: "The gates of openexec.yaml judge what it leaves." },
} as const;

const STAGE = object(STAGE_FIELDS, "a stage");
export type StageFound = Found<typeof STAGE_FIELDS>;

export interface StageGiven {
  /** null: it has none. */
  readonly id: string | null;
  readonly found: Given<StageFound>;
}

export interface StagesGiven {
  readonly isMap: boolean;
  readonly stages: readonly StageGiven[];
}

const listed = mapped(
  list(STAGE, { min: 1, max: MOST_STAGES }),
  (found): StagesGiven => ({
    isMap: false,
    stages: found.map((given) => ({ id: given.value.id?.value ?? null, found: given })),
  }),
);

/** A list has ids in its stages, a map has them as keys. */
const stages: Shape<StagesGiven> = either<StagesGiven>({
  scalar: listed,
  list: listed,
  map: mapped(record(STAGE, NAME), (found) => ({
    isMap: true,
    stages: found.map((given) => ({ id: given.name, found: given })),
  })),
});

const DEFAULTS = object(
  {
    toolset: { shape: name(), about: "What agents may use." },
    sandbox: { shape: sandbox, about: "What processes may write." },
    max_step_retries: { shape: retries, about: "How often a stage is tried again." },
    approval_mode: {
      shape: oneOf("always_ask", "risk_based", "on_risky_actions", "auto_approve", "session_trust"),
      about: "When a person is asked.",
    },
  },
  "defaults",
);

export const BLUEPRINT = object(
  {
    version: { shape: version, about: "The version of the form: 1." },
    id: { shape: line, about: "Its name on the command line." },
    name: { shape: line, about: "Its name.", isRequired: true },
    description: { shape: words, about: "What it is for." },
    initial_stage: { shape: target, about: "The stage it begins with; of a map it must be said." },
    defaults: { shape: DEFAULTS, about: "What holds for every stage that does not say otherwise." },
    stages: { shape: stages, about: "The stages.", isRequired: true },
  },
  "the blueprint",
);

export type BlueprintFound = NonNullable<ReturnType<typeof BLUEPRINT.read>>;
