import { describe, expect, test } from "vitest";
import {
  action,
  argv,
  blueprint,
  codesOf,
  command,
  gate,
  group,
  lit,
  param,
  planOf,
  problemsOf,
  ref,
  run,
  signature,
} from "../../../test/support/blueprint-builder.ts";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import type { Blueprint, StageSpec } from "../../blueprint/blueprint.ts";
import type { ActionSignature, LeafStage, Plan } from "../plan.ts";

const actions: readonly ActionSignature[] = [
  signature(),
  signature({ name: "set", input: { "*": { required: false, summary: "any" } } }),
  signature({ name: "write", writes: true, input: { "*": { required: false, summary: "any" } } }),
  signature({ name: "push", effect: "keyed", usesTree: true, input: { "*": { required: false, summary: "any" } } }),
  signature({ name: "patch", usesTree: true, input: { "*": { required: false, summary: "any" } } }),
  signature({ name: "diff", usesTree: true, writes: false }),
  signature({ name: "fetch", untrusted: true }),
  signature({ name: "retell", usesTree: true, writes: false, retells: true }),
];
const ISSUE: Blueprint["params"] = [["issue", param({ untrusted: true })]];

/** A gate that a person judges. */
function approval(id: string, on: Readonly<Record<string, string>> = {}): StageSpec {
  const { where, inputs } = command(id);
  const routes = Object.entries(on).map(([outcome, target]) => ({ outcome, target, where }));
  return { id, kind: "approval", where, inputs, on: routes };
}

function says(text: ReturnType<typeof ref>) {
  return { argv: { list: [lit("say"), text] } };
}

const reading = (id: string, source: string, fields: Parameters<typeof command>[1] = {}) =>
  command(id, { program: says(ref(`stages.${source}.output`)), capture: "text", ...fields });
const fetching = (id: string, fields: Parameters<typeof command>[1] = {}) =>
  command(id, { sandbox: "read_only", untrusted: true, capture: "text", ...fields });
const using = (id: string, fields: Parameters<typeof command>[1] = {}) =>
  command(id, { program: says(ref("params.issue")), ...fields });

function leavesOf(plan: Plan): readonly (readonly [string, LeafStage])[] {
  return plan.stages.flatMap((stage) =>
    stage.kind === "group"
      ? stage.members.map((member) => [`${stage.id}.${member.id}`, member] as const)
      : [[stage.id, stage] as const],
  );
}

/** Stage → sources of what it reads. */
function taintOf(
  stages: readonly StageSpec[],
  fields: Partial<Blueprint> = {},
  children: readonly Blueprint[] = [],
): Readonly<Record<string, readonly string[]>> {
  const plan = planOf(
    blueprint(stages, { limits: { rounds: 3 }, ...fields }),
    { actions, params: given(fields) },
    children,
  );
  return Object.fromEntries(
    leavesOf(plan).flatMap(([path, { taint }]) => (taint === undefined ? [] : [[path, taint]])),
  );
}

function given({ params = [] }: Partial<Blueprint>): Readonly<Record<string, string>> {
  return Object.fromEntries(params.map(([name]) => [name, "text"]));
}

function problemsIn(stages: readonly StageSpec[], fields: Partial<Blueprint> = {}) {
  const source = blueprint(stages, { limits: { rounds: 3 }, ...fields });
  return problemsOf(source, { actions, params: given(fields) }).map(({ code, what }) => `${code} ${what}`);
}

