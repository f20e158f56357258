/** Whatever changes between the question and the answer, or between the answer and what it allows: nothing is applied. */
import { describe, expect, it } from "vitest";
import { seal } from "../../src/plan/fingerprint.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { RunEvent, StoredEvent } from "../../src/run/events.ts";
import { GATE_PLAN, type Life, POLICY_PLAN, sqlite, tamperedHost, waitingLife } from "../support/approval-life.ts";
import { eventsOf } from "../support/engine-fixture.ts";
import { planFrom } from "../support/plan-from-yaml.ts";

const TIMES = process.env["PAWL_FULL"] === "1" ? 25 : 2;
const HOUR = 3_600_000;
const code = (name: string) => expect.objectContaining({ code: name });

/** The plan of the run, as somebody has left it in the store. */
function forged(change: Partial<Plan>, plan: Plan = GATE_PLAN): Plan {
  const { fingerprint, ...body } = plan;
  return { ...seal({ ...body, ...change }), fingerprint };
}

const withPlan = (plan: Plan) => () => ({ plan: async () => plan });
const withEvents =
  (change: (event: RunEvent) => RunEvent) =>
  ({ journal }: Store): Partial<Store["journal"]> => ({
    read: async (...call) =>
      (await journal.read(...call)).map((stored): StoredEvent => ({ ...stored, event: change(stored.event) })),
  });
/** What the run has made, as somebody has left it in the journal. */
const withTree = (tree: string) =>
  withEvents((event) => (event.type === "stage.finished" && event.stage === "work" ? { ...event, tree } : event));
const asked = (change: object) =>
  withEvents((event) => (event.type === "approval.requested" ? { ...event, ...change } : event));

/** Stages with another command, another question, another limit. */
const [work, ask, apply] = GATE_PLAN.stages;
const stagesWith = (change: object, at: number): Plan["stages"] =>
  [work, ask, apply].map((stage, index) => ({ ...stage, ...(index === at ? change : {}) }) as Plan["stages"][number]);

type Mutation = (life: Life) => Promise<unknown>;
const refuses =
  (name: string, act: (life: Life) => Promise<unknown>): Mutation =>
  async (life) => {
    await expect(act(life)).rejects.toEqual(code(name));
  };
const answeredThrough =
  (change: Parameters<typeof tamperedHost>[1], answer = "approve"): Mutation =>
  async (life) =>
    life.answer(answer, undefined, await tamperedHost(life, change));
/** Answered for good, then changed before the run goes on: it asks again. */
const appliedThrough =
  (change: Parameters<typeof tamperedHost>[1]): Mutation =>
  async (life) => {
    await life.answer("approve");
    await life.resume(await tamperedHost(life, change));
    expect((await life.host.store.runs.get(life.run))?.status).toBe("waiting");
  };

