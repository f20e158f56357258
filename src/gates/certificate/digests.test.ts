import { describe, expect, it, test } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import type { LeafStage, Plan } from "../../plan/plan.ts";
import { gatesDigest, isJudge, judgedBy } from "./digests.ts";

const HEAD = `version: 1
name: test
policy:
  allow: [ { run: ["ok", "**"] } ]
`;
const TEXT = `${HEAD}params: { test: { default: [ok, test] }, other: { default: 1 } }
stages:
  - { id: fix, command: [ok] }
  - { id: check, gate: { command: "\${params.test}" } }
  - id: more
    group: { parallel: [ { id: lint, gate: { command: [ok, lint] } } ] }
`;

const plan = (text = TEXT, options: Parameters<typeof planFrom>[1] = {}): Plan => planFrom(text, options);

describe("the digest of gates", () => {
  it.each<[string, Plan]>([
    ["the level", plan(TEXT, { level: "L3" })],
    ["what is judged", plan(TEXT.replace("command: [ok] }", "command: [ok, other] }"))],
    ["a parameter that no gate has", plan(TEXT, { params: { other: 2 } })],
    [
      "its title and where it leads",
      plan(TEXT.replace("{ id: check,", "{ id: check, title: Check, on_failure: done,")),
    ],
  ])("does not depend on %s", (_, other) => {
    expect(gatesDigest(other)).toBe(gatesDigest(plan()));
  });

  it.each<[string, Plan]>([
    ["the command of a gate", plan(TEXT.replace("[ok, lint]", "[ok, true]"))],
    ["a gate that is gone", plan(TEXT.slice(0, TEXT.indexOf("  - id: more")))],
    ["a parameter of a gate", plan(TEXT, { params: { test: "ok" } })],
    ["the policy", plan(TEXT.replace('["ok", "**"]', '["**"]'))],
    ["the protected paths", { ...plan(), protect: ["other/**"] }],
    ["the gates of a child run", { ...plan(), children: [plan()] }],
  ])("depends on %s", (_, other) => {
    expect(gatesDigest(other)).not.toBe(gatesDigest(plan()));
  });
});

describe("the digest of the gates of a lower level", () => {
  const cut = `${HEAD}stages:
  - { id: check, level: L2, gate: { command: [ok] } }
  - { id: sub, level: L3, run: { blueprint: ./child.yaml } }
  - { id: merge, level: L3, gate: { merge: { allow: ["docs/**"] } } }
`.replace("stages:", "stages:\n  - { id: look, gate: { change: {} } }");
  const child = `${HEAD.replace("name: test", "name: child")}stages:
  - { id: judge, gate: { command: [ok, child] } }
  - { id: more, level: L2, gate: { command: [ok, more] } }
`;
  const at = (level: Plan["level"], text = cut): Plan => plan(text, { level, children: { "child.yaml": child } });

  test("L13: is that of the plan at that level", () => {
    for (const level of ["L1", "L2", "L3"] as const) expect(gatesDigest(at("L3"), level)).toBe(gatesDigest(at(level)));
    const everywhere = cut.replace("{ id: sub, level: L3,", "{ id: sub,");
    for (const level of ["L1", "L2"] as const)
      expect(gatesDigest(at("L3", everywhere), level)).toBe(gatesDigest(at(level, everywhere)));
    expect(new Set(["L1", "L2", "L3"].map((level) => gatesDigest(at(level as Plan["level"])))).size).toBe(3);
  });

  it("is that of the plan itself where the level is no lower", () => {
    expect(gatesDigest(at("L2"), "L3")).toBe(gatesDigest(at("L2")));
    expect(gatesDigest(plan(), "L1")).toBe(gatesDigest(plan()));
  });
});

describe("what judges", () => {
  const leaf = (fields: object): LeafStage => fields as unknown as LeafStage;
  it.each<[string, LeafStage]>([
    ["tests", leaf({ kind: "gate", judge: { by: "tests" } })],
    ["change", leaf({ kind: "inspection", by: "change" })],
    ["person", leaf({ kind: "approval" })],
  ])("is told in a word: %s", (word, stage) => {
    expect(isJudge(stage) && judgedBy(stage)).toBe(word);
  });

  it("is no command, action or run", () => {
    expect(["command", "action", "run"].some((kind) => isJudge(leaf({ kind })))).toBe(false);
  });
});
