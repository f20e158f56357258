/** Questions and answers of one run, on the real kernel with a scripted world. */
import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script, type TestHost } from "../../../test/support/run-plan.ts";
import { replay, restore } from "../../kernel/replay.ts";
import { seal } from "../../plan/fingerprint.ts";
import type { Plan } from "../../plan/plan.ts";
import type { EventOf, Fact } from "../events.ts";
import { beginState, evolve } from "../evolve.ts";
import type { RunState } from "../state.ts";
import { type Answer, answerFacts, neededAnswer, resumeFacts, tendFacts } from "./answer.ts";
import { approvalsOf } from "./approvals.ts";
import { dueFacts } from "./due.ts";
import { runOfId } from "./question.ts";

const GATE = `
stages:
  - { id: work, command: [ok], max_visits: 3 }
  - { id: ask, gate: { approval: { question: "Fine?", expires: 1h, remind: 10m } }, max_visits: 3, on: { fail: work } }
  - { id: last, command: [ok] }
`;
const PLAIN = "stages:\n  - { id: ask, gate: { approval: {} } }\n  - { id: last, command: [ok] }\n";
const POLICY = "stages:\n  - { id: a, command: [ask, it], max_attempts: 2 }\n  - { id: b, command: [ask, it] }\n";
const HOUR = 3_600_000;
const code = (name: string) => expect.objectContaining({ code: name });

interface Asking {
  readonly host: TestHost;
  readonly plan: Plan;
  asked(): Promise<EventOf<"approval.requested">>;
  state(): Promise<RunState>;
  answer(answer: string, more?: Partial<Answer>): Promise<readonly Fact[]>;
  pass(ms: number): void;
}

async function asking(yaml: string, script: Script = {}): Promise<Asking> {
  const plan = planFrom(yaml);
  const host = createTestHost(plan, script);
  await host.start();
  const asked = async () =>
    (await host.events()).findLast(
      (event): event is EventOf<"approval.requested"> => event.type === "approval.requested",
    ) ?? Promise.reject(new Error("nothing was asked"));
  const state = async () => restore(host.run, plan, await host.events()).state;
  return {
    host,
    plan,
    asked,
    state,
    answer: async (answer, more = {}) =>
      answerFacts(plan, await state(), { id: (await asked()).id, by: "ann", answer, ...more }, host.clock.now()).facts,
    pass(ms) {
      host.clock.after(ms, () => {});
      host.clock.advance();
    },
  };
}

const wait = (): Fact => ({ type: "run.resumed", after: "wait" });

async function statusesOf({ host }: Asking): Promise<readonly string[]> {
  return approvalsOf(await host.events()).map(({ status }) => status);
}

