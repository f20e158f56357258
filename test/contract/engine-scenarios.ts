/** Blueprints and the journals that every engine must write for them, in words. */
import type { Plan } from "../../src/plan/plan.ts";
import type { Ending } from "../support/engine-fixture.ts";
import { planFrom } from "../support/plan-from-yaml.ts";

interface Scenario {
  readonly name: string;
  readonly plan: Plan;
  readonly endings?: Readonly<Record<string, readonly Ending[]>>;
  readonly story: readonly string[];
}

interface LostScenario extends Scenario {
  readonly endings: Readonly<Record<string, readonly Ending[]>>;
  /** The stage during whose first start the host is lost. */
  readonly lostIn: string;
  /** The answer to the question that this raises. */
  readonly answer?: string;
}

const FAILED: Ending = { cause: "exit", exit: 1, error: "exited" };

const lines = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const LOOP = planFrom(`
limits: { rounds: 3 }
stages:
  - { id: build, command: [ok], effect: idempotent }
  - { id: check, gate: { command: [ok] }, on: { pass: done, fail: build } }
`);

const GROUPS = planFrom(`
stages:
  - { id: list, command: [ok], capture: json, effect: idempotent }
  - id: both
    group:
      parallel:
        - { id: one, command: [ok], effect: idempotent, max_attempts: 2, backoff: { first: 10ms } }
        - { id: two, action: test.work }
      max_parallel: 1
  - id: each
    group:
      for_each: "\${stages.list.output}"
      max_items: 4
      max_parallel: 1
      stage: { command: [ok, "\${item}"], effect: idempotent }
`);

const CHOICES = planFrom("stages:\n  - { id: a, command: [ask] }\n");

export const CLEAN: readonly Scenario[] = [
  {
    name: "a loop until its gate passes",
    plan: LOOP,
    endings: { check: [FAILED, { cause: "ok" }] },
    story: lines(`
      run.created
      run.started
      stage.started build 1
      stage.finished build 1 success ok
      stage.started check 1
      stage.finished check 1 fail exit
      round.started build 2
      stage.started build 1
      stage.finished build 1 success ok
      stage.started check 1
      stage.finished check 1 pass ok
      run.finished succeeded goal_achieved
    `),
  },
  {
    name: "a loop that reaches its limit",
    plan: LOOP,
    endings: { check: [FAILED] },
    story: lines(`
      run.created
      run.started
      stage.started build 1
      stage.finished build 1 success ok
      stage.started check 1
      stage.finished check 1 fail exit
      round.started build 2
      stage.started build 1
      stage.finished build 1 success ok
      stage.started check 1
      stage.finished check 1 fail exit
      round.started build 3
      stage.started build 1
      stage.finished build 1 success ok
      stage.started check 1
      stage.finished check 1 fail exit
      run.stopping max_rounds
      run.finished blocked max_rounds
    `),
  },
  {
    name: "groups, a retry and a fan-out",
    plan: GROUPS,
    endings: { list: [{ output: ["x", "y"] }], "both.one": [FAILED, { cause: "ok" }] },
    story: lines(`
      run.created
      run.started
      stage.started list 1
      stage.finished list 1 success ok
      group.opened both 2
      stage.started both.one 1
      stage.finished both.one 1 failure exit
      stage.started both.two 1
      stage.finished both.two 1 success ok
      stage.started both.one 2
      stage.finished both.one 2 success ok
      group.closed both success
      group.opened each 2
      stage.started each[0] 1
      stage.finished each[0] 1 success ok
      stage.started each[1] 1
      stage.finished each[1] 1 success ok
      group.closed each success
      run.finished succeeded reported
    `),
  },
  {
    name: "a question of policy",
    plan: CHOICES,
    story: lines(`
      run.created
      run.started
      approval.requested a policy
      run.waiting awaiting_approval
    `),
  },
  {
    name: "a gate that a person judges",
    plan: planFrom("stages:\n  - { id: a, command: [ok] }\n  - { id: ask, gate: { approval: {} } }\n"),
    story: lines(`
      run.created
      run.started
      stage.started a 1
      stage.finished a 1 success ok
      approval.requested ask gate
      run.waiting awaiting_approval
    `),
  },
  {
    name: "a denial",
    plan: planFrom("stages:\n  - { id: a, command: [never, named] }\n"),
    story: lines(`
      run.created
      run.started
      policy.denied a
      run.finished rejected policy_denied
    `),
  },
  {
    name: "a value that is missing",
    plan: planFrom(`
stages:
  - { id: a, command: [ok], on_failure: b }
  - { id: b, command: [ok, "\${stages.a.exit}"] }
`),
    endings: { a: [{ cause: "signal", signal: "SIGSEGV", error: "ended by SIGSEGV" }] },
    story: lines(`
      run.created
      run.started
      stage.started a 1
      stage.finished a 1 failure signal
      stage.refused b
      run.finished failed stage_failed
    `),
  },
];

export const LOST: readonly LostScenario[] = [
  {
    name: "in a stage that may be repeated",
    plan: LOOP,
    endings: { build: ["hang", {}] },
    lostIn: "build",
    story: lines(`
      run.created
      run.started
      stage.started build 1
      run.resumed interruption
      stage.interrupted build 1
      stage.started build 2
      stage.finished build 2 success ok
      stage.started check 1
      stage.finished check 1 pass ok
      run.finished succeeded goal_achieved
    `),
  },
  {
    name: "in a member of a group",
    plan: GROUPS,
    endings: { list: [{ output: ["x", "y"] }], "each[1]": ["hang", {}] },
    lostIn: "each[1]",
    story: lines(`
      run.created
      run.started
      stage.started list 1
      stage.finished list 1 success ok
      group.opened both 2
      stage.started both.one 1
      stage.finished both.one 1 success ok
      stage.started both.two 1
      stage.finished both.two 1 success ok
      group.closed both success
      group.opened each 2
      stage.started each[0] 1
      stage.finished each[0] 1 success ok
      stage.started each[1] 1
      run.resumed interruption
      stage.interrupted each[1] 1
      stage.started each[1] 2
      stage.finished each[1] 2 success ok
      group.closed each success
      run.finished succeeded reported
    `),
  },
  {
    name: "in a stage that must not be repeated unasked",
    plan: planFrom("stages:\n  - { id: a, command: [ok], effect: once }\n"),
    endings: { a: ["hang", {}] },
    lostIn: "a",
    answer: "again",
    story: lines(`
      run.created
      run.started
      stage.started a 1
      run.resumed interruption
      stage.interrupted a 1
      approval.requested a interrupted
      run.waiting awaiting_approval
      approval.answered a again
      run.resumed wait
      stage.started a 2
      stage.finished a 2 success ok
      run.finished succeeded reported
    `),
  },
];
