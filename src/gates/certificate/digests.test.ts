import { describe, expect, it } from "vitest";
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
