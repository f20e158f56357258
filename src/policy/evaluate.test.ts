import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "./evaluate.ts";
import type { PolicyRequest } from "./request.ts";
import type { Effect, Rule } from "./rule.ts";

const rule = (id: string, effect: Effect, run: readonly string[], because?: string): Rule => ({
  id,
  effect,
  pattern: { run },
  ...(because === undefined ? {} : { because }),
});
const PUSH: PolicyRequest = { kind: "run", argv: ["git", "push"] };

describe("evaluate", () => {
  it("denies what no rule mentions", () => {
    expect(evaluate([], PUSH)).toEqual({ effect: "deny", rule: "default", why: "no rule allows: run git push" });
    expect(evaluate([rule("a", "allow", ["**"])], { kind: "shell", script: "git push" })).toEqual({
      effect: "deny",
      rule: "default",
      why: 'no rule allows: shell "git push"',
    });
  });

  it("lets the strictest rule win and names the first of its effect", () => {
    const rules = [
      rule("allow[0]", "allow", ["git", "**"]),
      rule("ask[0]", "ask", ["npm", "**"]),
      rule("ask[1]", "ask", ["git", "push"], "pushing is for people"),
      rule("ask[2]", "ask", ["git", "*"]),
    ];
    expect(evaluate(rules, PUSH)).toEqual({ effect: "ask", rule: "ask[1]", why: "pushing is for people" });
    expect(evaluate([...rules, rule("deny[0]", "deny", ["**"])], PUSH)).toEqual({
      effect: "deny",
      rule: "deny[0]",
      why: "rule deny[0] denies: run git push",
    });
    expect(evaluate(rules.slice(0, 1), PUSH)).toMatchObject({
      effect: "allow",
      why: "rule allow[0] allows it",
    });
    expect(evaluate(rules.slice(3), PUSH).why).toBe("rule ask[2] asks a person about: run git push");
  });

  it.each([[[]], [[""]], [["", "x"]]])("denies the argument list %j whatever the rules say", (argv) => {
    expect(evaluate([rule("a", "allow", ["**"])], { kind: "run", argv })).toEqual({
      effect: "deny",
      rule: "default",
      why: "an argument list without a program starts nothing",
    });
  });

  it("never allows more when a rule that asks or denies is added", () => {
    const strictness = { allow: 0, ask: 1, deny: 2 } as const;
    const effects = fc.constantFrom("allow", "ask", "deny");
    const patterns = fc.constantFrom(["git", "push"], ["git", "*"], ["**"], ["npm"]);
    const rules = fc.array(fc.tuple(effects, patterns).map(([effect, run]) => rule("old", effect, run)));
    fc.assert(
      fc.property(rules, fc.constantFrom("ask", "deny"), patterns, (before, effect, run) => {
        const after = evaluate([...before, rule("new", effect, run)], PUSH).effect;
        const old = evaluate(before, PUSH);
        if (old.rule !== "default") expect(strictness[after]).toBeGreaterThanOrEqual(strictness[old.effect]);
        else expect(after).not.toBe("allow");
      }),
    );
  });
});