describe("a gate that a person judges", () => {
  it("asks without running anything, and says what it is about", async () => {
    const life = await asking(GATE);
    const asked = await life.asked();
    expect(await life.state()).toMatchObject({ status: "waiting", reason: "awaiting_approval" });
    expect(life.host.executed.map(({ stage }) => stage)).toEqual(["work"]);
    expect(asked).toMatchObject({
      kind: "gate",
      stage: "ask",
      visit: 1,
      why: "Fine?",
      answers: ["approve", "deny"],
      expiresAt: asked.at + HOUR,
      remindAt: asked.at + HOUR / 6,
      commit: (await life.state()).facts.tree,
      request: { kind: "approval", question: "Fine?", inputs: {} },
    });
    expect(asked.id).toBe(`${life.host.run.slice(2)}-${asked.digest.slice(0, 16)}`);
    expect(runOfId(asked.id)).toBe(life.host.run);
  });

  it("passes with an answer that names exactly what was asked", async () => {
    const life = await asking(GATE);
    expect(await life.host.resume([...(await life.answer("approve")), wait()])).toMatchObject({
      state: { status: "succeeded", reason: "reported" },
    });
    expect(await life.host.types()).toContain("stage.finished");
    expect(await statusesOf(life)).toEqual(["approved"]);
    expect(replay(life.plan, await life.host.events(), life.host.ports)).toBeNull();
  });

  it("asks again when the answer is about anything else", async () => {
    const life = await asking(GATE);
    const [fact] = await life.answer("approve");
    await life.host.resume([{ ...(fact as EventOf<"approval.answered">), digest: "another" }, wait()]);
    expect(await life.state()).toMatchObject({ status: "waiting" });
    expect(await life.host.types()).not.toContain("last");
    expect((await life.host.events()).filter(({ type }) => type === "approval.requested")).toHaveLength(2);
  });

  it("fails when it is denied, and its route is taken; another visit is another question", async () => {
    const life = await asking(GATE);
    const first = await life.asked();
    const facts = await life.answer("deny", { why: "too big" });
    expect(facts).toEqual([expect.objectContaining({ answer: "deny", why: "too big", id: first.id })]);
    await life.host.resume([...facts, wait()]);
    const second = await life.asked();
    expect([second.visit, second.id === first.id]).toEqual([2, false]);
    expect(await statusesOf(life)).toEqual(["denied", "pending"]);
    const again = answerFacts.bind(null, life.plan, await life.state(), { id: first.id, by: "eve", answer: "approve" });
    expect(() => again(life.host.clock.now())).toThrow(code("RUN_APPROVAL_NOT_FOUND"));
  });

  it("ends the run as denied when nothing catches that, without any effect", async () => {
    const life = await asking(PLAIN);
    const facts = await life.answer("deny");
    expect(facts.at(-1)).toEqual(wait());
    expect(await life.host.resume(facts)).toMatchObject({
      state: { status: "rejected", reason: "approval_denied", detail: "ask: denied by ann" },
    });
    expect(life.host.executed).toEqual([]);
  });

  it("expires when nobody answers in time, which is not a denial", async () => {
    const life = await asking(PLAIN);
    life.pass(24 * HOUR);
    const now = life.host.clock.now();
    const late = answerFacts(life.plan, await life.state(), { by: "ann", answer: "approve" }, now);
    expect(late.refusal).toEqual(code("RUN_APPROVAL_EXPIRED"));
    expect(late.facts.map(({ type }) => type)).toEqual(["approval.expired", "run.resumed"]);
    expect(tendFacts(life.plan, await life.state(), now)).toEqual(late.facts);
    expect(await life.host.resume(late.facts)).toMatchObject({
      state: { status: "rejected", reason: "approval_expired", detail: "ask: nobody answered in time" },
    });
    expect(await statusesOf(life)).toEqual(["expired"]);
    expect(replay(life.plan, await life.host.events(), life.host.ports)).toBeNull();
  });

  it("reminds once, and goes on by its route when it has expired", async () => {
    const life = await asking(GATE);
    expect(tendFacts(life.plan, await life.state(), life.host.clock.now())).toEqual([]);
    life.pass(HOUR / 6);
    const reminder = tendFacts(life.plan, await life.state(), life.host.clock.now());
    expect(reminder.map(({ type }) => type)).toEqual(["approval.reminded"]);
    // Whoever resumes it now is told that it needs an answer: a reminder is nothing to go on with.
    expect(neededAnswer(life.plan, await life.state(), life.host.clock.now())).toMatchObject({ path: "ask" });
    await life.host.resume(reminder);
    expect(tendFacts(life.plan, await life.state(), life.host.clock.now())).toEqual([]);
    expect(approvalsOf(await life.host.events())[0]).toMatchObject({
      status: "pending",
      remindedAt: expect.any(Number),
    });
    life.pass(HOUR);
    expect(neededAnswer(life.plan, await life.state(), life.host.clock.now())).toBeNull();
    expect(tendFacts(life.plan, await life.state(), life.host.clock.now())).toHaveLength(1);
    const { facts } = resumeFacts(life.plan, await life.state(), { by: "ann" }, life.host.clock.now());
    expect(facts.map(({ type }) => type)).toEqual(["approval.expired", "run.resumed"]);
    await life.host.resume(facts);
    expect((await life.asked()).visit).toBe(2);
  });

  it("counts its visits as starts, so that refusals cannot go round for ever", async () => {
    const life = await asking(
      "limits: { stages: 2 }\nstages:\n  - { id: ask, gate: { approval: {} }, max_visits: 9, on: { fail: ask } }\n",
    );
    for (let round = 0; round < 2; round += 1) await life.host.resume([...(await life.answer("deny")), wait()]);
    expect(await life.state()).toMatchObject({ status: "blocked", reason: "max_stages" });
  });

  it("tells its verdict although no further start is left", async () => {
    const life = await asking("limits: { stages: 1 }\nstages:\n  - { id: ask, gate: { approval: {} } }\n");
    expect(await life.host.resume([...(await life.answer("approve")), wait()])).toMatchObject({
      state: { status: "succeeded" },
    });
  });

  it("proves nothing above L1, and a denial that leads to done is no success", async () => {
    const plan = planFrom(PLAIN, { level: "L2" });
    const host = createTestHost(plan);
    await host.start();
    const state = restore(host.run, plan, await host.events()).state;
    const { facts } = resumeFacts(plan, state, { by: "ann", answer: "approve" }, host.clock.now());
    const named = { id: approvalsOf(await host.events())[0]?.id as string, answer: "approve" };
    expect(resumeFacts(plan, state, { by: "ann", answer: named }, host.clock.now()).facts).toEqual(facts);
    expect(await host.resume(facts)).toMatchObject({ state: { status: "failed", reason: "unverified" } });
    const done = await asking("stages:\n  - { id: ask, gate: { approval: {} }, on: { fail: done } }\n");
    expect(await done.host.resume([...(await done.answer("deny")), wait()])).toMatchObject({
      state: { status: "failed", reason: "unverified" },
    });
  });

  it("is bound to the artifacts it is given, and cannot begin without them", async () => {
    const given = await asking(`
stages:
  - { id: work, command: [ok] }
  - { id: ask, inputs: [work.log], gate: { approval: {} } }
`);
    expect((await given.asked()).request).toMatchObject({ inputs: { "work.log": { bytes: 0 } } });
    const plan = planFrom(`
stages:
  - { id: skip, command: [ok], on_success: ask, on_failure: work }
  - { id: work, command: [ok] }
  - { id: ask, inputs: [work.log], gate: { approval: {} } }
`);
    const host = createTestHost(plan);
    await host.start();
    expect(await host.types()).toContain("stage.refused");
  });
});

