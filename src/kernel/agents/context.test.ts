import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../../test/support/run-plan.ts";
import { createTestAgents } from "../../../test/support/test-agents.ts";

describe("an agent with a context", () => {
  it("has it among its standing instructions", async () => {
    const plan = planFrom(
      'version: 1\nname: t\npolicy: { allow: [{ action: "agent.*" }, { read: "**" }, { run: ["**"] }, { edit: "**" }] }\nstages:\n  - { id: fix, agent: { use: asks, goal: x, skills: [tidy] } }\n',
    );
    const agents = createTestAgents();
    await createTestHost(plan, { ports: { agents } }).start();
    expect(agents.tasks[0]?.system).toMatch(/keep its rules and skills; its files are to look at\.\nknows tidy$/);
  });
});
