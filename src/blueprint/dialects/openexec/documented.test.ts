/** The blueprint that the documents of OpenExec show, as it stands there. */
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../base/json.ts";
import { parseText } from "../../parse-text.ts";
import { asBlueprint } from "./as-blueprint.ts";
import { execNameIn, parseExecBlueprint } from "./parse-blueprint.ts";

const DOCUMENTED = `version: 1
name: backend_bugfix
description: Fix a backend issue with deterministic validation stages

defaults:
  toolset: coding_backend
  sandbox: workspace_write
  max_step_retries: 2
  approval_mode: on_risky_actions

stages:
  - id: gather_context
    type: deterministic
    action: build_context_pack
    outputs:
      - context_pack
  - id: implement
    type: agent
    goal: Implement requested changes using the context pack
    inputs: [context_pack]
    outputs: [patch]
    on_success: run_linters
    on_failure: fail
  - id: run_linters
    type: deterministic
    action: run_linters
    inputs: [patch]
    outputs: [lint_report]
    on_success: run_tests
    on_failure: fix_lints
  - id: fix_lints
    type: agent
    goal: Fix lint errors without changing unrelated behavior
    inputs: [patch, lint_report]
    outputs: [patch]
    retry_limit: 2
    on_success: run_linters
    on_failure: fail
  - id: run_tests
    type: deterministic
    action: run_tests
    inputs: [patch]
`;
const NO_PROJECT = { gates: [], commands: {}, policy: null, share: [] };

function stagesOf(text: string): readonly JsonObject[] {
  const parsed = parseExecBlueprint(text, "x.yaml", { hasGates: false });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  return (parse(asBlueprint(parsed.value, NO_PROJECT)) as { stages: readonly JsonObject[] }).stages;
}

describe("the documented blueprint of OpenExec", () => {
  test("K16: is read as it stands, and routes lint to whoever mends it and back", () => {
    expect(stagesOf(DOCUMENTED).map(({ id, on_success, on_failure }) => [id, on_success, on_failure])).toEqual([
      ["gather_context", "implement", undefined],
      ["implement", "run_linters", "fail"],
      ["run_linters", "run_tests", "fix_lints"],
      ["fix_lints", "run_linters", "fail"],
      ["run_tests", "done", undefined],
    ]);
  });

  test("K13: of those that put out one name, a stage gets the last that stands before it and has surely been there", () => {
    expect(stagesOf(DOCUMENTED).map(({ inputs }) => inputs)).toEqual([
      undefined,
      ["gather_context.log"],
      ["implement.transcript"],
      ["implement.transcript", "run_linters.log"],
      ["implement.transcript"],
    ]);
    const one = "{ id: one, type: deterministic, commands: [ls], outputs: [p] }";
    const two = "{ id: two, type: deterministic, commands: [pwd], outputs: [p] }";
    const three = "{ id: three, type: agent, goal: go, inputs: [p] }";
    expect(stagesOf(`name: x\nstages: [${one}, ${two}, ${three}]\n`)[2]).toMatchObject({ inputs: ["two.log"] });
    const own = "name: x\nstages: [{ id: a, type: agent, goal: go, inputs: [p], outputs: [p] }]\n";
    expect(stagesOf(own)).toMatchObject([{ inputs: ["a.transcript"] }]);
  });
});

test("a blueprint of OpenExec that is broken is known by what it calls itself", () => {
  const nameIn = (text: string): string | null | undefined => {
    const parsed = parseText(text, "x.yaml", (tree) => ({ name: execNameIn(tree) }));
    return parsed.ok ? parsed.value.name : undefined;
  };
  expect(["id: a\nname: b", "id: 1\nname: b", "name: [b]", "stages: []", "[name]"].map(nameIn)).toEqual([
    ...["a", "b"],
    ...[null, null, null],
  ]);
});
