import { describe, expect, test } from "vitest";
import {
  action,
  argv,
  blueprint,
  command,
  gate,
  group,
  lit,
  param,
  planOf,
  ref,
  run,
  signature,
} from "../../../test/support/blueprint-builder.ts";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import type { Blueprint } from "../../blueprint/blueprint.ts";
import type { Rule } from "../../policy/rule.ts";
import { cutStages } from "../routes.ts";
import { explainPlan } from "./explain.ts";
import { explainJson } from "./view.ts";

const kid = blueprint([command("k", { program: { argv: ref("params.what") }, timeoutMs: 1000 })], {
  name: "kid",
  params: [["what", param({ type: "list", default: ["date"] })]],
});

const source = blueprint(
  [
    command("scan", { program: { argv: ref("params.test") }, on: { success: "done", failure: "fix" } }),
    command("fix", {
      program: { shell: { text: ["fix ", { ref: ["stages", "scan", "exit"] }] } },
      effect: "idempotent",
      maxAttempts: 2,
    }),
    gate("verify", {
      program: { argv: ref("params.test") },
      judge: { by: "exit", escalateExits: [9] },
      on: { fail: "fix", escalate: "paused" },
    }),
    group("checks", [command("lint", { program: argv("npx", "lint") }), action("note")], { maxParallel: 2 }),
    run("child", "kid"),
    command("push", { level: "L2", program: argv("git", "push") }),
    command("tell", { level: "L1" }),
  ],
  {
    name: "fix-tests",
    params: [["test", param({ default: ["npm", "test"] })]],
    limits: { rounds: 3, stages: 40, wallMs: 3_600_000, consecutiveFailures: 3, tokens: 500_000, microUsd: 5_000_000 },
    rules: [
      { id: "blueprint.allow[0]", effect: "allow", pattern: { run: ["npm", "test"] } },
      { id: "blueprint.ask[0]", effect: "ask", pattern: { action: "note" } },
    ],
  },
);

function linesOf(text: string): readonly string[] {
  return text.split("\n");
}

