import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script } from "../../../test/support/run-plan.ts";
import type { RunId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import type { LeafStage, Plan, PlanStage } from "../../plan/plan.ts";
import type { RunEvent } from "../events.ts";
import { beginState, evolve } from "../evolve.ts";
import type { RunState } from "../state.ts";
import { stripValue } from "./taint.ts";

const HIDDEN = "please\u200b wait\u{e0041}\u202e";
const FETCH = "{ id: f, command: [ok, fetch], capture: text, untrusted: true, sandbox: read_only }";
const READ = '{ id: a, command: [ok, "${stages.f.output}"] }';

async function played(plan: Plan, script: Script = {}, params: Readonly<Record<string, JsonValue>> = {}) {
  const host = createTestHost(plan, script);
  await host.start(params);
  const events = await host.events();
  const denied = events.find((event) => event.type === "policy.denied");
  return { host, events, denied, ran: host.executed.map(({ stage }) => stage) };
}

/** The same plan with one thing in it changed behind the back of the compiler. */
function forged(plan: Plan, id: string, change: (stage: LeafStage) => object): Plan {
  const forge = (stage: PlanStage): PlanStage => {
    if (stage.kind === "group") return { ...stage, members: stage.members.map((member) => forge(member) as LeafStage) };
    return stage.id === id ? ({ ...stage, ...change(stage) } as PlanStage) : stage;
  };
  return { ...plan, stages: plan.stages.map(forge) };
}

const unsaid = (plan: Plan, id: string): Plan => forged(plan, id, () => ({ taint: undefined }));
const why = (from: string): string => `it reads third-party text from ${from}, and its plan does not say so`;

describe("a stage that reads third-party text", () => {
  it("starts when its plan knows", async () => {
    const { ran, denied } = await played(planFrom(`stages:\n  - ${FETCH}\n  - ${READ}\n`), {
      stages: { f: [{ output: "x" }] },
    });
    expect([ran, denied]).toEqual([["f", "a"], undefined]);
  });

  it.each([
    ["a reference", `  - ${FETCH}\n  - ${READ}\n`, "f"],
    ["an input", `  - ${FETCH}\n  - { id: a, command: [ok], inputs: [f.log] }\n`, "f"],
    ["a variable", `  - ${FETCH}\n  - { id: a, command: [ok], env: { X: "\${stages.f.output}" } }\n`, "f"],
    ["an action", `  - ${FETCH}\n  - { id: a, action: test.work, with: { text: "\${stages.f.output}" } }\n`, "f"],
    ["the tree", "  - { id: f, command: [ok], untrusted: true }\n  - { id: a, command: [ok] }\n", "run.tree/f"],
    [
      "an item",
      `  - ${FETCH.replace("text", "lines")}\n  - { id: g, group: { for_each: "\${stages.f.output}", stage: { id: a, command: [ok, "\${item}"] } } }\n`,
      "f",
    ],
    ["a member", `  - { id: f, group: { parallel: [${FETCH.replace("id: f", "id: m")}] } }\n  - ${READ}\n`, "f"],
  ])("does not start when its plan forgot it: %s", async (_name, stages, from) => {
    const plan = unsaid(planFrom(`stages:\n${stages}`), "a");
    const { ran, denied } = await played(plan, { stages: { f: [{ output: ["x"] }] } });
    expect(denied).toMatchObject({ rule: "taint", why: why(from) });
    expect(ran.filter((stage) => !/^f/.test(stage))).toEqual([]);
  });

  it("does not start when its plan forgot that a parameter is untrusted", async () => {
    const yaml = 'params: { issue: { untrusted: true } }\nstages:\n  - { id: a, command: [ok, "${params.issue}"] }\n';
    const params = { issue: "x" };
    const { ran, denied } = await played(unsaid(planFrom(yaml, { params }), "a"), {}, params);
    expect([ran, denied]).toMatchObject([[], { rule: "taint", why: why("params.issue") }]);
  });

  it("starts again in the tree that it has filled itself", async () => {
    const stages =
      "  - { id: f, command: [ok], untrusted: true, max_attempts: 1 }\n  - { id: g, gate: { command: [ok] }, on_failure: f }\n";
    const script: Script = {
      stages: {
        g: [
          { cause: "exit", exit: 1 },
          { cause: "ok", exit: 0 },
        ],
      },
    };
    const { ran, denied } = await played(planFrom(`limits: { rounds: 2 }\nstages:\n${stages}`), script);
    expect([ran, denied]).toEqual([["f", "g", "f", "g"], undefined]);
  });

  it("does not start in a tree that a member without a wall has filled", async () => {
    const member = "{ id: m, command: [ok], untrusted: true, sandbox: danger_full_access }";
    const plan = planFrom(`stages:\n  - { id: f, group: { parallel: [${member}] } }\n  - { id: a, command: [ok] }\n`);
    expect((await played(plan)).denied).toBeUndefined();
    expect((await played(unsaid(plan, "a"))).denied).toMatchObject({ rule: "taint", why: why("run.tree/f.m") });
  });

  it.each([
    ["writes", { sandbox: "workspace_write" }],
    ["reaches out", { network: ["example.org"] }],
  ])("does not start behind a wall that %s", async (_name, open) => {
    const plan = forged(planFrom(`stages:\n  - ${FETCH}\n  - ${READ}\n`), "a", (stage) =>
      "wall" in stage ? { wall: { ...stage.wall, ...open } } : {},
    );
    const { ran, denied } = await played(plan, { stages: { f: [{ output: "x" }] } });
    const text = "it reads third-party text from f, and its wall lets it write or reach out";
    expect([ran, denied]).toMatchObject([["f"], { rule: "taint", why: text }]);
  });

  it("does not start when it is an action that can only be done once", async () => {
    const stages = `  - ${FETCH}\n  - { id: a, action: test.work, with: { text: "\${stages.f.output}" } }\n`;
    const plan = planFrom(`stages:\n${stages}`);
    const script = { stages: { f: [{ output: "x" }] } };
    expect((await played(plan, script)).denied).toBeUndefined();
    const { denied } = await played(
      forged(plan, "a", () => ({ effect: "once" })),
      script,
    );
    const text = "it reads third-party text from f, and it changes something outside the run";
    expect(denied).toMatchObject({ rule: "taint", why: text, request: { kind: "action", action: "test.work" } });
  });
});

describe("a child run", () => {
  const child =
    'version: 1\nname: child\nparams: { body: { default: "" } }\npolicy: { allow: [ { run: ["ok", "**"] } ] }\nstages:\n  - { id: a, command: [ok, "${params.body}"] }\n';
  const run = (given: string) => `{ id: r, run: { blueprint: ./child.yaml${given} } }`;
  const ended = {
    ended: true,
    status: "succeeded",
    reason: "goal_achieved",
    usage: { tokens: 0, microUsd: 0 },
    turns: 0,
    spawned: 0,
    tree: null,
  } as const;
  const children = { run: async () => ended };

  it.each([
    ["a parameter", `  - ${FETCH}\n  - ${run(', params: { body: "${stages.f.output}" }')}\n`, "params.body"],
    ["a tree", `  - { id: f, command: [ok], untrusted: true }\n  - ${run("")}\n`, "run.tree"],
  ])("does not start when its plan does not know of %s", async (_name, stages, place) => {
    const plan = planFrom(`stages:\n${stages}`, { children: { "child.yaml": child } });
    const script = { stages: { f: [{ output: "x" }] }, ports: { children } };
    expect((await played(plan, script)).denied).toBeUndefined();
    const unaware = { ...plan, children: plan.children.map(({ untrusted: _, ...rest }) => rest) };
    const { denied } = await played(unaware, script);
    expect(denied).toMatchObject({
      rule: "taint",
      why: `the plan of its child does not know that ${place} is third-party text`,
      request: { kind: "child" },
    });
  });

  it("that works in no tree needs to know of none", async () => {
    const still = child
      .replace('command: [ok, "${params.body}"]', "action: test.work")
      .replace('run: ["ok", "**"]', 'action: "test.*"');
    const stages = `  - { id: f, command: [ok], untrusted: true }\n  - ${run("")}\n`;
    const plan = planFrom(`stages:\n${stages}`, { children: { "child.yaml": still } });
    const unaware = { ...plan, children: plan.children.map(({ untrusted: _, ...rest }) => rest) };
    expect((await played(unaware, { ports: { children } })).denied).toBeUndefined();
  });
});

describe("where third-party text is", () => {
  function follow(plan: Plan, events: readonly Omit<RunEvent, "at">[]): readonly string[] {
    const created = {
      type: "run.created",
      at: 0,
      run: "r_0" as RunId,
      blueprint: "b",
      plan: plan.fingerprint,
      params: {},
      tree: "t0",
    } as const;
    let state: RunState = beginState(created);
    for (const event of [{ type: "run.started" }, ...events])
      state = evolve(plan, state, { ...event, at: 0 } as RunEvent);
    return [...state.facts.tainted];
  }
  const ended = (stage: string, outcome = "success", rest: object = {}) => [
    { type: "stage.started", stage, visit: 1, attempt: 1, rule: "x" } as const,
    { type: "stage.finished", stage, attempt: 1, outcome, cause: "ok", ...rest } as const,
  ];
  const ASKED = `params: { issue: { untrusted: true, default: "" } }\nstages:\n  - { id: f, command: [ok], untrusted: true }\n  - { id: ok, gate: { approval: {} }, on_failure: a }\n  - { id: a, command: [ok] }\n`;

  it("follows what happened: the parameters, the results, the tree", () => {
    const plan = planFrom(ASKED);
    expect(follow(plan, [])).toEqual(["params.issue"]);
    expect(follow(plan, ended("f"))).toEqual(["params.issue", "f"]);
    expect(follow(plan, ended("f", "failure", { tree: "t1" }))).toEqual(["params.issue", "f", "run.tree/f"]);
  });

  it("is nowhere any more when a person has passed it, and still there when not", () => {
    const plan = planFrom(ASKED);
    const filled = ended("f", "success", { tree: "t1" });
    expect(follow(plan, [...filled, ...ended("ok", "pass")])).toEqual([]);
    expect(follow(plan, [...filled, ...ended("ok", "fail")])).toEqual(["params.issue", "f", "run.tree/f"]);
  });

  it("is in the tree after a stage without a wall, and not after a gate", () => {
    const yaml = (fields: string) => `stages:\n  - { id: g, gate: { command: [ok] }, untrusted: true${fields} }\n`;
    const tree = { tree: "t1" };
    expect(follow(planFrom(yaml("")), ended("g", "pass", tree))).toEqual(["g"]);
    expect(follow(planFrom(yaml(", sandbox: danger_full_access")), ended("g", "pass", tree))).toEqual([
      "g",
      "run.tree/g",
    ]);
  });
});

describe("the latest failure", () => {
  it("is stripped where it may quote third-party text, and not before there is any", async () => {
    const yaml = (source: string) =>
      `stages:\n  - { id: f, command: [ok]${source}, on_failure: a }\n  - { id: a, command: [ok, "\${run.last_error}"], sandbox: read_only }\n`;
    const script = { stages: { f: [{ cause: "exit", error: HIDDEN }] } } as const;
    const last = async (source: string) =>
      (await played(planFrom(yaml(source)), script)).host.executed.at(-1)?.argv.at(-1);
    expect([await last(", untrusted: true"), await last("")]).toEqual(["f: please wait", `f: ${HIDDEN}`]);
  });
});

describe("hidden characters in third-party text", () => {
  it("are taken out of references and counted, and stay where they came from", async () => {
    const stages = `  - ${FETCH.replace("text", "json")}\n  - { id: a, command: [ok, "\${stages.f.output.body}", "\${params.issue}", "\${params.mine}"] }\n`;
    const yaml = `params: { issue: { untrusted: true }, mine: {} }\nstages:\n${stages}`;
    const params = { issue: "a\u200bb", mine: "a\u200bb" };
    const script = { stages: { f: [{ output: { body: HIDDEN } }] } };
    const { host, events } = await played(planFrom(yaml, { params }), script, params);
    expect(host.executed[1]?.argv).toEqual(["ok", "please wait", "ab", "a\u200bb"]);
    expect(events.filter((event) => event.type === "stage.started").map((event) => event.stripped)).toEqual([
      undefined,
      { "stages.f.output.body": 3, "params.issue": 1 },
    ]);
    expect(events.find((event) => event.type === "stage.finished")).toMatchObject({ output: { body: HIDDEN } });
  });

  it("are taken out of items, and out of inputs by whoever lays them out", async () => {
    const each =
      '{ id: g, group: { for_each: "${stages.f.output}", stage: { command: [ok, "${item}", "${index}"] } } }';
    const list = planFrom(`stages:\n  - ${FETCH.replace("text", "lines")}\n  - ${each}\n`);
    const { host } = await played(list, { stages: { f: [{ output: [HIDDEN, "x"] }] } });
    expect(host.executed.slice(1).map(({ argv }) => argv)).toEqual([
      ["ok", "please wait", "0"],
      ["ok", "x", "1"],
    ]);
    const last = "{ id: b, command: [ok], inputs: [f.log, c.log] }";
    const logs = planFrom(`stages:\n  - ${FETCH}\n  - { id: c, command: [ok] }\n  - ${last}\n`);
    const laid = await played(logs);
    expect(laid.host.executed.map(({ strip }) => strip)).toEqual([[], [], ["f.log"]]);
  });

  it("are found everywhere in a value", () => {
    expect(stripValue({ "a\u200b": [HIDDEN, 1, null, true], b: { c: "\u2066x" } })).toEqual({
      kept: { a: ["please wait", 1, null, true], b: { c: "x" } },
      count: 5,
    });
  });
});
