import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script, type TestHost } from "../../../test/support/run-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import type { EventOf, StoredEvent } from "../events.ts";
import { certifiable, eventsUntil, momentOf } from "./certified.ts";

const PLAN = planFrom(
  `
params: { test: { default: [ok, test] } }
stages:
  - { id: fix, command: [ok] }
  - { id: check, gate: { command: "\${params.test}" }, on: { fail: fix }, max_visits: 3 }
  - { id: send, action: test.work }
`,
  { level: "L2" },
);

async function played(plan: Plan, script: Script = {}): Promise<readonly StoredEvent[]> {
  const host = createTestHost(plan, {
    work: ({ stage, attempt }, files) => files.set(stage, String(attempt)),
    ...script,
  });
  await host.start();
  return host.store.journal.read(host.run, 0, 1000);
}

async function answerOpen(host: TestHost): Promise<void> {
  const asked = (await host.events()).findLast((event) => event.type === "approval.requested");
  const { stage, id, digest } = asked as EventOf<"approval.requested">;
  await host.resume([
    { type: "approval.answered", stage, id, digest, answer: "approve", by: "ann" },
    { type: "run.resumed", after: "wait" },
  ]);
}

const finished = (events: readonly StoredEvent[], stage: string): EventOf<"stage.finished"> =>
  events.findLast(({ event }) => event.type === "stage.finished" && event.stage === stage)
    ?.event as EventOf<"stage.finished">;

describe("what a certificate would say", () => {
  it("is the latest word of every gate, with the program it ran and the tree it saw", async () => {
    const log = { sha256: "1".repeat(64), bytes: 3, dropped: 0 };
    const artifacts = { results: { sha256: "2".repeat(64), bytes: 5 } };
    const events = await played(PLAN, { stages: { check: [{ log, artifacts }] } });
    const said = certifiable(PLAN, events);
    const created = events[0]?.event as EventOf<"run.created">;
    const end = finished(events, "check");
    expect(said).toEqual({
      plan: PLAN,
      run: expect.stringMatching(/^r_/),
      origin: said?.run,
      unearned: null,
      journal: { events: events.length, head: events.at(-1)?.hash },
      base: created.tree,
      candidate: end.judged,
      gates: [
        {
          stage: "check",
          by: "exit",
          verdict: "pass",
          tree: end.judged,
          argv: ["ok", "test"],
          exit: 0,
          output: null,
          log: log.sha256,
          artifacts: { results: artifacts.results.sha256 },
          at: end.at,
        },
      ],
      approvals: [],
      cost: { tokens: 10, microUsd: 100, stages: 3, wallMs: expect.any(Number) },
      createdAt: created.at,
    });
  });

  it("is nothing about what a drill planted", async () => {
    const [first, ...rest] = await played(PLAN);
    const { event } = first as StoredEvent;
    const drilled = { ...event, drill: { id: "e_1", plant: "skipped_test-1" } } as StoredEvent["event"];
    expect(certifiable(PLAN, [{ ...(first as StoredEvent), event: drilled }, ...rest])).toBeNull();
  });

  it("is nothing while no gate has passed the tree that the run holds", async () => {
    const events = await played(PLAN);
    const gate = events.findIndex(({ event }) => event.type === "stage.finished" && event.stage === "check");
    expect(certifiable(PLAN, events.slice(0, gate))).toBeNull();
    expect(certifiable(PLAN, events.slice(0, gate + 1))).not.toBeNull();
    const failed = await played(PLAN, { stages: { check: [{ cause: "exit", exit: 1 }] } });
    expect(certifiable(PLAN, failed)).toBeNull();
    expect(certifiable(PLAN, [])).toBeNull();
    expect(certifiable(PLAN, events.slice(1))).toBeNull();
  });

  it("is nothing without a tree", async () => {
    const plan = planFrom("stages:\n  - { id: send, action: test.work }\n");
    expect(certifiable(plan, await played(plan))).toBeNull();
  });

  it("names the answers of people, and what a gate said before a person settled it", async () => {
    const plan = planFrom(`
stages:
  - { id: check, gate: { command: [ask], escalate: [7] }, on: { escalate: human } }
  - { id: human, gate: { approval: { expires: 1h } } }
`);
    const host = createTestHost(plan, { stages: { check: [{ cause: "exit", exit: 7 }] } });
    await host.start();
    await answerOpen(host);
    await answerOpen(host);
    const said = certifiable(plan, await host.store.journal.read(host.run, 0, 1000));
    expect(said?.gates.map(({ stage, by, verdict, argv, log }) => [stage, by, verdict, argv, log === null])).toEqual([
      ["check", "exit", "escalate", ["ask"], false],
      ["human", "person", "pass", null, true],
    ]);
    expect(said?.approvals.map(({ stage, answer, by }) => [stage, answer, by])).toEqual([
      ["check", "approve", "ann"],
      ["human", "approve", "ann"],
    ]);
  });

  it("tells who let the run go above its earned level", async () => {
    const [first, ...rest] = await played(PLAN);
    const { event } = first as StoredEvent;
    const unearned = { by: "ann", why: "a first try", missing: ["a drill"] };
    const created = { ...(first as StoredEvent), event: { ...event, unearned } as EventOf<"run.created"> };
    expect(certifiable(PLAN, [created, ...rest])?.unearned).toEqual({ by: "ann", why: "a first try" });
  });
});

describe("the moment of a certificate", () => {
  it("is the first time that a visit of the stage began, whichever attempt names it", async () => {
    const plan = planFrom("stages:\n  - { id: send, action: test.work, max_attempts: 2 }\n");
    let calls = 0;
    const action = async () => {
      calls += 1;
      return calls > 1 ? ({ ok: true } as const) : ({ ok: false, error: "not yet" } as const);
    };
    const events = await played(plan, { action });
    const moment = momentOf(events, finished(events, "send"));
    expect(moment).toEqual({ stage: "send", visit: 1 });
    const until = eventsUntil(events, moment) as number;
    expect(events[until - 1]?.event).toMatchObject({ type: "stage.started", stage: "send", attempt: 1 });
    expect(eventsUntil(events, { stage: "send", visit: 2 })).toBeNull();
  });

  it("is just before the end where the run names it", async () => {
    const events = await played(PLAN);
    expect(momentOf(events, events.at(-1)?.event as EventOf<"run.finished">)).toBe("end");
    expect(eventsUntil(events, "end")).toBe(events.length - 1);
    expect(eventsUntil(events.slice(0, 3), "end")).toBe(3);
  });
});
