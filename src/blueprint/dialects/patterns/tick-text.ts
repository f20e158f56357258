/**
 * One tick of a pattern of loop-engineering as a blueprint:
 *
 *   discover → admit → triage ─ noop, report ──────────────────→ unchanged → record
 *                         └ act → claim → implement → verify → review → change → commit → merge → record
 *                                   └ tried too often    └──────┴────────┴ rejected, or kept for a person → record
 *
 * Every way that begins with `discover` ends with an entry in the run log. Below L2 `act` is reported.
 */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { Pattern } from "../registry.ts";

export interface TickOptions {
  /** Name of the backend that does all three tasks; each has a session of its own. */
  readonly agent: string;
  readonly calls: "models" | "nothing";
  /** What tests the project; null: it must be given as a parameter. */
  readonly test: readonly string[] | null;
  /** The file of the project with rules for changes; null: those that loop-engineering ships. */
  readonly gate: string | null;
  readonly workspace: "clone" | "worktree";
  /** Tokens that every tick is charged, whatever it does; null: what is used is metered. */
  readonly flat: number | null;
}

/** What a change must not touch where the project says nothing else. */
const DENYLIST: readonly string[] = [
  ...[".env", ".env.*", "**/secrets/**", "**/credentials/**", "**/*_key*", "**/*_secret*", ".terraform/**"],
  ...["k8s/production/**", "**/migrations/**", "auth/**", "payments/**", "billing/**"],
];
const MOST_FILES = 10;
/** What may be merged without a person where the project says nothing else. */
const MERGEABLE: readonly string[] = ["docs/**", "**/*.md"];
/** Failed attempts at one item after which a person is asked. */
export const MOST_ATTEMPTS = 3;

const DOLLARS = 20;
const LEAST_TOKENS = 10_000;
const TRIAGE_ANSWER: JsonObject = {
  type: "object",
  properties: { item: { type: "string" }, title: { type: "string" }, why: { type: "string" } },
};

export function tickText(pattern: Pattern, options: TickOptions): string {
  const { test, workspace } = options;
  const blueprint: JsonObject = {
    version: 1,
    name: pattern.id,
    description: pattern.goal.slice(0, 200),
    params: {
      test: {
        type: "list",
        description: "The command that tests the project.",
        ...(test === null ? {} : { default: test }),
      },
      into: { type: "string", default: "main", description: "The branch that is merged into at L3." },
    },
    workspace: { kind: workspace },
    defaults: { agent: options.agent, timeout: "30m" },
    policy: { allow: allowed() },
    stages: [...beginning(pattern, options), ...work(pattern, options), ...endings(pattern, options)],
  };
  return `${JSON.stringify(blueprint, null, 2)}\n`;
}

function allowed(): JsonValue {
  const actions = ["agent.*", "loop.*", "git.commit", "git.merge", "generate_diff_report"];
  return [...actions.map((action) => ({ action })), { read: "**" }, { edit: "**" }, { run: ["**"] }];
}

const FOUND = { reference: "${stages.discover.output}" } as const;
const TRIAGED = "${stages.triage.output}";

function beginning(pattern: Pattern, { flat, ...options }: TickOptions): readonly JsonObject[] {
  const { id, state } = pattern;
  return [
    {
      id: "discover",
      title: "Read the state file, the decisions of people and the constraints",
      action: "loop.discover",
      with: { pattern: id, state },
      on_failure: "fail",
    },
    {
      id: "admit",
      title: "Nothing begins on a spent budget or while loops are paused",
      action: "loop.admit",
      with: { found: FOUND.reference },
      on_failure: "halted",
    },
    ...(flat === null ? [] : [{ id: "price", action: "loop.mock_price", on_failure: "halted" }]),
    {
      id: "triage",
      agent: {
        goal: triageGoal(pattern),
        outcomes: ["noop", "report", "act"],
        schema: TRIAGE_ANSWER,
        ...scriptOf(options.agent, "triage"),
      },
      sandbox: "read_only",
      ...modelsOf(options, pattern.costs?.report ?? LEAST_TOKENS),
      on: { noop: "unchanged", report: "unchanged", act: "claim", failure: "gave_up" },
    },
  ];
}

