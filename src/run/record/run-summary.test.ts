import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../../test/support/run-plan.ts";
import type { EventOf, RunEvent } from "../events.ts";
import { renderRunSummary } from "./render-summary.ts";
import { type RunSummary, summarize } from "./run-summary.ts";

const PLAN = planFrom(
  `
stages:
  - { id: fix, command: [ok], max_attempts: 2, models: { tokens: 1000, usd: 1 } }
  - { id: check, gate: { command: [ok, test] }, on: { fail: fix }, max_visits: 3 }
  - { id: send, action: test.work }
`,
  { level: "L2" },
);

const created: RunEvent = {
  type: "run.created",
  at: 1000,
  run: "r_1",
  blueprint: "test",
  plan: PLAN.fingerprint,
  params: {},
  tree: "t0",
};
const begun = (stage: string, at: number, visit = 1, attempt = 1): RunEvent => ({
  ...{ type: "stage.started", at, stage, visit, attempt, rule: "r" },
});
const done = (stage: string, at: number, end: object = {}): RunEvent =>
  ({ type: "stage.finished", at, stage, attempt: 1, outcome: "success", cause: "ok", ...end }) as RunEvent;

const COUNTS = { counts: { passed: 3, failed: 1 } };
const LOG = { sha256: "1".repeat(64), bytes: 9, dropped: 2 };
const RESULTS = { sha256: "2".repeat(64), bytes: 5 };
const FAILED: readonly RunEvent[] = [
  created,
  { type: "run.started", at: 1000 },
  begun("fix", 1000),
  done("fix", 3000, {
    outcome: "failure",
    cause: "exit",
    exit: 1,
    error: "broke @ann",
    usage: { tokens: 5, microUsd: 70 },
    turns: 1,
  }),
  begun("fix", 3000, 1, 2),
  done("fix", 4000, { attempt: 2, usage: { tokens: 7, microUsd: 30 }, turns: 1, tree: "t1" }),
  begun("check", 4000),
  done("check", 5000, {
    ...{ outcome: "fail", cause: "exit", exit: 1, error: "a test failed", judged: "t1", tree: "t1" },
    ...{ output: COUNTS, log: LOG, artifacts: { results: RESULTS } },
  }),
];

const fixRow = { kind: "command", visits: 1, attempts: 2, outcome: "success", cause: "ok", error: null, tests: null };

describe("a run so far", () => {
  it("is told stage by stage, with what gates rest on, and what all of it has cost", () => {
    const told = summarize(PLAN, FAILED);
    expect(told).toEqual({
      ...{ run: "r_1", blueprint: "test", plan: PLAN.fingerprint, level: "L2", round: 1, events: 8 },
      ...{ verified: false, base: "t0", tree: "t1" },
      stages: [
        { stage: "fix", ...fixRow, tookMs: 3000, usage: { tokens: 12, microUsd: 100 } },
        {
          ...{ stage: "check", kind: "gate", visits: 1, attempts: 1, outcome: "fail", cause: "exit" },
          ...{ error: "a test failed", tookMs: 1000, usage: { tokens: 0, microUsd: 0 } },
          tests: { passed: 3, failed: 1, skipped: 0 },
        },
      ],
      gates: [
        {
          ...{ stage: "check", by: "exit", verdict: "fail", tree: "t1", exit: 1, output: COUNTS },
          log: { sha256: LOG.sha256, bytes: 9 },
          artifacts: { results: RESULTS },
        },
      ],
      answers: [],
      cost: { tokens: 12, microUsd: 100, turns: 2, starts: 3, wallMs: 4000 },
    } satisfies Record<keyof RunSummary, unknown>);
    const spent = told.stages.reduce((sum, { usage }) => sum + usage.tokens, 0);
    expect(spent).toBe(told.cost.tokens);
  });

  it("tells how a stage stands whose attempt has no end of its own", () => {
    const standing = (...events: readonly object[]) => {
      const { stages } = summarize(PLAN, [...FAILED.slice(0, 2), ...(events as RunEvent[])]);
      return stages.map(({ outcome, error, attempts, tookMs }) => [outcome, error, attempts, tookMs]);
    };
    const fix = { stage: "fix", attempt: 1, at: 1500 };
    expect(standing(begun("fix", 1000))).toEqual([["running", null, 1, 0]]);
    expect(standing(begun("fix", 1000), { type: "stage.interrupted", ...fix })).toEqual([
      ["interrupted", null, 1, 500],
    ]);
    const parked = { type: "stage.parked", ...fix, reason: "awaiting_quota", until: null, why: "full" };
    expect(standing(begun("fix", 1000), parked)).toEqual([["parked", "full", 1, 500]]);
    const refused = { type: "stage.refused", at: 1500, stage: "fix", visit: 1, error: "no value" };
    expect(standing(refused)).toEqual([["refused", "no value", 0, 0]]);
  });

  it("tells what people have answered, and that every gate has passed exactly this tree", async () => {
    const plan = planFrom(
      `
stages:
  - { id: check, gate: { command: [ok] } }
  - { id: human, gate: { approval: {} } }
`,
      { level: "L2" },
    );
    const host = createTestHost(plan);
    await host.start();
    const asked = (await host.events()).findLast((event) => event.type === "approval.requested");
    const { stage, id, digest } = asked as EventOf<"approval.requested">;
    await host.resume([
      { type: "approval.answered", stage, id, digest, answer: "approve", by: "ann" },
      { type: "run.resumed", after: "wait" },
    ]);
    const told = summarize(plan, await host.events());
    expect(told.answers).toEqual([{ stage: "human", answer: "approve", by: "ann" }]);
    expect(told.gates.map(({ stage: gate, by, verdict, log }) => [gate, by, verdict, log === null])).toEqual([
      ["check", "exit", "pass", false],
      ["human", "person", "pass", true],
    ]);
    expect(told.verified).toBe(true);
    const text = renderRunSummary(told, null);
    expect(text).toContain("Every gate has passed, the last of them exactly this tree.");
    expect(text).toContain("- human: approve by ann");
    expect(text).not.toContain("Changed files");
  });

  it("begins with the creation of the run", () => {
    expect(() => summarize(PLAN, [])).toThrow("a journal begins with nothing");
    expect(() => summarize(PLAN, FAILED.slice(1))).toThrow("a journal begins with run.started");
  });
});