describe("explainPlan", () => {
  test("says which file of which system a plan is", () => {
    const origin = { door: "pattern", path: "patterns/registry.yaml" } as const;
    const lines = (fields: object): readonly string[] =>
      explainPlan(planOf(blueprint([command("a")]), fields))
        .split("\n")
        .slice(1, 2);
    expect(lines({ origin })).toEqual(["  from pattern: patterns/registry.yaml"]);
    expect(lines({ origin: { ...origin, item: "ci-sweeper" } })).toEqual([
      "  from pattern: patterns/registry.yaml (ci-sweeper)",
    ]);
    expect(explainJson(planOf(blueprint([command("a")]), { origin })).origin).toEqual(origin);
    expect(explainJson(planOf(blueprint([command("a")])))).not.toHaveProperty("origin");
  });

  test("names the programs that could hide a command from rules that deny one, and none where no rule does", () => {
    const rule = (effect: "allow" | "deny", ...run: string[]): Rule => ({
      ...{ id: `blueprint.${effect}.${run[0]}`, effect, pattern: { run } },
    });
    const show = (...rules: Rule[]): readonly string[] =>
      linesOf(explainPlan(planOf(blueprint([command("a")], { rules })))).filter((line) => line.startsWith("Hidden"));
    const allowed = [rule("allow", "{python3,cat}", "**"), rule("allow", "vim", "**")];
    expect(show(...allowed)).toEqual([]);
    expect(show(...allowed, rule("deny", "git", "push", "**"))).toEqual([
      "Hidden    python3, vim could run a command that your deny and ask rules do not see",
    ]);
  });

  const plan = planOf(source, { level: "L1", actions: [signature({ cost: { tokens: 10, microUsd: 20_000 } })] }, [kid]);
  const text = explainPlan(plan, cutStages(source, plan));

  test("shows limits on child runs and calls to models, and what of them the worst case is", () => {
    const limits = { turns: 30, spawns: 4, depth: 2 };
    const asks = command("ask", { models: { tokens: 1, microUsd: 0, calls: 9, providers: null } });
    const shown = linesOf(explainPlan(planOf(blueprint([asks], { limits }))));
    expect(shown).toContain("Limits    turns 30 · child runs 4 · depth 2");
    expect(shown).toContain("  turns   9 calls to models");
  });

  test("shows a table of stages with policy, routes, limits, children and the worst case", () => {
    expect(text.replaceAll(/[0-9a-f]{12}$/gm, "############")).toMatchInlineSnapshot(`
      "Plan fix-tests  level L1  ############
        test = ["npm","test"]

      STAGE        KIND     RUNS                           EFFECT      TRIES  TIMEOUT  VISITS  SANDBOX          POLICY                      ROUTES
      scan         command  run npm test                   idempotent  1      10m      1       workspace_write  allow (blueprint.allow[0])  success → done · failure → fix
      fix          command  shell fix \${stages.scan.exit}  idempotent  2      10m      3       workspace_write  at run time                 success → verify · failure → fail
      verify       gate     run npm test                   idempotent  1      10m      3       workspace_write  allow (blueprint.allow[0])  pass → checks · fail → ↺ fix · escalate → paused, then ↺ verify
      checks       group    2 members, 2 at a time         -           -      10m 2s   1       -                by member                   success → child · failure → fail
      checks.lint  command  run npx lint                   idempotent  1      10m      1       workspace_write  deny (default)
      checks.note  action   action note                    idempotent  1      10m      1       -                ask (blueprint.ask[0])
      child        run      blueprint kid                  keyed       1      3s       1       -                by stage                    success → done (before push) · failure → fail

      Cut at L1: push, tell

      Works in  a private clone of the commit that is checked out
      Limits    stages 40 · wall 1h · rounds 3 · consecutive failures 3 · tokens 500000 · money $5.00
      Stuck at  same_failure 3 · same_tree 3 · oscillation 4 · repeats 3 · test_outcomes 10

      Child kid  level L1  ############
        what = ["date"]

      STAGE  KIND     RUNS                EFFECT      TRIES  TIMEOUT  VISITS  SANDBOX          POLICY       ROUTES
      k      command  run \${params.what}  idempotent  1      1s       1       workspace_write  at run time  success → done · failure → fail

      Works in  a private clone of the commit that is checked out
      Limits    none of its own

      Worst case
        stages  14 started, every attempt and child run counted
        wall    1h 2s, without waiting for people
        tokens  10
        money   $0.02
        spawns  1, child runs of child runs counted
      "
    `);
  });

  test("shows the first twelve characters of the fingerprint", () => {
    expect(linesOf(text)[0]).toBe(`Plan fix-tests  level L1  ${plan.fingerprint.slice(0, 12)}`);
  });

  test("says who reads third-party text, from where, and what that takes from it", () => {
    const says = (name: string) => ({ argv: { list: [lit("say"), ref(`params.${name}`)] } });
    const stages = [
      command("read", { program: says("issue") }),
      action("note", { with: { map: [["x", ref("params.issue")]] } }),
      command("own"),
    ];
    const actions = [signature({ input: { x: { required: false, summary: "any" } } })];
    const params = [["issue", param({ default: "", untrusted: true })]] as const;
    const lines = linesOf(explainPlan(planOf(blueprint(stages, { params }), { actions })));
    const from = lines.indexOf("Taint");
    expect(lines.slice(from - 1, from + 4)).toEqual([
      "",
      "Taint",
      "  read reads third-party text from params.issue: read only, no network",
      "  note reads third-party text from params.issue",
      "",
    ]);
  });

  test("tells whose limits lay a stage to rest", () => {
    const stages = [command("fix", { quota: "claude" }), command("own"), command("try", { quota: "any" })];
    const quotaPlan = planOf(blueprint(stages));
    const lines = linesOf(explainPlan(quotaPlan));
    const from = lines.indexOf("Quota");
    const rests = "says that a limit is reached, until it is over; no failure, no attempt, not in the worst case";
    expect(lines.slice(from - 1, from + 4)).toEqual([
      "",
      "Quota",
      `  fix rests when claude ${rests}`,
      `  try rests when any vendor ${rests}`,
      "",
    ]);
    expect(explainJson(quotaPlan).stages.map(({ quota }) => quota)).toEqual(["claude", undefined, "any"]);
  });

  test("knows the cut stages that routes name when nobody tells it", () => {
    expect(linesOf(explainPlan(plan))).toContain("Cut at L1: push");
  });

  test("says that nothing runs at L0, and that there are no limits where there are none", () => {
    const lines = linesOf(explainPlan(planOf(blueprint([command("a")]), { level: "L0" })));
    expect(lines[0]).toContain("level L0 (plans only, nothing runs)");
    expect(lines).toContain("Limits    none of its own");
  });

  test("cuts what is long, escapes what cannot be seen, and masks what is secret", () => {
    const stages = [
      command("a", { title: "x", program: argv("echo", "\u001b[31mred", "y".repeat(100)) }),
      command("b", { program: argv("login", "--token=ghp_abcdefghijklmnopqrstuvwxyz0123456789") }),
    ];
    const shown = explainPlan(
      planOf(blueprint(stages, { name: "bad\u0007name", params: [["p\n", param({ default: "z".repeat(99) })]] })),
    );
    expect(shown).not.toContain("\u001b");
    expect(shown).not.toContain("\u0007");
    expect(shown).not.toContain("y".repeat(60));
    expect(shown).not.toContain("ghp_abcdefghijklmnopqrstuvwxyz0123456789");
    expect(shown).toContain("Plan bad\\x07name");
    expect(shown).toContain(`  p\\n = "${"z".repeat(46)}…`);
  });
});

