import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../test/support/property.ts";
import type { Blueprint } from "./blueprint.ts";
import { parseBlueprint } from "./validate.ts";

const HEAD = "version: 1\nname: demo\n";

function good(text: string): Blueprint {
  const result = parseBlueprint(text, "x.yaml");
  if (!result.ok) throw new Error(result.problems.map(({ what }) => what).join("; "));
  return result.value;
}

function problems(text: string): string[] {
  const result = parseBlueprint(text, "x.yaml");
  return result.ok ? [] : result.problems.map(({ code, where }) => `${where?.line}:${where?.column} ${code}`);
}

describe("the workspace", () => {
  const workspace = (text: string) => good(`${HEAD}workspace: ${text}\nstages: [{ id: a, command: [a] }]\n`).workspace;

  it("is a clone of the commit that is checked out, wherever nothing else is said", () => {
    expect(workspace("clone")).toEqual({ kind: "clone", from: "head", share: [] });
    expect(workspace("{}")).toEqual({ kind: "clone", from: "head", share: [] });
    expect(workspace("{ from: working_tree }")).toEqual({ kind: "clone", from: "working_tree", share: [] });
    expect(workspace("{ kind: worktree, share: [b, a, b] }")).toEqual({
      kind: "worktree",
      from: "head",
      share: ["a", "b"],
    });
    expect(workspace("{ max_size: 2m, max_files: 9 }")).toEqual({
      kind: "clone",
      from: "head",
      share: [],
      maxBytes: 2 << 20,
      maxFiles: 9,
    });
    expect(workspace("{ kind: directory }")).toEqual({ kind: "directory", from: "head", share: [] });
  });
});

describe("the stage that is entered instead", () => {
  it("is one of the blueprint, and reached by that alone", () => {
    const stages = (below: string) => `${HEAD}stages:
  - { id: a, command: [a], on_success: b }
  - { id: b, command: [b], level: L2, below: ${below}, on_success: done, on_failure: escalate }
  - { id: c, command: [c] }
`;
    expect(good(stages("c")).stages[1]).toMatchObject({ below: { target: "c", where: { line: 5 } } });
    expect(problems(stages("nowhere"))).toEqual(["5:46 BLUEPRINT_ROUTE_TARGET_UNKNOWN"]);
    expect(
      problems(`${HEAD}stages:\n  - { id: a, below: a, group: { parallel: [{ id: b, command: [b] }] } }\n`),
    ).toEqual(["4:14 BLUEPRINT_KEY_MISPLACED"]);
  });
});

