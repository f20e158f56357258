import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { familyArbitrary } from "../../test/support/blueprint-arbitrary.ts";
import {
  action,
  argv,
  blueprint,
  command,
  compileInput,
  gate,
  group,
  lit,
  param,
  planOf,
  ref,
  run,
} from "../../test/support/blueprint-builder.ts";
import { assertProperty } from "../../test/support/property.ts";
import { sha256 } from "../base/digest.ts";
import type { Expression } from "../base/expression.ts";
import { canonical, type JsonValue } from "../base/json.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import { compile } from "./compile.ts";
import { fingerprint, freeze } from "./fingerprint.ts";
import type { Plan } from "./plan.ts";

/** The same blueprint as another author would write it: other places, other order of keys. */
function rewritten<T>(value: T): T {
  if (Array.isArray(value)) return value.map(rewritten) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [
    key,
    key === "where" ? { file: "", line: 9, column: 9, length: 9 } : rewritten(member),
  ]);
  return Object.fromEntries(entries.reverse()) as T;
}

const base = (change: Partial<Blueprint> = {}): Blueprint => ({
  ...blueprint(
    [
      command("a", {
        program: argv("x"),
        env: [
          ["A", lit("1")],
          ["B", lit("2")],
        ],
        outputs: [
          { name: "o", path: "p" },
          { name: "q", path: "r" },
        ],
      }),
      action("b", {
        with: {
          map: [
            ["one", lit(1)],
            [
              "two",
              {
                map: [
                  ["x", lit(1)],
                  ["y", { list: [lit(2)] }],
                ],
              },
            ],
          ],
        },
      }),
      gate("c", { judge: { by: "exit", escalateExits: [3, 4] } }),
      run("d", "kid", {
        params: [
          ["p", lit(1)],
          ["q", lit(2)],
        ],
      }),
      group("e", [command("m")]),
    ],
    {
      limits: { rounds: 2 },
      params: [
        ["x", param({ default: 1 })],
        ["y", param({ default: 2 })],
      ],
    },
  ),
  ...change,
});

const kidFrom = (from: "head" | "working_tree") =>
  blueprint([command("k")], {
    name: "kid",
    workspace: { kind: "clone", from, share: [] },
    params: [
      ["p", param({ default: 0 })],
      ["q", param({ default: 0 })],
    ],
  });
const kid = kidFrom("head");
const given = {
  actions: [
    {
      name: "note",
      summary: "",
      effect: "idempotent",
      cost: { tokens: 0, microUsd: 0 },
      input: { one: { required: false, summary: "" }, two: { required: false, summary: "" } },
    },
  ],
} as const;
const nameOf = (source: Blueprint, child = kid): string => planOf(source, given, [child]).fingerprint;
const nameWith = (index: number, stage: object): string => {
  const { stages } = base();
  return nameOf(
    base({ stages: stages.map((spec, at) => (at === index ? ({ ...spec, ...stage } as typeof spec) : spec)) }),
  );
};

describe("the fingerprint", () => {
  test("is the digest of the canonical text of everything else in the plan", () => {
    const plan = planOf(base(), given, [kid]);
    const { fingerprint: name, ...body } = plan;
    expect(name).toBe(sha256(canonical(body as unknown as JsonValue)));
    expect(fingerprint(plan)).toBe(name);
    expect(fingerprint({ ...plan, name: "other" } as Plan)).not.toBe(name);
  });

  test("does not depend on places in the file or on the order of keys", () => {
    assertProperty(
      fc.property(familyArbitrary, ([top, ...children]) => {
        const first = compile(top, compileInput({}, children));
        const second = compile(rewritten(top), compileInput({}, rewritten(children)));
        expect(second.ok && second.value.fingerprint).toBe(first.ok && first.value.fingerprint);
      }),
      { runs: 200 },
    );
  });

  test("does not depend on the order of names where order has no meaning", () => {
    const name = nameOf(base());
    expect(
      nameWith(0, {
        env: [
          ["B", lit("2")],
          ["A", lit("1")],
        ],
      }),
    ).toBe(name);
    expect(
      nameWith(0, {
        outputs: [
          { name: "q", path: "r" },
          { name: "o", path: "p" },
        ],
      }),
    ).toBe(name);
    expect(
      nameWith(1, {
        with: {
          map: [
            [
              "two",
              {
                map: [
                  ["y", { list: [lit(2)] }],
                  ["x", lit(1)],
                ],
              },
            ],
            ["one", lit(1)],
          ],
        },
      }),
    ).toBe(name);
    expect(nameWith(2, { judge: { by: "exit", escalateExits: [4, 3, 4] } })).toBe(name);
    expect(
      nameWith(3, {
        params: [
          ["q", lit(2)],
          ["p", lit(1)],
        ],
      }),
    ).toBe(name);
    expect(
      nameOf(
        base({
          params: [
            ["y", param({ default: 2 })],
            ["x", param({ default: 1 })],
          ],
        }),
      ),
    ).toBe(name);
    expect(nameOf(base({ description: "Other words.", file: "other.yaml" }))).toBe(name);
  });

  test("changes with every change of meaning", () => {
    const text: Expression = { text: ["x", { ref: ["params", "x"] }] };
    const names = [
      nameOf(base()),
      nameOf(base({ name: "other" })),
      nameOf(base({ limits: { rounds: 3 } })),
      nameOf(
        base({
          params: [
            ["x", param({ default: 3 })],
            ["y", param({ default: 2 })],
          ],
        }),
      ),
      nameOf(base({ rules: [{ id: "r", effect: "deny", pattern: { run: ["x"] } }] })),
      nameOf(base({ stages: [...base().stages].reverse() })),
      nameOf(base(), blueprint([command("k", { timeoutMs: 1 })], { name: "kid", params: kid.params })),
      planOf(base(), { ...given, level: "L2" }, [kid]).fingerprint,
      nameWith(0, { program: argv("y") }),
      nameWith(0, { program: { argv: { list: [text] } } }),
      nameWith(0, { program: { argv: { list: [ref("params.x")] } } }),
      nameWith(0, { program: { shell: lit("x") } }),
      nameWith(0, { maxAttempts: 2 }),
      nameWith(0, { effect: "once" }),
      nameWith(0, { sandbox: "read_only" }),
      nameWith(0, { network: ["example.org"] }),
      nameWith(0, { resources: { memoryBytes: 1024 } }),
      nameOf(base({ workspace: { kind: "clone", from: "working_tree", share: [] } }), kidFrom("working_tree")),
      nameWith(0, { on: [{ outcome: "failure", target: "c", where: { file: "", line: 1, column: 1, length: 1 } }] }),
      nameWith(0, {
        env: [
          ["A", lit("2")],
          ["B", lit("1")],
        ],
      }),
      nameWith(2, { judge: { by: "exit", escalateExits: [3] } }),
      nameWith(3, {
        params: [
          ["p", lit(2)],
          ["q", lit(1)],
        ],
      }),
      nameWith(4, { failFast: true }),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("freeze", () => {
  test("reaches everything in a value", () => {
    const value = freeze({ list: [{ deep: null, text: "x" }] });
    expect([Object.isFrozen(value), Object.isFrozen(value.list), Object.isFrozen(value.list[0])]).toEqual([
      true,
      true,
      true,
    ]);
    expect(freeze(null)).toBe(null);
  });
});