describe("gates without a process", () => {
  test("say who judges, and have neither wall nor program", () => {
    const plan = planFrom(`stages:
  - { id: look, gate: { change: { max_files: 3 } }, on: { escalate: ask } }
  - { id: ask, gate: { approval: { question: "Is this right?" } } }
  - { id: again, gate: { approval: {} } }
`);
    expect(explainJson(plan).stages.map(({ stage, runs, wall, policy }) => [stage, runs, wall, policy])).toEqual([
      ["look", "the change since the run began", null, null],
      ["ask", "asks a person: Is this right?", null, null],
      ["again", "asks a person", null, null],
    ]);
    expect(explainPlan(plan)).toMatch(/^ask +approval +asks a person: Is this right\? +.* - .* a person +pass/m);
  });
});

describe("explainJson", () => {
  const rowOf = (stage: Parameters<typeof blueprint>[0][number], params: Record<string, never> | object = {}) =>
    explainJson(
      planOf(
        blueprint([stage], {
          params: Object.entries(params).map(([name, value]) => [name, param({ default: value })]),
        }),
      ),
    ).stages[0];

  test("asks policy about what follows from the plan, and about nothing else", () => {
    const requests: readonly (readonly [Parameters<typeof command>[1] & object, object, string, boolean])[] = [
      [{ program: argv("npm", "a b") }, {}, 'run npm "a b"', true],
      [
        { program: { argv: { list: [ref("params.n"), ref("params.deep.x")] } } },
        { n: 1, deep: { x: true } },
        "run 1 true",
        true,
      ],
      [{ program: { argv: { list: [ref("params.list.0")] } } }, { list: ["ls"] }, "run ls", true],
      [{ program: { shell: lit("a | b") } }, {}, 'shell "a | b"', true],
      [{ program: { shell: ref("params.list") } }, { list: [] }, `shell \${params.list}`, false],
      [{ program: { shell: { text: ["x", { ref: ["item"] }] } } }, {}, `shell x\${item}`, false],
      [{ program: { argv: { list: [ref("params.list"), lit(2)] } } }, { list: [] }, `run \${params.list} 2`, false],
      [{ program: { argv: ref("params.s") } }, { s: "text" }, `run \${params.s}`, false],
      [{ program: { argv: ref("params.none") } }, { none: [] }, `run \${params.none}`, false],
      [
        { program: { argv: { list: [ref("params.s.x"), { list: [lit("a")] }, { map: [["k", lit(null)]] }] } } },
        { s: "t" },
        `run \${params.s.x} [a] {k: null}`,
        false,
      ],
      [
        { program: { argv: { list: [ref("params.o.toString"), ref("stages.x.output")] } } },
        { o: {} },
        `run \${params.o.toString} \${stages.x.output}`,
        false,
      ],
    ];
    for (const [fields, params, runs, isAsked] of requests) {
      const row = rowOf(command("a", fields), params);
      expect([row?.runs, row?.policy?.effect ?? null]).toEqual([runs, isAsked ? "deny" : null]);
    }
    expect(rowOf(action("a"))).toMatchObject({ runs: "action note", policy: { effect: "deny", rule: "default" } });
  });

  test("holds every child once, without deciding on parameters that its parent will give", () => {
    const inner = blueprint([command("i", { program: argv("date") })], { name: "inner" });
    const outer = blueprint([run("o", "inner"), run("p", "kid")], { name: "outer" });
    const view = explainJson(
      planOf(blueprint([run("r", "outer"), run("s", "inner"), run("t", "kid")]), {}, [inner, outer, kid]),
      ["gone"],
    );
    expect(view.children.map(({ name }) => name).sort()).toEqual(["inner", "kid", "outer"]);
    expect(view.cut).toEqual(["gone"]);
    expect(view.stages.map(({ runs, policy }) => [runs, policy])).toEqual([
      ["blueprint outer", null],
      ["blueprint inner", null],
      ["blueprint kid", null],
    ]);
    const rows = Object.fromEntries(view.children.map(({ name, stages }) => [name, stages[0]]));
    expect(rows["kid"]).toMatchObject({ runs: `run \${params.what}`, policy: null });
    expect(rows["inner"]).toMatchObject({ runs: "run date", policy: { effect: "deny" } });
  });

  test("shows members below their group, and a cut that waits behind a pause", () => {
    const members = [command("m"), gate("n")];
    const stages = [group("g", members, { on: { success: "paused" } }), command("b", { level: "L3" })];
    const view = explainJson(planOf(blueprint(stages), { level: "L1" }));
    expect(view.stages.map(({ stage, kind, routes }) => [stage, kind, routes.length])).toEqual([
      ["g", "group", 2],
      ["g.m", "command", 0],
      ["g.n", "gate", 0],
    ]);
    expect(view.cut).toEqual(["b"]);
    const each = explainJson(
      planOf(blueprint([group("g", [command("m")], { forEach: ref("params.x"), maxItems: 7, maxParallel: 3 })])),
    );
    expect(each.stages[0]?.runs).toBe(`for each of \${params.x}, at most 7, 3 at a time`);
  });

  test("says who judges where no process does", () => {
    const gates = `stages:
  - { id: look, gate: { change: {} } }
  - { id: ask, gate: { approval: { question: Fine? } } }
  - { id: tell, gate: { approval: {} } }
`;
    const lines = linesOf(explainPlan(planFrom(gates))).filter((line) => /^(look|ask|tell) /.test(line));
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, -1))).toMatchInlineSnapshot(`
      [
        [
          "look",
          "inspection",
          "the change since the run began",
          "idempotent",
          "1",
          "10m",
          "1",
          "-",
          "not asked",
        ],
        [
          "ask",
          "approval",
          "asks a person: Fine?",
          "idempotent",
          "1",
          "-",
          "1",
          "-",
          "a person",
        ],
        [
          "tell",
          "approval",
          "asks a person",
          "idempotent",
          "1",
          "-",
          "1",
          "-",
          "a person",
        ],
      ]
    `);
  });

  test("says where its processes work, behind which wall", () => {
    const worksIn = (workspace: Blueprint["workspace"], stage: object = {}) =>
      linesOf(explainPlan(planOf(blueprint([command("a", stage)], { workspace })))).filter((line) =>
        /^a |^Works/.test(line),
      );
    expect(worksIn({ kind: "worktree", from: "working_tree", share: [] }, { network: ["a.org", "b.org"] })).toEqual([
      expect.stringContaining("workspace_write + 2 hosts"),
      "Works in  a linked worktree of the files as they lie there",
    ]);
    const models = { tokens: 1, microUsd: 1, calls: 1, providers: null };
    expect(worksIn({ kind: "clone", from: "head", share: [] }, { models })[0]).toContain("workspace_write + models ");
    expect(worksIn({ kind: "clone", from: "head", share: [] })[1]).toBe(
      "Works in  a private clone of the commit that is checked out",
    );
    expect(worksIn({ kind: "clone", from: "head", share: ["node_modules", ".venv"] })[1]).toContain(
      ", with a copy of node_modules, .venv",
    );
    expect(worksIn({ kind: "directory", from: "head", share: [] })[1]).toBe("Works in  the project folder, read-only");
    expect(explainPlan(planOf(blueprint([action("n")])))).toContain("no workspace: it starts no process");
  });
});
