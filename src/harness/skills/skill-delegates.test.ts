import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { createMemoryJournal } from "../journal/memory-journal.ts";
import { runAgent } from "../run-agent.ts";
import { loadSkills } from "./load-skills.ts";
import { skillDelegates } from "./skill-delegates.ts";

describe("skills that are instructions", () => {
  test("T10: are delegated to as child runs, and what they use counts for the parent", async () => {
    const { skills } = await loadSkills({ user: null, project: null });
    const delegates = skillDelegates(skills);
    expect(Object.keys(delegates)).toEqual(["skill__loop_verifier", "skill__minimal_fix"]);
    const journal = createMemoryJournal();
    const asked: string[] = [];
    const model = scriptedModel((options, times) => {
      asked.push(JSON.stringify(options.prompt));
      const usage = { input: 10, output: 5 };
      if (times === 1) return { calls: [{ tool: "skill__minimal_fix", input: { task: "fix it" } }], usage };
      return { text: times === 2 ? "fixed" : "all done", usage };
    });
    const result = await runAgent({ prompt: "go", agent: { model, delegates }, ports: { journal } });
    expect(result).toMatchObject({ status: "completed", output: "all done", usage: { tokens: 45, modelCalls: 3 } });
    expect(result.steps[0]?.calls[0]).toMatchObject({ tool: "skill__minimal_fix", ok: true });
    expect(asked[1]).toContain("Change only what that reason needs");
    const child = (await journal.read(result.runId)).find(({ type }) => type === "child.ended");
    expect(child).toMatchObject({ usage: { tokens: 15 } });
  });

  test("T10: those with a program are tools, and no delegates", async () => {
    const [skill] = (await loadSkills({ user: null, project: null })).skills;
    if (skill === undefined) throw new Error("there are built-in skills");
    const callable = {
      summary: "",
      argv: ["x"],
      input: null,
      output: null,
      requires: [],
      permissions: [],
      timeoutMs: 1,
      memoryBytes: 1,
      cpuMs: 1,
      risk: "low",
    } as const;
    expect(skillDelegates([{ ...skill, callable }])).toEqual({});
  });
});