describe("the summary for people", () => {
  it("is one page of Markdown in which no text does anything", () => {
    const changes = [
      { status: "modified", path: "src/<a>.ts", added: 2, removed: 1 },
      { status: "added", path: "logo.png", added: null, removed: null },
    ];
    const events = FAILED.slice(0, 4);
    expect(renderRunSummary(summarize(PLAN, [...events, begun("fix", 3000, 1, 2)]), changes)).toContain("No gate");
    expect(renderRunSummary(summarize(PLAN, FAILED), changes)).toBe(`## Run r\\_1

Blueprint test at level L2, plan \`${PLAN.fingerprint.slice(0, 12)}\`, round 1. Its tree is not verified.

| stage | kind | visits | tries | outcome | tests | took | tokens | cost |
|---|---|---|---|---|---|---|---|---|
| fix | command | 1 | 2 | success |  | 3s | 12 | $0.0001 |
| check | gate | 1 | 1 | fail | 3 passed, 1 failed, 0 skipped | 1s | 0 | $0.00 |

### What went wrong

- check (exit): a test failed

### Changed files

- modified src/<!-- -->&#60;a&#62;.<!-- -->ts (+2 −1)
- added logo.<!-- -->png (binary)

Cost so far: 3 stage starts, 2 calls to models, 4s, 12 tokens, $0.0001.
`);
    const stopped = renderRunSummary(summarize(PLAN, events), []);
    expect(stopped).toContain("- fix (exit): broke @<!-- -->ann");
    expect(stopped).not.toContain("Changed files");
  });

  it("says how a stage stands that has not ended", () => {
    const parked: RunEvent = {
      ...{
        type: "stage.parked",
        at: 1500,
        stage: "fix",
        attempt: 1,
        reason: "awaiting_quota",
        until: null,
        why: "full",
      },
    };
    const text = renderRunSummary(summarize(PLAN, [...FAILED.slice(0, 3), parked]), null);
    expect(text).toContain("- fix: full");
  });

  it("names the first two hundred of very many", () => {
    const told = summarize(PLAN, FAILED);
    const [row] = told.stages;
    const many = { ...told, stages: Array.from({ length: 201 }, (_, n) => ({ ...row, stage: `s${n}` })) } as RunSummary;
    const changes = Array.from({ length: 203 }, (_, n) => ({ status: "added", path: `${n}`, added: 1, removed: 0 }));
    const text = renderRunSummary(many, changes);
    expect(text).toContain("| and 1 more | | | | | | | | |");
    expect(text).toContain("- and 3 more");
  });
});
