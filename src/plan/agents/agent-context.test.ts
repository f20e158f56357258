import { describe, expect, it } from "vitest";
import { TEST_AGENTS } from "../../../test/support/plan-from-yaml.ts";
import { parseBlueprint } from "../../blueprint/validate.ts";
import { compile } from "../compile.ts";

const planWith = (text: string | null) => {
  const source =
    'version: 1\nname: t\npolicy: { allow: [{ action: "agent.*" }, { read: "**" }, { run: ["**"] }] }\nstages:\n  - { id: a, agent: { use: asks, goal: x } }\n';
  const parsed = parseBlueprint(source, "b.yaml");
  if (!parsed.ok) throw new Error("it is a blueprint");
  const context = text === null ? {} : { context: () => ({ text, sha256: `digest of ${text}` }) };
  const plan = compile(parsed.value, {
    ...{ level: "L2", params: {}, actions: [], rules: [], child: () => undefined, agents: TEST_AGENTS },
    ...context,
  });
  if (!plan.ok) throw new Error(plan.problems.map(({ what }) => what).join("\n"));
  const [stage] = plan.value.stages;
  return { fingerprint: plan.value.fingerprint, context: stage?.kind === "agent" ? stage.agent.context : null };
};

describe("the context of an agent in a plan", () => {
  it("is kept as it was put together, and makes another plan when it is another", () => {
    const one = planWith("one");
    expect(one.context).toEqual({ text: "one", sha256: "digest of one" });
    expect(planWith("two").fingerprint).not.toBe(one.fingerprint);
    expect(planWith(null).context).toBeUndefined();
  });
});