describe("an answer", () => {
  it("is refused where nothing is open, is not one, or is about something else", async () => {
    const life = await asking(GATE);
    const state = await life.state();
    const now = life.host.clock.now();
    const { id } = await life.asked();
    const answering = (answer: Answer) => () => answerFacts(life.plan, state, answer, now);
    expect(answering({ id: "another", by: "ann", answer: "approve" })).toThrow(code("RUN_APPROVAL_NOT_FOUND"));
    expect(answering({ id, by: "ann", answer: "approve_run" })).toThrow(code("RUN_ANSWER_UNKNOWN"));
    expect(answering({ id, by: "ann", answer: "approve", digest: "0" })).toThrow(code("RUN_APPROVAL_CHANGED"));
    expect(() => resumeFacts(life.plan, state, { by: "ann" }, now)).toThrow(code("RUN_ANSWER_NEEDED"));
    const ended = await life.host.resume([...(await life.answer("approve")), wait()]);
    if (ended.lost) throw new Error("lost");
    const over = () => answerFacts(life.plan, ended.state, { by: "ann", answer: "approve" }, now);
    expect(over).toThrow(code("RUN_ANSWER_UNKNOWN"));
    expect(resumeFacts(life.plan, ended.state, { by: "ann" }, now).facts).toEqual([]);
    expect([tendFacts(life.plan, ended.state, now), neededAnswer(life.plan, ended.state, now)]).toEqual([[], null]);
  });

  it("does not fit a plan or a policy that was changed under it", async () => {
    for (const yaml of [GATE, POLICY]) {
      const life = await asking(yaml);
      const { fingerprint: _, ...body } = life.plan;
      const forged = [
        { ...life.plan, rules: [] },
        { ...life.plan, name: "renamed" },
        { ...seal({ ...body, level: "L3" }), fingerprint: life.plan.fingerprint },
      ];
      for (const plan of forged) {
        const state = await life.state();
        const take = () => answerFacts(plan, state, { by: "ann", answer: "approve" }, life.host.clock.now());
        expect(take).toThrow(code("RUN_APPROVAL_CHANGED"));
      }
    }
  });

  it("does not fit an effect that has no value any more", async () => {
    const life = await asking(
      'stages:\n  - { id: a, command: [ok], capture: text }\n  - { id: b, command: [ask, "${stages.a.output}"] }\n',
      {
        stages: { a: [{ output: "x" }] },
      },
    );
    const state = await life.state();
    state.facts.results.clear();
    const take = () => answerFacts(life.plan, state, { by: "ann", answer: "approve" }, life.host.clock.now());
    expect(take).toThrow(code("RUN_APPROVAL_CHANGED"));
  });

  it("about a lost attempt has no end of its time", async () => {
    const plan = planFrom("stages:\n  - { id: a, command: [ok], effect: once }\n");
    const host = createTestHost(plan, { stages: { a: ["hang"] } });
    const first = host.start();
    await host.busy();
    host.inbox.fail("killed");
    await expect(first).rejects.toBe("killed");
    const next = createTestHost(plan, { store: host.store });
    await next.resume();
    const { state } = restore(next.run, plan, await next.events());
    expect(dueFacts(state, next.clock.now() + 1000 * HOUR)).toEqual([]);
    const { facts } = resumeFacts(plan, state, { by: "ann", answer: "done" }, next.clock.now());
    expect(await next.resume(facts)).toMatchObject({ state: { status: "succeeded" } });
    expect(approvalsOf(await next.events())).toMatchObject([
      { kind: "interrupted", expiresAt: null, status: "approved" },
    ]);
  });
});