describe("parseBlueprint", () => {
  it("leaves what the author left out to the compiler", () => {
    expect(good(`${HEAD}stages: [{ id: a, command: [make] }]\n`)).toEqual({
      version: 1,
      name: "demo",
      workspace: { kind: "clone", from: "head", share: [] },
      params: [],
      defaults: {},
      limits: {},
      use: [],
      rules: [],
      protect: [],
      unprotect: [],
      stages: [
        {
          kind: "command",
          id: "a",
          inputs: [],
          on: [],
          program: { argv: { lit: ["make"] } },
          env: [],
          capture: "none",
          outputs: [],
          where: { file: "x.yaml", line: 3, column: 16, length: 1 },
        },
      ],
      file: "x.yaml",
    });
  });

  it("keeps globs of files below the top, for processes only", () => {
    const stages = (rest: string): string => `${HEAD}stages:\n  - { id: a, ${rest} }\n`;
    expect(good(stages('command: [a], keep: ["out/**", x.png]')).stages[0]).toMatchObject({
      keep: ["out/**", "x.png"],
    });
    expect(good(stages("gate: { command: [a] }, keep: [out/*]")).stages[0]).toMatchObject({ keep: ["out/*"] });
    expect(
      ["[../out]", "[/out]", "[]", '["a[b]"]', "[5]"].map((keep) => problems(stages(`command: [a], keep: ${keep}`))),
    ).toEqual([
      ["4:35 BLUEPRINT_GLOB_INVALID"],
      ["4:35 BLUEPRINT_GLOB_INVALID"],
      ["4:34 BLUEPRINT_VALUE_INVALID"],
      ["4:35 BLUEPRINT_GLOB_INVALID"],
      ["4:35 BLUEPRINT_VALUE_INVALID"],
    ]);
    expect(problems(stages("action: values.set, keep: [out]"))).toEqual(["4:34 BLUEPRINT_KEY_MISPLACED"]);
  });

  it("names rules by their list and place", () => {
    const { rules } = good(
      `${HEAD}policy: { deny: [{ action: x.y }], allow: [{ run: [a] }, { shell: "b *", because: why }] }\nstages: [{ id: a, command: [a] }]\n`,
    );
    expect(rules).toEqual([
      { id: "blueprint.allow[0]", effect: "allow", pattern: { run: ["a"] }, where: "x.yaml:3:44" },
      { id: "blueprint.allow[1]", effect: "allow", pattern: { shell: "b *" }, because: "why", where: "x.yaml:3:58" },
      { id: "blueprint.deny[0]", effect: "deny", pattern: { action: "x.y" }, where: "x.yaml:3:18" },
    ]);
  });

  it("keeps the place of a rule when one before it cannot be read", () => {
    expect(
      problems(`${HEAD}policy: { allow: [{ run: 5 }, { run: ["**", a] }] }\nstages: [{ id: a, command: [a] }]\n`),
    ).toEqual(["3:26 BLUEPRINT_VALUE_TYPE", "3:39 BLUEPRINT_RULE_PATTERN"]);
  });

  it("reads money and tokens exactly", () => {
    const limits = (text: string) => good(`${HEAD}limits: ${text}\nstages: [{ id: a, command: [a] }]\n`).limits;
    expect(limits("{ usd: 0.07, tokens: 500k }")).toEqual({ microUsd: 70_000, tokens: 500_000 });
    expect(limits("{ usd: 0, tokens: 0 }")).toEqual({ microUsd: 0, tokens: 0 });
    expect(limits("{ usd: 1000000, tokens: 1.234m }")).toEqual({ microUsd: 1e12, tokens: 1_234_000 });
  });

  it("lists only as many names as a person reads", () => {
    const stages = Array.from({ length: 20 }, (_, index) => `{ id: s${index}, command: [a] }`).join(", ");
    const result = parseBlueprint(
      `${HEAD}stages: [${stages}, { id: z, command: [a], on_failure: nowhere }]\n`,
      "x.yaml",
    );
    expect(result).toMatchObject({
      problems: [{ hint: "Known here: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11 and more." }],
    });
  });

  it("refuses a list that is too long", () => {
    const items = Array.from({ length: 101 }, () => "a.log").join(", ");
    const result = parseBlueprint(`${HEAD}stages: [{ id: b, command: [a], inputs: [${items}] }]\n`, "x.yaml");
    expect(result).toMatchObject({ problems: [{ what: "inputs must be a list of 0 to 100 items, not 101 items" }] });
  });

  it("refuses more than ten thousand stages", () => {
    const text = `${HEAD}stages:\n${"- {id: a,run: }\n".repeat(10_001)}`;
    expect(problems(text)).toEqual(["4:1 BLUEPRINT_VALUE_INVALID"]);
  });

  it("shows nothing of the author's text that a terminal would act on", () => {
    const result = parseBlueprint(`${HEAD}"\\e[31m\\u202e": 1\nstages: [{ id: a, command: [a] }]\n`, "x.yaml");
    expect(result).toMatchObject({ problems: [{ what: 'unknown key "\\u001b[31m\\u202e" in the blueprint' }] });
  });

  it("never throws and always names a place, whatever the text", () => {
    const word = fc.constantFrom(
      "version: 1\n",
      "name: demo\n",
      "stages:\n",
      "- id: a\n",
      "  command: [a]\n",
      "  group:\n",
      "    for_each: [1]\n",
      "  on: {",
      "}",
      "[",
      "]",
      "${",
      "params",
      ".",
      "\n",
      "  ",
      ": ",
      "- ",
      '"',
      "'",
      "|",
      ">",
      "&a",
      "*a",
      "!t",
      "%",
      "#",
      "\t",
      "\u0000",
      "\u{1f600}",
    );
    assertProperty(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const result = parseBlueprint(words.join(""), "x.yaml");
        if (!result.ok)
          expect(result.problems.every(({ where, exit }) => where !== undefined && exit === 3)).toBe(true);
      }),
      { runs: 1500 },
    );
  });

  it("finds the same problems every time", () => {
    const text = `${HEAD}stages: [{ id: a, comand: [x], on_success: b }, { id: b }]\n`;
    expect(parseBlueprint(text, "x.yaml")).toEqual(parseBlueprint(text, "x.yaml"));
  });
});