function work(pattern: Pattern, options: TickOptions): readonly JsonObject[] {
  const { state, costs } = pattern;
  const { agent, gate } = options;
  const tokens = costs?.action ?? LEAST_TOKENS;
  return [
    {
      id: "claim",
      title: `An item that failed ${MOST_ATTEMPTS} times, or that nobody has seen for long, is not acted on`,
      action: "loop.claim",
      with: { state, found: FOUND.reference, triage: TRIAGED },
      level: "L2",
      below: "unchanged",
      on: { success: "implement", failure: "tried_out" },
    },
    {
      id: "implement",
      agent: { goal: implementGoal(pattern), ...scriptOf(agent, "implement") },
      level: "L2",
      below: "unchanged",
      ...modelsOf(options, tokens),
      on: { success: "verify", failure: "rejected" },
    },
    {
      id: "verify",
      gate: { tests: { command: "${params.test}" } },
      on: { pass: "review", fail: "rejected", escalate: "keep" },
    },
    {
      id: "review",
      agent: { role: "checker", goal: reviewGoal(pattern), ...scriptOf(agent, "review") },
      ...modelsOf(options, tokens),
      on: { accept: "change", reject: "rejected", escalate: "keep", failure: "rejected" },
    },
    {
      id: "change",
      gate: { change: gate === null ? { deny: DENYLIST, max_files: MOST_FILES, denied: "escalate" } : { from: gate } },
      on: { pass: "commit", fail: "keep", escalate: "keep", empty: "record" },
    },
    {
      id: "commit",
      action: "git.commit",
      with: { message: `${plain(pattern.name)}: ${TRIAGED.replace("output", "output.title")}` },
      level: "L2",
      below: "keep",
      on: { success: "mergeable", failure: "gave_up" },
    },
    {
      id: "mergeable",
      gate: { merge: gate === null ? { allow: MERGEABLE } : { from: gate } },
      level: "L3",
      below: "proposed",
      on: { pass: "merge", fail: "proposed", escalate: "proposed", empty: "proposed" },
    },
    {
      id: "merge",
      action: "git.merge",
      with: { into: "${params.into}" },
      level: "L3",
      below: "proposed",
      on: { success: "merged", failure: "proposed" },
    },
  ];
}

/** `unchanged` looks that nothing has changed, so that a tick which only looked ends as one. */
function endings(pattern: Pattern, { flat }: TickOptions): readonly JsonObject[] {
  const { id, state, costs } = pattern;
  const tokens =
    flat === null
      ? { noop: costs?.noop ?? 0, report: costs?.report ?? 0, action: costs?.action ?? 0 }
      : { noop: flat, report: flat, action: flat };
  const record = (stage: string, end: string, triage: string | null, to: JsonObject): JsonObject => ({
    id: stage,
    action: "loop.record",
    with: { pattern: id, state, end, tokens, found: FOUND.reference, ...(triage === null ? {} : { triage }) },
    on_failure: "fail",
    ...to,
  });
  return [
    {
      id: "unchanged",
      gate: { change: {} },
      on: { pass: "record", fail: "record", escalate: "record", empty: "record" },
    },
    record("record", "looked", TRIAGED, { on_success: "done" }),
    record("halted", "halted", null, { on_success: "idle" }),
    { id: "idle", gate: { change: {} }, on: { pass: "done", fail: "fail", escalate: "fail", empty: "done" } },
    record("gave_up", "gave_up", null, { on_success: "fail" }),
    record("rejected", "rejected", TRIAGED, { on_success: "again" }),
    {
      id: "again",
      title: "Whether another tick may try it again",
      action: "loop.claim",
      with: { state, found: FOUND.reference, triage: TRIAGED },
      on: { success: "fail", failure: "escalate" },
    },
    record("tried_out", "escalated", TRIAGED, { on_success: "escalate" }),
    { id: "keep", action: "generate_diff_report", on: { success: "escalated", failure: "escalated" } },
    record("escalated", "escalated", TRIAGED, { on_success: "escalate" }),
    record("proposed", "proposed", TRIAGED, { on_success: "done" }),
    record("merged", "merged", TRIAGED, { on_success: "done" }),
  ];
}

function scriptOf(agent: string, task: string): JsonObject {
  return agent === "scripted" ? { script: `agents/${task}.yaml` } : {};
}

function modelsOf({ calls }: Pick<TickOptions, "calls">, tokens: number): JsonObject {
  return calls === "nothing" ? {} : { models: { tokens, usd: DOLLARS } };
}

function triageGoal({ name, goal, skills, phases, humanGates }: Pattern): string {
  return [
    `You triage for the loop "${plain(name)}": ${plain(goal)}.`,
    "What its files say now, as JSON (items with their attempts, decisions of people, constraints that bind you):",
    FOUND.reference,
    "Of an item `action` is what a loop did last about it, and `earlier` how ticks before this one ended that were about it, the newest last:",
    "do not have the same tried again that was rejected before.",
    "Items in `stale` and items that a person decides about are not to be acted on.",
    `Skills of this loop: ${list(skills)}. Its phases: ${list(phases)}. A person decides about: ${list(humanGates)}.`,
    "Change nothing. Answer noop when there is nothing to do, report when people should know something, and act when one small",
    "change can be made now; then say which item it is (`item`, its id), what to do (`title`, one line) and why (`why`).",
  ].join("\n");
}

function implementGoal({ name, humanGates }: Pattern): string {
  return [
    `You work for the loop "${plain(name)}". Make the smallest change that settles this item, and nothing else:`,
    TRIAGED,
    "The files of the loop, with constraints that bind you:",
    FOUND.reference,
    `Leave to people: ${list(humanGates)}.`,
  ].join("\n");
}

function reviewGoal({ name, humanGates }: Pattern): string {
  return [
    `You review a change of the loop "${plain(name)}". Accept only a change that settles this item, is small, and breaks no constraint:`,
    TRIAGED,
    FOUND.reference,
    `Escalate what touches: ${list(humanGates)}. Reject when in doubt.`,
  ].join("\n");
}

function list(words: readonly string[]): string {
  return words.map(plain).join(", ");
}

/** Text of the registry is no reference. */
function plain(text: string): string {
  return text.split("${").join("$${");
}
