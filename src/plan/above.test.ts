import { describe, expect, it } from "vitest";
import { parseBlueprint } from "../blueprint/validate.ts";
import { compile } from "./compile.ts";
import type { ActionSignature } from "./plan.ts";

const action = (name: string, level?: "L2"): ActionSignature => ({
  name,
  summary: "works",
  effect: "keyed",
  cost: { tokens: 0, microUsd: 0 },
  input: {},
  ...(level === undefined ? {} : { level }),
});

function blueprint(name: string, stages: string) {
  const parsed = parseBlueprint(`version: 1\nname: ${name}\nstages:\n${stages}`, `${name}.yaml`);
  if (!parsed.ok) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  return parsed.value;
}

function aboveOf(stages: string): readonly string[] | undefined {
  const compiled = compile(blueprint("test", stages), {
    level: "L3",
    params: {},
    actions: [action("test.look"), action("test.push", "L2")],
    rules: [],
    child: (name) =>
      name.includes("push")
        ? blueprint("pushing", "  - { id: p, action: test.push }")
        : blueprint("looking", "  - { id: l, action: test.look }"),
  });
  if (!compiled.ok) throw new Error(compiled.problems.map(({ what }) => what).join("\n"));
  return compiled.value.above;
}

describe("the stages of a plan that need more than L1", () => {
  it("are those that say so, those whose action needs it, and those that hold or start such", () => {
    expect(
      aboveOf(`  - { id: look, action: test.look }
  - { id: told, action: test.look, level: L3 }
  - { id: push, action: test.push }
  - { id: quiet, group: { parallel: [{ id: a, action: test.look }] } }
  - { id: loud, group: { parallel: [{ id: a, action: test.look }, { id: b, action: test.push }] } }
  - { id: child, run: { blueprint: ./look.yaml } }
  - { id: pusher, run: { blueprint: ./push.yaml } }
`),
    ).toEqual(["told", "push", "loud", "pusher"]);
  });

  it("are left out where there are none", () => {
    expect(aboveOf("  - { id: look, action: test.look }\n")).toBeUndefined();
  });
});