describe("an answer that is told twice", () => {
  it("allows nothing for the whole run the second time", async () => {
    const life = await asking(POLICY);
    const fact = (await life.answer("approve_run"))[0] as Fact;
    const state = await life.state();
    const again = evolve(life.plan, evolve(life.plan, state, { ...fact, at: 1 }), { ...fact, at: 2 });
    expect(again.facts.allowed.size).toBe(1);
    expect(await statusesOf(life)).toEqual(["pending"]);
  });

  it("about a lost action takes it as done, with nothing left behind", async () => {
    const plan = planFrom("stages:\n  - { id: a, action: test.work, effect: once }\n");
    const host = createTestHost(plan, { action: () => new Promise(() => {}) });
    const first = host.start();
    while ((await host.types()).length < 3) await new Promise((resolve) => setImmediate(resolve));
    host.inbox.fail("killed");
    await expect(first).rejects.toBe("killed");
    const next = createTestHost(plan, { store: host.store });
    await next.resume();
    const { state } = restore(next.run, plan, await next.events());
    const { facts } = resumeFacts(plan, state, { by: "ann", answer: "done" }, next.clock.now());
    expect(await next.resume(facts)).toMatchObject({ state: { status: "succeeded" } });
  });

  it("is not needed by a run that rests for another reason", async () => {
    const plan = planFrom("stages:\n  - { id: a, command: [ok], on_success: paused }\n  - { id: b, command: [ok] }\n");
    const host = createTestHost(plan);
    await host.start();
    const { state } = restore(host.run, plan, await host.events());
    expect(resumeFacts(plan, state, { by: "ann" }, host.clock.now()).facts).toEqual([
      { type: "run.resumed", after: "pause" },
    ]);
  });
});