describe("third-party text", () => {
  test("comes from a parameter that says so, and taints whoever refers to it", () => {
    const stages = [using("a"), command("b", { env: [["X", ref("params.issue")]] }), command("c")];
    expect(taintOf(stages, { params: ISSUE })).toEqual({ a: ["params.issue"], b: ["params.issue"] });
    expect(taintOf([using("a")], { params: [["issue", param({ untrusted: false })]] })).toEqual({});
  });

  test("comes from a stage that says so, by its output, its log and its files, and from nothing else of it", () => {
    const stages = [
      fetching("f", { outputs: [{ name: "page", path: "page.html" }] }),
      reading("a", "f"),
      command("b", { inputs: ["f.log"] }),
      command("c", { inputs: ["f.page"] }),
      command("d", { program: says(ref("stages.f.outcome")), env: [["X", ref("stages.f.exit")]] }),
      command("e", { program: says(ref("run.id")) }),
    ];
    expect(taintOf(stages)).toEqual({ a: ["f"], b: ["f"], c: ["f"] });
  });

  test("comes from an agent that calls tools of MCP servers, unless its author trusts them", () => {
    const tainted = (settings: string, more = "") => {
      const agent = `{ id: f, agent: { use: asks, goal: "Ask.", with: ${settings} }, sandbox: read_only${more} }`;
      const reader = `{ id: a, action: test.work, with: { text: "\${stages.f.output}" } }`;
      const plan = planFrom(
        `version: 1\nname: t\npolicy: { allow: [{ action: "agent.asks" }, { mcp: "s/*" }] }\nstages:\n  - ${agent}\n  - ${reader}\n`,
      );
      return leavesOf(plan).flatMap(([path, { taint }]) => (taint === undefined ? [] : [[path, taint]]));
    };
    expect(tainted("{ mcp: [s] }")).toEqual([["a", ["f"]]]);
    expect(tainted("{ mcp: [s] }", ", untrusted: false")).toEqual([]);
    expect(tainted("{ depth: 1 }")).toEqual([]);
    expect(tainted("{ depth: 1 }", ", network: [example.org]")).toEqual([["a", ["f"]]]);
  });

  test("comes from whoever reaches the network, unless its author trusts what is there", () => {
    const from = (fields: Parameters<typeof command>[1], defaults: Blueprint["defaults"] = {}) =>
      taintOf([command("f", { sandbox: "read_only", capture: "text", ...fields }), reading("a", "f")], { defaults });
    expect(from({ network: ["example.org"] })).toEqual({ a: ["f"] });
    expect(from({}, { network: ["example.org"] })).toEqual({ a: ["f"] });
    expect(from({ network: ["example.org"], untrusted: false })).toEqual({});
    expect(from({ network: [] })).toEqual({});
    const checked = [gate("g", { network: ["example.org"] }), command("a", { inputs: ["g.log"] })];
    expect(taintOf(checked)).toEqual({ a: ["g"] });
  });

  test("comes from an action that reads the outside, and from one whose stage says so", () => {
    const from = (fields: Parameters<typeof action>[1]) => taintOf([action("f", fields), reading("a", "f")]);
    expect(from({ action: "fetch" })).toEqual({ a: ["f"] });
    expect(from({ action: "note", untrusted: true })).toEqual({ a: ["f"] });
    expect(from({ action: "fetch", untrusted: false })).toEqual({});
    expect(from({ action: "note" })).toEqual({});
  });

  test("is handed on by whoever read it", () => {
    const set = action("b", { action: "set", with: { map: [["x", ref("stages.a.output")]] } });
    expect(taintOf([fetching("f"), reading("a", "f"), set, reading("c", "b"), command("d")])).toEqual({
      a: ["f"],
      b: ["f"],
      c: ["f"],
    });
  });

  test("goes round: what a later stage made of it comes back by a route", () => {
    const stages = [
      command("a", { program: says(ref("stages.b.output")), inputs: ["c.log"] }),
      fetching("b", { capture: "text" }),
      gate("c", { program: says(ref("stages.b.output")), on: { fail: "a" } }),
    ];
    expect(taintOf(stages)).toEqual({ a: ["b"], c: ["b"] });
  });

  test("is not read by a stage that no way leads to from its source", () => {
    const stages = [
      gate("pick", { on: { pass: "f", fail: "a" } }),
      fetching("f", { on: { success: "done" } }),
      reading("a", "f"),
    ];
    expect(taintOf(stages)).toEqual({});
  });

  test("names at most sixteen sources", () => {
    const ids = Array.from({ length: 20 }, (_, index) => `f${index}`);
    const trees = ids.map((id) => command(id, { untrusted: true }));
    expect(taintOf([...trees, command("a")], {})["a"]).toEqual(ids.slice(0, 16));
    const logs = ids.map((id) => fetching(id));
    const all = command("a", { inputs: ids.map((id) => `${id}.log`) });
    expect(taintOf([...logs, all])).toEqual({ a: ids.slice(0, 16) });
  });
});