const GATE: Readonly<Record<string, Mutation>> = {
  "the plan has another command": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(withPlan(forged({ stages: stagesWith({ program: { argv: { lit: ["ok", "evil"] } } }, 2) }))),
  ),
  "the plan has another question": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(withPlan(forged({ stages: stagesWith({ question: "Nothing to see?" }, 1) }))),
  ),
  "the plan gives the question more time": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(withPlan(forged({ stages: stagesWith({ expiresMs: 9e9 }, 1) }))),
  ),
  "the plan leads elsewhere": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(withPlan(forged({ stages: stagesWith({ routes: { pass: { to: "work", back: true } } }, 1) }))),
  ),
  "the plan has another level": refuses("RUN_APPROVAL_CHANGED", answeredThrough(withPlan(forged({ level: "L3" })))),
  "the plan has another parameter": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(withPlan(forged({ params: { target: "production" } }))),
  ),
  "the policy has lost a rule": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(withPlan(forged({ rules: GATE_PLAN.rules.slice(1) }))),
  ),
  "the policy allows everything": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(withPlan(forged({ rules: [{ id: "x", effect: "allow", pattern: { action: "*" } }] }))),
  ),
  "the policy alone was swapped in memory": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(withPlan({ ...GATE_PLAN, rules: [] })),
  ),
  "the digest of the question was tampered with": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(asked({ digest: "0".repeat(64) })),
  ),
  "the run holds another tree than was asked about": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(withTree("1".repeat(40))),
  ),
  "the journal says that it is another run": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(
      withEvents((event) => (event.type === "run.created" ? { ...event, run: "r_000000000000" } : event)),
    ),
  ),
  "the plan was changed after the answer": appliedThrough(
    withPlan(forged({ stages: stagesWith({ program: { argv: { lit: ["ok", "evil"] } } }, 2) })),
  ),
  "the policy was changed after the answer": appliedThrough(withPlan(forged({ rules: GATE_PLAN.rules.slice(1) }))),
  "the tree was changed after the answer": appliedThrough(withTree("1".repeat(40))),
  "the digest of the answer was tampered with": appliedThrough(
    withEvents((event) => (event.type === "approval.answered" ? { ...event, digest: "0".repeat(64) } : event)),
  ),
  "the person saw something else": refuses("RUN_APPROVAL_CHANGED", async ({ host, run, question }) =>
    host.engine.answer(run, { id: (await question()).id, digest: "0".repeat(64), by: "ann", answer: "approve" }),
  ),
  "the id is that of another run": refuses("RUN_APPROVAL_OTHER_RUN", async (life) => {
    const [other] = (await eventsOf(life.host.store, await life.another())).flatMap((event) =>
      event.type === "approval.requested" ? [event.id] : [],
    );
    return life.answer("approve", other);
  }),
  "the id is only the beginning of one": refuses("RUN_APPROVAL_NOT_FOUND", async (life) =>
    life.answer("approve", (await life.question()).id.slice(0, -1)),
  ),
  "the id is that of nothing": refuses("RUN_APPROVAL_OTHER_RUN", (life) => life.answer("approve", "nothing")),
  "the id is empty": refuses("RUN_APPROVAL_NOT_FOUND", (life) => life.answer("approve", "")),
  "the answer is for the whole run": refuses("RUN_ANSWER_UNKNOWN", (life) => life.answer("approve_run")),
  "the answer is none": refuses("RUN_ANSWER_UNKNOWN", (life) => life.answer("approve ")),
  "the answer is that to a lost attempt": refuses("RUN_ANSWER_UNKNOWN", (life) => life.answer("done")),
  "it was denied before": refuses("RUN_APPROVAL_USED", async (life) => {
    await life.answer("deny");
    return life.answer("approve");
  }),
  "it was denied, and a round later it is the old one": refuses("RUN_APPROVAL_USED", async (life) => {
    const { id } = await life.question();
    await life.answer("deny");
    await life.resume();
    expect(await life.question()).toMatchObject({ status: "pending", visit: 2 });
    return life.answer("approve", id);
  }),
  "it has expired": refuses("RUN_APPROVAL_EXPIRED", (life) => {
    life.fixture.skip(HOUR);
    return life.answer("approve");
  }),
  "it has expired, and is answered again": refuses("RUN_APPROVAL_EXPIRED", async (life) => {
    life.fixture.skip(HOUR);
    await expect(life.answer("approve")).rejects.toEqual(code("RUN_APPROVAL_EXPIRED"));
    return life.answer("approve");
  }),
  "it has expired, and the clock is put back": refuses("RUN_APPROVAL_EXPIRED", async (life) => {
    life.fixture.skip(HOUR);
    await life.host.engine.tend(life.run);
    life.fixture.skip(-10 * HOUR);
    return life.answer("approve");
  }),
  "it has expired, and its run went on": refuses("RUN_APPROVAL_EXPIRED", async (life) => {
    const { id } = await life.question();
    life.fixture.skip(2 * HOUR);
    await life.resume();
    return life.answer("approve", id);
  }),
  "it has expired, and is answered by whoever resumes": refuses("RUN_APPROVAL_EXPIRED", async (life) => {
    life.fixture.skip(HOUR);
    return life.host.engine.resume(life.run, { by: "ann", answer: "approve" });
  }),
  "its run was cancelled": refuses("RUN_APPROVAL_CANCELLED", async (life) => {
    await life.host.engine.cancel(life.run, "bob");
    return life.answer("approve");
  }),
  "its host was lost and another has denied it": refuses("RUN_APPROVAL_USED", async (life) => {
    await life.host.lose();
    const next = await life.fixture.host();
    const [question] = (await eventsOf(next.store, life.run)).flatMap((event) =>
      event.type === "approval.requested" ? [event.id] : [],
    );
    await life.answer("deny", question, next);
    return life.answer("approve", question, next);
  }),
  "nobody answers and the run is resumed": refuses("RUN_ANSWER_NEEDED", (life) =>
    life.host.engine.resume(life.run, { by: "ann" }),
  ),
};