describe("a fork", () => {
  it("asks in its own name from where it goes on", async () => {
    const life = await asking(GATE);
    const [created, ...history] = await life.host.events();
    if (created?.type !== "run.created") throw new Error("no run");
    let state: RunState = beginState({ ...created, forked: { run: created.run, stage: "ask", origin: created.run } });
    for (const event of history.slice(0, -2)) state = evolve(life.plan, state, event);
    const before = state.facts.origin;
    state = evolve(life.plan, state, { type: "run.resumed", after: "interruption", fork: "r_fork", at: created.at });
    expect([before, state.facts.origin]).toEqual([created.run, "r_fork"]);
  });
});

describe("a question of policy", () => {
  it("is asked for each attempt, and once allowed for the run not again", async () => {
    const life = await asking(POLICY, { stages: { a: [{ cause: "exit", exit: 1 }, {}] } });
    const first = await life.asked();
    await life.host.resume([...(await life.answer("approve")), wait()]);
    const second = await life.asked();
    expect([second.stage, second.id === first.id, second.scope === first.scope]).toEqual(["a", false, true]);
    expect(await life.host.resume([...(await life.answer("approve_run")), wait()])).toMatchObject({
      state: { status: "succeeded" },
    });
    expect(life.host.executed.map(({ stage, attempt }) => `${stage} ${attempt}`)).toEqual(["a 1", "a 2", "b 1"]);
    expect(await statusesOf(life)).toEqual(["approved", "approved"]);
    expect(replay(life.plan, await life.host.events(), life.host.ports)).toBeNull();
  });

  it("ends the run when it is denied or expires", async () => {
    const denied = await asking(POLICY);
    expect(await denied.host.resume(await denied.answer("deny", { why: "no" }))).toMatchObject({
      state: { reason: "approval_denied", detail: "a: denied by ann: no" },
    });
    const late = await asking(POLICY);
    late.pass(24 * HOUR);
    const { facts } = resumeFacts(
      late.plan,
      await late.state(),
      { by: "ann", answer: "approve" },
      late.host.clock.now(),
    );
    expect(await late.host.resume(facts)).toMatchObject({ state: { reason: "approval_expired" } });
  });

  it("that expired and is stopping waits for nobody", async () => {
    const life = await asking(POLICY);
    life.pass(24 * HOUR);
    await life.host.resume(dueFacts(await life.state(), life.host.clock.now()));
    const state = await life.state();
    expect([state.status, neededAnswer(life.plan, state, life.host.clock.now())]).toEqual(["waiting", null]);
    expect(resumeFacts(life.plan, state, { by: "ann" }, life.host.clock.now()).facts).toEqual([wait()]);
  });
});