describe("a group", () => {
  const list = { map: [["x", ref("stages.f.output")]] } as const;

  test("taints each member by what it reads itself, and its result by all of them", () => {
    const stages = [
      fetching("f"),
      group("g", [reading("a", "f"), command("b"), action("c", { action: "set", with: list })]),
      reading("d", "g"),
    ];
    expect(taintOf(stages)).toEqual({ "g.a": ["f"], "g.c": ["f"], d: ["f"] });
    expect(taintOf([group("g", [fetching("a"), command("b")]), reading("d", "g")])).toEqual({ d: ["g.a"] });
  });

  test("gives its items to the member that refers to them", () => {
    const each = (member: StageSpec) =>
      taintOf([
        fetching("f", { capture: "lines" }),
        group("g", [member as never], { forEach: ref("stages.f.output") }),
      ]);
    expect(each(command("m", { program: says(ref("item")) }))).toEqual({ "g.m": ["f"] });
    expect(each(command("m", { program: says(ref("item.name")) }))).toEqual({ "g.m": ["f"] });
    expect(each(command("m", { program: says(ref("index")) }))).toEqual({});
    expect(taintOf([group("g", [command("m", { program: says(ref("item")) })], { forEach: lit(["a"]) })])).toEqual({});
  });
});

describe("a tree", () => {
  const patch = (fields: Parameters<typeof action>[1] = {}) =>
    action("f", { action: "patch", untrusted: true, ...fields });

  test("with third-party files taints every later command, and no gate", () => {
    const stages = [command("f", { untrusted: true }), command("a"), gate("g"), reading("b", "a"), action("c")];
    const clean = { ...stages[1], capture: "text" } as StageSpec;
    expect(taintOf([stages[0] as StageSpec, clean, ...stages.slice(2)])).toEqual({ a: ["f"], b: ["f"] });
    expect(taintOf([fetching("f"), command("a")])).toEqual({});
    expect(taintOf([patch(), command("a")])).toEqual({ a: ["f"] });
    expect(taintOf([action("f", { action: "diff", untrusted: true }), command("a")])).toEqual({});
    expect(taintOf([action("f", { action: "fetch" }), command("a")])).toEqual({});
  });

  test("is quoted by the log of a gate that judged it, and by an action that shows it", () => {
    const quoted = [command("f", { untrusted: true }), gate("g"), action("d", { action: "diff" })];
    const set = action("s", { action: "set", with: { map: [["x", ref("stages.d.output")]] } });
    const check = gate("h", { inputs: ["g.log"] });
    expect(taintOf([...quoted, set, check])).toEqual({ s: ["f"], h: ["f"] });
  });

  test("is quoted by a gate that judges the change, which reads nothing else", () => {
    const taint = (untrusted: boolean) =>
      leavesOf(
        planFrom(
          `defaults: { network: [example.org] }\nstages:\n  - { id: f, command: [ok], untrusted: ${untrusted} }\n  - { id: c, gate: { change: { max_files: 3 } } }\n  - { id: a, action: test.work, with: { text: "\${stages.c.output}" } }\n`,
        ),
      ).map(([, leaf]) => [leaf.taint, leaf.untrusted]);
    expect(taint(true)).toEqual([
      [undefined, true],
      [undefined, true],
      [["f"], true],
    ]);
    expect(taint(false)).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  test("that a stage has filled itself tells it nothing new", () => {
    const round = [command("f", { network: ["example.org"] }), gate("g", { on: { fail: "f" } })];
    expect(taintOf(round)).toEqual({});
  });

  test("of a member is its own, unless it has no wall", () => {
    const member = (sandbox: "workspace_write" | "danger_full_access") =>
      taintOf([group("g", [command("m", { untrusted: true, sandbox }), patch()]), command("a")]);
    expect(member("workspace_write")).toEqual({});
    expect(member("danger_full_access")).toEqual({ a: ["g.m"] });
  });

  test("is not changed by a gate, unless it has no wall", () => {
    const open = (sandbox: "workspace_write" | "danger_full_access") =>
      taintOf([gate("g", { untrusted: true, sandbox }), command("a")]);
    expect(open("workspace_write")).toEqual({});
    expect(open("danger_full_access")).toEqual({ a: ["g"] });
  });
});

describe("an approval", () => {
  test("lifts taint from what follows it", () => {
    const stages = [fetching("f"), approval("ok"), reading("a", "f", { sandbox: "workspace_write" }), using("b")];
    expect(taintOf(stages, { params: ISSUE })).toEqual({});
    expect(taintOf([command("f", { untrusted: true }), approval("ok"), command("a")])).toEqual({});
  });

  test("lifts nothing when it was denied", () => {
    const stages = [fetching("f"), approval("ok", { fail: "b" }), command("a"), reading("b", "f")];
    expect(taintOf(stages)).toEqual({ b: ["f"] });
  });

  test("lifts nothing when another way leads around it", () => {
    const stages = [fetching("f"), gate("g", { on: { pass: "a", fail: "ok" } }), approval("ok"), reading("a", "f")];
    expect(taintOf(stages)).toEqual({ a: ["f"] });
  });

  test("lifts nothing of what came after it", () => {
    const stages = [approval("ok"), fetching("f"), reading("a", "f"), gate("g", { on: { fail: "f" } })];
    expect(taintOf(stages)).toEqual({ a: ["f"] });
  });

  test("lifts what it saw although the text goes round again", () => {
    const stages = [fetching("f"), approval("ok"), reading("a", "f"), gate("g", { on: { fail: "f" } })];
    expect(taintOf(stages)).toEqual({});
  });

  test("in a group lifts nothing: the group goes on whatever the answer is", () => {
    const asked = group("g", [approval("ok") as never]);
    expect(taintOf([fetching("f"), asked, reading("a", "f")])).toEqual({ a: ["f"] });
  });
});

describe("a stage that reads third-party text", () => {
  test("writes nothing and reaches nobody, whatever the defaults are", () => {
    const defaults = { sandbox: "repo_write", network: ["example.org"] } as const;
    const stages = [using("a", { untrusted: false }), command("b", { untrusted: false })];
    const plan = planOf(blueprint(stages, { params: ISSUE, defaults }), { params: { issue: "x" } });
    expect(leavesOf(plan).map(([, leaf]) => ("wall" in leaf ? [leaf.wall.sandbox, leaf.wall.network] : []))).toEqual([
      ["read_only", []],
      ["repo_write", ["example.org"]],
    ]);
    expect(leavesOf(plan).map(([, { effect, taint, untrusted }]) => ({ effect, taint, untrusted }))).toEqual([
      { effect: "idempotent", taint: ["params.issue"], untrusted: true },
      { effect: "once", taint: undefined, untrusted: undefined },
    ]);
    expect(plan.untrusted).toEqual(["params.issue"]);
  });

  test("may not ask for more, and is told how the text comes", () => {
    const stages = [
      fetching("f"),
      reading("a", "f"),
      gate("g", { inputs: ["a.log"], sandbox: "danger_full_access" }),
      reading("b", "a", { sandbox: "workspace_write", network: ["example.org"] }),
      reading("c", "a", { sandbox: "read_only", network: [] }),
    ];
    expect(problemsIn(stages)).toEqual([
      'PLAN_STAGE_TAINTED Stage "g" says `sandbox: danger_full_access`, but it reads third-party text: f -> a -> g.',
      'PLAN_STAGE_TAINTED Stage "b" says `sandbox: workspace_write`, but it reads third-party text: f -> a -> b.',
      'PLAN_STAGE_TAINTED Stage "b" says `network`, but it reads third-party text: f -> a -> b.',
    ]);
    expect(problemsIn([using("a", { network: ["example.org"] })], { params: ISSUE })).toEqual([
      'PLAN_STAGE_TAINTED Stage "a" says `network`, but it reads third-party text: params.issue -> a.',
    ]);
  });

  test("is told of a way that goes round, and of one through the tree", () => {
    const round = [
      fetching("f", { program: says(ref("stages.a.output")), network: ["example.org"] }),
      reading("a", "f"),
      gate("g", { on: { fail: "f" } }),
    ];
    expect(problemsIn(round)).toEqual([
      'PLAN_STAGE_TAINTED Stage "f" says `network`, but it reads third-party text: f -> a -> f.',
    ]);
    const tree = [
      command("f", { untrusted: true }),
      gate("g"),
      command("a", { inputs: ["g.log"], network: ["a.org"] }),
    ];
    expect(problemsIn(tree)).toEqual([
      'PLAN_STAGE_TAINTED Stage "a" says `network`, but it reads third-party text: f -> a.',
    ]);
    const log = [command("f", { untrusted: true }), gate("g"), gate("h", { inputs: ["g.log"], network: ["a.org"] })];
    expect(problemsIn(log)).toEqual([
      'PLAN_STAGE_TAINTED Stage "h" says `network`, but it reads third-party text: f -> g -> h.',
    ]);
  });

  test("is no action that changes something", () => {
    const fed = (name: string) => action("a", { action: name, with: { map: [["x", ref("stages.f.output")]] } });
    const refused = (name: string) =>
      `PLAN_ACTION_TAINTED Action "${name}" of stage "a" is given third-party text: f -> a.`;
    for (const name of ["write", "push", "patch"])
      expect(problemsIn([fetching("f"), fed(name)])).toEqual([refused(name)]);
    expect(taintOf([fetching("f"), fed("set")])).toEqual({ a: ["f"] });
    expect(taintOf([fetching("f"), approval("ok"), fed("push")])).toEqual({});
    expect(codesOf(blueprint([fetching("f"), fed("unknown")]), { actions })).toEqual(["PLAN_ACTION_UNKNOWN"]);
    expect(taintOf([fetching("f"), action("a", { action: "push", with: { map: [["x", lit("mine")]] } })])).toEqual({});
  });
});

describe("a child run", () => {
  const child = (stages: readonly StageSpec[], params: Blueprint["params"] = []) =>
    blueprint(stages, { name: "child", params });
  const childOf = (stages: readonly StageSpec[], children: readonly Blueprint[], fields: Partial<Blueprint> = {}) =>
    planOf(blueprint(stages, fields), { actions, params: given(fields) }, children).children.map((plan) => ({
      untrusted: plan.untrusted,
      taint: Object.fromEntries(leavesOf(plan).map(([path, { taint }]) => [path, taint])),
    }));
  const text: Blueprint["params"] = [
    ["body", param({ default: "" })],
    ["mine", param({ default: "" })],
  ];
  const reader = child(
    [command("a", { program: says(ref("params.body")) }), command("b", { program: says(ref("params.mine")) })],
    text,
  );

  test("gets the taint of its parameters, each for itself", () => {
    const start = (params: Parameters<typeof run>[2]) => [fetching("f"), run("r", "child", params)];
    expect(
      childOf(
        start({
          params: [
            ["body", ref("stages.f.output")],
            ["mine", lit("x")],
          ],
        }),
        [reader],
      ),
    ).toEqual([{ untrusted: ["params.body"], taint: { a: ["params.body"], b: undefined } }]);
    expect(
      childOf([run("r", "child", { params: [["mine", ref("params.issue")]] })], [reader], { params: ISSUE }),
    ).toEqual([{ untrusted: ["params.mine"], taint: { a: undefined, b: ["params.mine"] } }]);
    expect(childOf(start({}), [reader])).toEqual([{ untrusted: undefined, taint: { a: undefined, b: undefined } }]);
  });

  test("gets the items of a fan-out with their taint", () => {
    const each = group("g", [run("r", "child", { params: [["body", ref("item")]] })], {
      forEach: ref("stages.f.output"),
    });
    expect(childOf([fetching("f", { capture: "lines" }), each], [reader])).toEqual([
      { untrusted: ["params.body"], taint: { a: ["params.body"], b: undefined } },
    ]);
  });

  test("is another plan with taint than without, and the same one for the same taint", () => {
    const give = (id: string, value: ReturnType<typeof ref>) => run(id, "child", { params: [["body", value]] });
    const stages = [
      fetching("f"),
      give("r", lit("mine")),
      give("s", ref("stages.f.output")),
      give("t", ref("stages.f.output")),
      approval("ok"),
      give("u", ref("stages.f.output")),
      give("v", ref("params.issue")),
    ];
    const plan = planOf(blueprint(stages, { params: ISSUE }), { params: { issue: "x" } }, [reader]);
    const [, r, s, t, , u, v] = plan.stages.map((stage) => (stage.kind === "run" ? stage.plan : ""));
    expect([s === t, r === u, u === v, r === s]).toEqual([true, true, true, false]);
    expect(plan.children).toHaveLength(2);
  });

  test("gets the taint of the tree, and works in it under that name", () => {
    expect(childOf([command("f", { untrusted: true }), run("r", "child")], [reader])).toEqual([
      { untrusted: ["run.tree"], taint: { a: ["run.tree"], b: ["run.tree"] } },
    ]);
  });

  test("leaves the tree tainted when one of its stages did so and no person looked", () => {
    const left = (stages: readonly StageSpec[], fields: Parameters<typeof run>[2] = {}) =>
      taintOf([run("r", "child", fields), command("a")], {}, [child(stages)]);
    expect(left([command("x", { untrusted: true }), command("y")])).toEqual({ a: ["r"] });
    expect(left([command("x", { untrusted: true }), approval("ok")])).toEqual({});
    expect(left([command("x", { untrusted: true }), approval("ok", { fail: "done" })])).toEqual({ a: ["r"] });
    expect(
      left([
        command("x", { untrusted: true }),
        approval("ok", { fail: "y" }),
        command("y", { on: { failure: "y" }, maxVisits: 2 }),
      ]),
    ).toEqual({ a: ["r"] });
    expect(left([command("x", { untrusted: true })], { untrusted: false })).toEqual({});
    expect(left([command("x")])).toEqual({});
    expect(left([command("x")], { untrusted: true })).toEqual({ a: ["r"] });
    const nested = [child([run("x", "inner")]), blueprint([command("x", { untrusted: true })], { name: "inner" })];
    expect(taintOf([run("r", "child"), command("a")], {}, nested)).toEqual({ a: ["r"] });
  });

  test("that is missing or runs itself is refused for that alone", () => {
    expect(codesOf(blueprint([run("r", "child")]))).toEqual(["PLAN_CHILD_NOT_FOUND"]);
    expect(codesOf(blueprint([run("r", "child")]), {}, [child([run("x", "child")])])).toEqual(["PLAN_CHILD_RECURSIVE"]);
  });
});

test("a large blueprint is searched in little time", () => {
  const ids = Array.from({ length: 3000 }, (_, index) => `s${index}`);
  const stages = ids.map((id, index) =>
    index === 0 ? command(id, { untrusted: true, capture: "text" }) : reading(id, ids[index - 1] as string),
  );
  const taint = taintOf(stages);
  expect(Object.keys(taint)).toHaveLength(2999);
  expect(taint["s2999"]).toEqual(["s0"]);
});

test("a program without references reads nothing", () => {
  expect(taintOf([fetching("f"), command("a", { program: argv("true") })], { params: ISSUE })).toEqual({});
});

describe("an action that retells the run", () => {
  test("hands on what any stage before it has said, and nothing of what comes after it", () => {
    const taint = taintOf([
      action("early", { action: "retell" }),
      fetching("f"),
      action("sum", { action: "retell" }),
      reading("r", "sum", { sandbox: "read_only" }),
      reading("q", "early"),
    ]);
    expect(taint).toEqual({ sum: ["f"], r: ["f"] });
  });

  test("is clean once a person has looked", () => {
    expect(taintOf([fetching("f"), approval("ok"), action("sum", { action: "retell" }), reading("r", "sum")])).toEqual(
      {},
    );
  });
});

describe("the latest failure", () => {
  test("is third-party text to a child that is given it, where a stage has left some", () => {
    const child = blueprint([command("a", { program: says(ref("params.body")) })], {
      name: "child",
      params: [["body", param({})]],
    });
    const give = run("r", "child", { params: [["body", ref("run.last_error")]] });
    const untrustedOf = (first: StageSpec) =>
      planOf(blueprint([first, give]), { actions }, [child]).children[0]?.untrusted;
    expect(untrustedOf(command("f", { untrusted: true, sandbox: "read_only" }))).toEqual(["params.body"]);
    expect(untrustedOf(command("f"))).toBeUndefined();
  });

  const yaml = (more: string) => `stages:
  - { id: look, command: ["a"], network: [example.org], on: { success: told, failure: told } }
  - { id: told, command: ["b"], sandbox: read_only, env: { WHY: "\${run.last_error}" } }
${more}`;

  test("may quote third-party text that a stage left before", () => {
    const leaf = planFrom(yaml("")).stages.find(({ id }) => id === "told");
    expect(leaf?.taint).toEqual(["look"]);
  });

  test("is clean where no stage reads any, also for a child", () => {
    const clean = yaml("").replace("network: [example.org]", "sandbox: read_only");
    expect(planFrom(clean).stages.map(({ taint }) => taint)).toEqual([undefined, undefined]);
  });
});
