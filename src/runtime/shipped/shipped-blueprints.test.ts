import { describe, expect, it } from "vitest";
import { parseBlueprint } from "../../blueprint/validate.ts";
import { SHIPPED_BLUEPRINTS, shippedText } from "./shipped-blueprints.ts";

const ODD = ["sh", "-c", "echo ${HOME}: [x] # 'y'\n"];

const problemsOf = (path: string, params: Readonly<Record<string, never>> | object): readonly string[] => {
  const text = shippedText(path, { params: params as never });
  return text.ok ? [] : text.problems.map(({ what }) => what);
};

describe("a blueprint that comes with Pawl", () => {
  it("is native text with the name of its loop, whatever it is given", () => {
    for (const name of Object.keys(SHIPPED_BLUEPRINTS)) {
      const agent = name === "check" ? {} : { agent: "claude", usd: 0.01 };
      for (const more of [
        {},
        { lint: ODD },
        { lint: ODD, share: ["node_modules", "a b"] },
        { git: false, share: [] },
      ]) {
        const text = shippedText(`builtin:${name}`, { params: { test: ODD, ...agent, ...more }, loop: "mine" });
        if (!text.ok) throw new Error(text.problems[0]?.what);
        const parsed = parseBlueprint(text.value, "x.yaml");
        expect(parsed.ok ? parsed.value.name : parsed.problems).toBe("mine");
      }
    }
  });

  it("allows the commands that it runs, and nothing else", () => {
    const text = shippedText("builtin:check", { params: { test: ODD, lint: ["lint"] } });
    const parsed = parseBlueprint(text.ok ? text.value : "", "x.yaml");
    expect(parsed.ok && parsed.value.name).toBe("check");
    const rules = parsed.ok ? parsed.value.rules : [];
    expect(rules).toHaveLength(2);
    expect(JSON.stringify(rules)).toContain(JSON.stringify(ODD));
  });

  it("says every parameter that it cannot use", () => {
    expect(problemsOf("builtin:x", {})).toEqual(['no blueprint that comes with Pawl is named "x"']);
    expect(problemsOf("builtin:toString", {})).toHaveLength(1);
    expect(problemsOf("builtin:check", { test: ["a"] })).toEqual([]);
    expect(problemsOf("builtin:check", { test: ["a"], agent: "claude" })).toEqual([
      'the parameter "agent" of builtin:check cannot be used: it is none of test, lint, share, git',
    ]);
    const wrong = { test: [], lint: ["a", 1], share: "x", git: "yes", agent: "Claude Code", usd: 0 };
    expect(problemsOf("builtin:fix-tests", wrong)).toHaveLength(6);
    expect(problemsOf("builtin:fix-tests", { test: "npm test", agent: 7, usd: 0.001 })).toHaveLength(3);
  });
});
