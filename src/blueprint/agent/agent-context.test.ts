import { describe, expect, it } from "vitest";
import { parseBlueprint } from "../validate.ts";

const contextIn = (agent: string): unknown => {
  const text = `version: 1\nname: t\nstages:\n  - { id: a, agent: { use: command, goal: x, run: [x]${agent} } }\n`;
  const parsed = parseBlueprint(text, "b.yaml");
  if (!parsed.ok) return parsed.problems.map(({ code }) => code);
  const [stage] = parsed.value.stages;
  return stage?.kind === "agent" ? stage.agent.context : null;
};
const WHERE = expect.objectContaining({ file: "b.yaml", line: 4 });

describe("what an agent is told besides its task", () => {
  it("is skills by name and files by glob, either or both", () => {
    expect(contextIn("")).toBeUndefined();
    expect(contextIn(", skills: [tidy, tidy@1.2.0]")).toEqual({
      skills: ["tidy", "tidy@1.2.0"],
      files: [],
      where: WHERE,
    });
    expect(contextIn(', context: ["src/**"]')).toEqual({ skills: [], files: ["src/**"], where: WHERE });
    expect(contextIn(', skills: [a], context: ["b"]')).toEqual({ skills: ["a"], files: ["b"], where: WHERE });
  });

  it("is refused where it names none, or leaves the project", () => {
    expect(contextIn(", skills: []")).toEqual(["BLUEPRINT_VALUE_INVALID"]);
    expect(contextIn(", skills: [Not A Skill]")).toEqual(["BLUEPRINT_VALUE_INVALID"]);
    expect(contextIn(', context: ["../x"]')).toEqual(["BLUEPRINT_GLOB_INVALID"]);
  });
});
