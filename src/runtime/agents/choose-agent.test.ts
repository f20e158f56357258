import { expect, test } from "vitest";
import { SCRIPTED } from "../../adapters/agents/scripted/signature.ts";
import { parseBlueprint } from "../../blueprint/validate.ts";
import { withAgent } from "./choose-agent.ts";

const TEXT = `version: 1
name: x
stages:
  - { id: a, agent: { goal: go }, models: { tokens: 1k, usd: 1 } }
  - { id: b, agent: { use: claude, goal: go } }
  - id: g
    group: { parallel: [{ id: m, agent: { goal: go } }, { id: n, command: [ls] }] }
`;

function chosen(choice: string) {
  const parsed = parseBlueprint(TEXT, "flows/x.yaml");
  if (!parsed.ok) throw new Error("it is sound");
  const { agent, stages } = withAgent(parsed.value, choice, "/root", [SCRIPTED]);
  const leaves = stages.flatMap((stage) => (stage.kind === "group" ? stage.members : [stage]));
  const said = leaves.flatMap((leaf) =>
    leaf.kind === "agent" ? [[leaf.id, leaf.agent.use, leaf.agent.script?.name, leaf.models?.tokens]] : [],
  );
  return { use: agent?.use, said };
}

test("who works is chosen for stages that do not say, and whoever calls no model needs no way to one", () => {
  expect(chosen("scripted:agents")).toEqual({
    use: "scripted",
    said: [
      ["a", undefined, "../agents/a.yaml", undefined],
      ["b", "claude", undefined, undefined],
      ["m", undefined, "../agents/m.yaml", undefined],
    ],
  });
  expect(chosen("scripted:agents/all.yaml").said[0]).toEqual(["a", undefined, "../agents/all.yaml", undefined]);
  expect(chosen("nobody").said[0]).toEqual(["a", undefined, undefined, 1000]);
});