describe("questions of a group", () => {
  const BOTH = `
stages:
  - id: p
    group: { parallel: [ { id: x, gate: { approval: { expires: 1h } } }, { id: y, gate: { approval: { expires: 2h } } } ], max_parallel: 2 }
`;
  it("are answered one by one, each by its id", async () => {
    const life = await asking(BOTH);
    const [x, y] = approvalsOf(await life.host.events());
    expect([x?.stage, y?.stage]).toEqual(["p.x", "p.y"]);
    await life.host.resume([...(await life.answer("approve", { id: y?.id })), wait()]);
    expect(await statusesOf(life)).toEqual(["pending", "approved"]);
    expect(neededAnswer(life.plan, await life.state(), life.host.clock.now())).toMatchObject({ path: "p.x" });
    expect(await life.host.resume([...(await life.answer("deny", { id: x?.id })), wait()])).toMatchObject({
      state: { status: "rejected", reason: "approval_denied" },
    });
  });

  it("of a fan-out become pointless too", async () => {
    const life = await asking(
      `
stages:
  - id: p
    group: { for_each: [1, 2], max_parallel: 2, stage: { command: [ask, "\${item}"] } }
`,
    );
    const events = await life.host.events();
    const closed = { type: "group.closed", at: 9, stage: "p", outcome: "failure" } as const;
    expect(approvalsOf([...events, closed]).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    const [first] = approvalsOf(events);
    const denied = await life.answer("deny", { id: first?.id });
    expect(await life.host.resume(denied)).toMatchObject({ state: { reason: "approval_denied" } });
    expect(await statusesOf(life)).toEqual(["denied", "cancelled"]);
  });

  it("expire while their host is at work beside them, and remind", async () => {
    const plan = planFrom(`
stages:
  - id: p
    group: { parallel: [ { id: x, gate: { approval: { expires: 2s, remind: 1s } } }, { id: y, command: [ok], timeout: 10s } ], max_parallel: 2 }
`);
    const slow = createTestHost(plan, {
      ports: ({ executor, clock }) => ({
        executor: {
          ...executor,
          execute: async (...call) => {
            await new Promise<void>((resolve) => clock.after(5000, resolve));
            return executor.execute(...call);
          },
        },
      }),
    });
    await slow.start();
    const types = await slow.types();
    expect(types.indexOf("approval.reminded")).toBeLessThan(types.indexOf("approval.expired"));
    expect(types.indexOf("approval.expired")).toBeLessThan(types.lastIndexOf("stage.finished"));
    expect(replay(plan, await slow.events(), slow.ports)).toBeNull();
  });

  it("become pointless when the group closes without them", async () => {
    const life = await asking(
      `
stages:
  - id: p
    group: { parallel: [ { id: x, gate: { approval: {} } }, { id: y, command: [ok] } ], max_parallel: 2, fail_fast: true }
    on_failure: after
  - { id: after, gate: { approval: {} } }
`,
      { stages: { "p.y": [{ cause: "exit", exit: 1 }] } },
    );
    expect(await statusesOf(life)).toEqual(["cancelled", "pending"]);
  });

  it("are asked again when a gate beside them has changed what they are about", async () => {
    const plan = planFrom(`
stages:
  - { id: work, command: [ok] }
  - id: p
    group: { parallel: [ { id: x, gate: { approval: {} } }, { id: y, command: [ok] } ], max_parallel: 2 }
`);
    const host = createTestHost(plan, { stages: { "p.y": ["hang"] } });
    const running = host.start();
    while (host.executed.length < 2) await new Promise((resolve) => setImmediate(resolve));
    host.inbox.fail("stop");
    await expect(running).rejects.toBe("stop");
    const events = await host.events();
    // What such a gate does to the tree of the run.
    const [created, ...rest] = events;
    if (created?.type !== "run.created") throw new Error("no run");
    let state: RunState = beginState(created);
    for (const event of rest) state = evolve(plan, state, event);
    expect(state.status).toBe("running");
    state.facts.tree = "0".repeat(40);
    const { decide } = await import("../decide.ts");
    const next = decide(plan, state, host.clock.now());
    expect(next).toMatchObject({ kind: "record", fact: { type: "approval.requested", commit: "0".repeat(40) } });
  });
});

describe("approvalsOf", () => {
  it("knows what a run has asked and what became of it, also in part of a journal", async () => {
    const life = await asking(GATE);
    const events = await life.host.events();
    expect(approvalsOf(events.slice(1))).toEqual([]);
    const ended = [...events, { type: "run.finished", at: 9, status: "cancelled", reason: "cancelled" } as const];
    expect(approvalsOf(ended)).toMatchObject([{ status: "cancelled", closedAt: 9, answer: null, rule: null }]);
    expect(approvalsOf(events)).toMatchObject([{ base: (await life.state()).facts.base, status: "pending" }]);
  });
});
