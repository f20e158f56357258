import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { stageOf } from "../plan-index.ts";
import { natureOf } from "./nature.ts";

const CHILD = "stages:\n  - { id: a, command: [ok], network: [example.org], untrusted: false }\n";
const QUIET = "params: { n: { default: 0 } }\nstages:\n  - { id: a, command: [ok] }\n";
const PAPER = "stages:\n  - { id: a, group: { parallel: [ { id: x, action: test.work } ] } }\n";

function natureIn(stage: string, head = ""): string {
  const yaml = `${head}stages:\n  - { id: first, command: [ok], capture: json }\n  - { id: it, ${stage} }\n`;
  const plan = planFrom(yaml, { children: { "child.yaml": CHILD, "quiet.yaml": QUIET, "paper.yaml": PAPER } });
  const { nature, writes } = natureOf(plan, stageOf(plan, "it"));
  return `${nature}${writes ? ", writes" : ""}`;
}

describe("the nature of a stage", () => {
  it.each([
    ["command: [ok]", "repeats, writes"],
    ["command: ok", "repeats, writes"],
    ["command: [ok], sandbox: read_only", "repeats"],
    ["command: [ok], network: [example.org], untrusted: false", "waits, writes"],
    ["command: [ok], sandbox: danger_full_access, untrusted: false", "waits, writes"],
    ['command: [ok, "${run.round}"]', "differs, writes"],
    ['command: [ok], env: { R: "round ${run.round}" }', "differs, writes"],
    ['command: [ok, "${run.id}"]', "repeats, writes"],
    ["gate: { command: [ok] }", "repeats"],
    ["gate: { change: {} }", "repeats"],
    ["gate: { approval: {} }", "waits"],
    ["action: test.work", "waits"],
    ['action: test.work, with: { text: "${run.round}" }', "waits"],
    ["run: { blueprint: ./child.yaml }", "waits, writes"],
    ["run: { blueprint: ./quiet.yaml }", "repeats, writes"],
    ['run: { blueprint: ./quiet.yaml, params: { n: "${run.round}" } }', "differs, writes"],
    ["run: { blueprint: ./paper.yaml }", "waits"],
    ["group: { parallel: [ { id: x, command: [ok] }, { id: y, command: [ok] } ] }", "repeats"],
    ["group: { parallel: [ { id: x, command: [ok] }, { id: y, action: test.work } ] }", "waits"],
    ['group: { for_each: "${stages.first.output}", stage: { id: x, command: [ok] } }', "repeats"],
    ['group: { for_each: ["${run.round}"], stage: { id: x, command: [ok] } }', "differs"],
  ])("%s: %s", (stage, nature) => {
    expect(natureIn(stage)).toBe(nature);
  });

  it("waits in the project folder, where people work too", () => {
    expect(natureIn("command: [ok]", "workspace: directory\n")).toBe("waits");
  });

  it("is found once", () => {
    const plan = planFrom("stages:\n  - { id: a, command: [ok] }\n");
    expect(natureOf(plan, stageOf(plan, "a"))).toBe(natureOf(plan, stageOf(plan, "a")));
  });
});
