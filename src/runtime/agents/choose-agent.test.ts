import { expect, test } from "vitest";
import { MODEL, PLAN } from "../../adapters/agents/model/signature.ts";
import { SCRIPTED } from "../../adapters/agents/scripted/signature.ts";
import { parseBlueprint } from "../../blueprint/validate.ts";
import { withAgent } from "./choose-agent.ts";

const TEXT = `version: 1
name: x
defaults: { agent: { model: fast, toolset: repo_readonly } }
stages:
  - { id: a, agent: { goal: go, model: smart, max_turns: 4 }, models: { tokens: 1k, usd: 1 } }
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
    leaf.kind === "agent"
      ? [[leaf.id, leaf.agent.use, leaf.agent.script?.name, leaf.models?.tokens, leaf.agent.model]]
      : [],
  );
  return { all: agent, said };
}

test("who works is chosen for stages that do not say, and whoever calls no model needs no way to one, and no name of one", () => {
  expect(chosen("scripted:agents")).toEqual({
    all: { use: "scripted", toolset: "repo_readonly" },
    said: [
      ["a", undefined, "../agents/a.yaml", undefined, undefined],
      ["b", "claude", undefined, undefined, undefined],
      ["m", undefined, "../agents/m.yaml", undefined, undefined],
    ],
  });
  const [a] = chosen("scripted:agents/all.yaml").said;
  expect(a).toEqual(["a", undefined, "../agents/all.yaml", undefined, undefined]);
  expect(chosen("nobody")).toMatchObject({
    all: { use: "nobody", model: "fast" },
    said: expect.arrayContaining([["a", undefined, undefined, 1000, "smart"]]),
  });
});

test("what a script does not heed is not held against a blueprint that is played by one", () => {
  const text = `version: 1
name: x
stages: [{ id: a, agent: { goal: go, skills: [tidy], context: [a.md] }, models: { tokens: 1k, usd: 1 } }]
`;
  const parsed = parseBlueprint(text, "flows/x.yaml");
  if (!parsed.ok) throw new Error("it is sound");
  const contextOf = (ignores: (typeof SCRIPTED)["ignores"] & object) => {
    const [stage] = withAgent(parsed.value, "scripted:s", "/", [{ ...SCRIPTED, ignores }]).stages;
    return stage?.kind === "agent" ? stage.agent.context : null;
  };
  expect(contextOf(["model", "skills", "context"])).toBeUndefined();
  expect(contextOf(["skills"])).toMatchObject({ skills: [], files: ["a.md"] });
  expect(contextOf([])).toMatchObject({ skills: ["tidy"], files: ["a.md"] });
});

test("a script and a plan need no model, and say so; whoever thinks heeds all that a stage may say", () => {
  expect([SCRIPTED, PLAN, MODEL].map(({ ignores }) => ignores)).toEqual([
    ["model", "skills", "context"],
    ["model", "max_turns", "skills", "context"],
    undefined,
  ]);
});