const POLICY: Readonly<Record<string, Mutation>> = {
  "the command is another": refuses(
    "RUN_APPROVAL_CHANGED",
    answeredThrough(
      withPlan(
        forged(
          {
            stages: POLICY_PLAN.stages.map((stage) => ({
              ...stage,
              program: { argv: { lit: ["ask", "evil"] } },
            })) as Plan["stages"],
          },
          POLICY_PLAN,
        ),
      ),
    ),
  ),
  "the command is another after the answer": appliedThrough(
    withPlan(
      forged(
        { stages: POLICY_PLAN.stages.map((stage) => ({ ...stage, env: [["A", { lit: "b" }]] })) as Plan["stages"] },
        POLICY_PLAN,
      ),
    ),
  ),
  "the wall has a hole after the answer for the whole run": async (life) => {
    await life.answer("approve_run");
    const stages = POLICY_PLAN.stages.map((stage) => ({
      ...stage,
      wall: { sandbox: "danger_full_access", network: [], resources: {} },
    }));
    await life.resume(
      await tamperedHost(life, withPlan(forged({ stages: stages as unknown as Plan["stages"] }, POLICY_PLAN))),
    );
    expect((await life.host.store.runs.get(life.run))?.status).toBe("waiting");
  },
  "it was allowed for the whole of another run": async (life) => {
    const other = await life.another();
    const [id] = (await eventsOf(life.host.store, other)).flatMap((event) =>
      event.type === "approval.requested" ? [event.id] : [],
    );
    await life.host.engine.answer(other, { id: id ?? "", by: "ann", answer: "approve_run" });
    await expect(life.resume()).rejects.toEqual(code("RUN_ANSWER_NEEDED"));
  },
  "a day has passed": refuses("RUN_APPROVAL_EXPIRED", (life) => {
    life.fixture.skip(24 * HOUR);
    return life.answer("approve_run");
  }),
};

describe("an approval after a mutation", () => {
  it.each(Object.keys(GATE))("of a gate is not applied when %s", async (name) => {
    for (let time = 0; time < TIMES; time += 1) {
      const life = await waitingLife(GATE_PLAN);
      await GATE[name]?.(life);
      expect(life.applied()).toBe(0);
    }
  });

  it.each(Object.keys(POLICY))("of a request is not applied when %s", async (name) => {
    for (let time = 0; time < TIMES; time += 1) {
      const life = await waitingLife(POLICY_PLAN);
      await POLICY[name]?.(life);
      expect(life.applied()).toBe(0);
    }
  });
});

describe("an approval that is given", () => {
  it("twice at once applies exactly once", async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const life = await waitingLife(GATE_PLAN);
      const both = await Promise.allSettled([life.answer("approve"), life.answer("approve")]);
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(both.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "RUN_APPROVAL_USED" } });
      await life.resume();
      expect(life.applied()).toBe(1);
    }
  });

  it("by two hosts at once applies once, and the other is told", async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const life = await waitingLife(GATE_PLAN, sqlite);
      const rival = await life.fixture.host();
      const both = await Promise.allSettled([life.answer("approve"), life.answer("deny", undefined, rival)]);
      expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const lost = both.find(({ status }) => status === "rejected");
      expect(lost).toMatchObject({ reason: { code: expect.stringMatching(/^RUN_(?:APPROVAL_USED|HELD)$/) } });
      const answers = (await eventsOf(life.host.store, life.run)).filter(({ type }) => type === "approval.answered");
      expect(answers).toHaveLength(1);
    }
  });

  it("survives the loss of its host and a restart, and applies once", async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const life = await waitingLife(GATE_PLAN, sqlite);
      const { id } = await life.question();
      await life.answer("approve", id);
      await life.host.lose();
      const next = await life.fixture.host();
      await life.resume(next);
      expect(life.applied()).toBe(1);
      await expect(life.answer("approve", id, next)).rejects.toEqual(code("RUN_APPROVAL_USED"));
      expect(life.applied()).toBe(1);
    }
  });

  it("is good for one attempt: the next one asks, and the old answer is used up", async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const life = await waitingLife(POLICY_PLAN, undefined, { stages: { apply: [{ cause: "exit", exit: 1 }, {}] } });
      const { id } = await life.question();
      await life.answer("approve", id);
      await life.resume();
      expect([life.applied(), (await life.question()).status]).toEqual([1, "pending"]);
      await expect(life.answer("approve", id)).rejects.toEqual(code("RUN_APPROVAL_USED"));
      expect(life.applied()).toBe(1);
    }
  });

  it("for a whole run is not for a fork of it", async () => {
    const plan = planFrom("stages:\n  - { id: first, command: [ask, it] }\n  - { id: apply, command: [ask, it] }\n");
    const life = await waitingLife(plan);
    await life.answer("approve_run");
    await life.resume();
    expect(life.applied()).toBe(1);
    const [created, ...events] = await eventsOf(life.host.store, life.run);
    const begin = events.findIndex((event) => event.type === "stage.started" && event.stage === "apply");
    if (created?.type !== "run.created") throw new Error("no run");
    const hosted = await life.host.engine.start({
      ...{ run: "r_0000000000zy" as typeof life.run, plan, params: {}, tree: created.tree ?? null },
      fork: { run: life.run, stage: "apply", origin: life.run, at: created.at, history: events.slice(0, begin) },
    });
    expect(await hosted.ended).toMatchObject({ status: "waiting" });
    expect(life.applied()).toBe(1);
  });

  it("is not that of a fork, whose questions have a name of their own", async () => {
    const plan = planFrom("stages:\n  - { id: ask, gate: { approval: {} } }\n  - { id: apply, command: [ok] }\n");
    const life = await waitingLife(plan);
    const events = await eventsOf(life.host.store, life.run);
    const [created, ...history] = events;
    if (created?.type !== "run.created") throw new Error("no run");
    const fork = { run: life.run, stage: "ask", origin: life.run, at: created.at, history: history.slice(0, 1) };
    const hosted = await life.host.engine.start({
      run: "r_0000000000zz" as typeof life.run,
      plan,
      params: {},
      tree: created.tree ?? null,
      fork,
    });
    await hosted.ended;
    const [own] = (await eventsOf(life.host.store, hosted.run)).flatMap((event) =>
      event.type === "approval.requested" ? [event] : [],
    );
    const { id, digest } = await life.question();
    expect([own?.id === id, own?.digest === digest]).toEqual([false, false]);
    await expect(life.host.engine.answer(hosted.run, { id, by: "ann", answer: "approve" })).rejects.toEqual(
      code("RUN_APPROVAL_OTHER_RUN"),
    );
    expect(life.applied()).toBe(0);
  });
});
