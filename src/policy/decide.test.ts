import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../test/support/property.ts";
import { compilePolicy } from "./compile.ts";
import { decide, explain } from "./decide.ts";
import type { PolicyRequest } from "./request.ts";
import type { Decision, Effect, Rule } from "./rule.ts";

const rule = (id: string, effect: Effect, run: readonly string[], because?: string): Rule => ({
  id,
  effect,
  pattern: { run },
  ...(because === undefined ? {} : { because }),
});
const evaluate = (rules: readonly Rule[], request: PolicyRequest): Decision => decide(compilePolicy(rules), request);
const PUSH: PolicyRequest = { kind: "run", argv: ["git", "push"] };

describe("decide", () => {
  it("denies what no rule mentions", () => {
    expect(evaluate([], PUSH)).toEqual({ effect: "deny", rule: "default", why: "no rule allows: run git push" });
    expect(evaluate([rule("a", "allow", ["**"])], { kind: "action", action: "git.push" })).toEqual({
      effect: "deny",
      rule: "default",
      why: "no rule allows: action git.push",
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
    assertProperty(
      fc.property(rules, fc.constantFrom("ask", "deny"), patterns, (before, effect, run) => {
        const after = evaluate([...before, rule("new", effect, run)], PUSH).effect;
        const old = evaluate(before, PUSH);
        if (old.rule !== "default") expect(strictness[after]).toBeGreaterThanOrEqual(strictness[old.effect]);
        else expect(after).not.toBe("allow");
      }),
    );
  });
});

describe("shadow rules", () => {
  const shadow = (id: string, effect: Effect): Rule => ({ ...rule(id, effect, ["git", "push"]), shadow: true });
  const all = [shadow("a", "allow"), shadow("k", "ask"), shadow("d", "deny")];

  it.each<[Effect | "none", readonly string[] | undefined]>([
    ["none", ["k", "a"]],
    ["allow", ["d", "k"]],
    ["ask", ["d"]],
    ["deny", undefined],
  ])("never decide, and are named when they would have: %s", (effect, named) => {
    const rules = effect === "none" ? all : [rule("r", effect, ["git", "*"]), ...all];
    const { shadow: seen, ...decision } = evaluate(rules, PUSH);
    expect(seen).toEqual(named);
    expect(decision).toEqual(evaluate(rules.slice(0, -3), PUSH));
    expect(evaluate(all, { kind: "run", argv: ["ls"] }).shadow).toBeUndefined();
  });
});

describe("rules that only tighten", () => {
  const ask: Rule = { ...rule("k", "ask", ["git", "**"]), tightens: true };
  const by = (rules: readonly Rule[], request: PolicyRequest = PUSH): string => {
    const { effect, rule: id } = evaluate(rules, request);
    return `${effect} ${id}`;
  };

  it("ask about what is allowed, and leave denied what nobody allows", () => {
    expect(by([ask])).toBe("deny default");
    expect(by([ask, rule("a", "allow", ["git", "push"])])).toBe("ask k");
    expect(by([ask, rule("d", "deny", ["git", "push"])])).toBe("deny d");
    expect(by([ask, rule("o", "ask", ["git", "push"])])).toBe("ask o");
    expect(explain(compilePolicy([ask, rule("a", "allow", ["git", "push"])]), PUSH)).toMatchObject({
      decision: { effect: "ask", rule: "k" },
      matches: [{ rule: "k" }, { rule: "a" }],
    });
    expect(evaluate([{ ...ask, shadow: true }], PUSH).shadow).toBeUndefined();
  });

  it("ask about a part of what is allowed as a whole, and about a whole whose parts are allowed", () => {
    const text: Rule = { id: "t", effect: "allow", pattern: { shell: "git *" } };
    expect(by([ask, text], { kind: "shell", script: "git push" })).toBe("ask k");
    const outer: Rule = { ...rule("w", "ask", ["timeout", "**"]), tightens: true };
    expect(by([outer, rule("a", "allow", ["ls"])], { kind: "run", argv: ["timeout", "5", "ls"] })).toBe("ask w");
    expect(by([outer], { kind: "run", argv: ["timeout", "5", "ls"] })).toBe("deny default");
    const whole: Rule = { id: "u", effect: "ask", pattern: { shell: "git *" }, tightens: true };
    expect(by([whole, text], { kind: "shell", script: "git push" })).toBe("ask u");
  });

  it("vouch for nothing: what is denied without them stays denied", () => {
    const sem: Rule = { ...rule("k", "ask", ["sem", "**"]), tightens: true };
    const asked: PolicyRequest = { kind: "run", argv: ["sem", "x"] };
    expect(by([rule("a", "allow", ["sem", "**"])], asked)).toBe("deny default");
    expect(by([sem, rule("a", "allow", ["sem", "**"])], asked)).toBe("deny default");
    expect(by([sem, rule("a", "allow", ["sem", "x"])], asked)).toBe("ask k");
    const env: Rule = { ...rule("k", "ask", ["env", "**"]), tightens: true };
    expect(by([env, rule("a", "allow", ["env", "make", "**"])], { kind: "run", argv: ["env", "make", "x"] })).toBe(
      "ask k",
    );
  });
});

describe("rules that yield", () => {
  const yields: Rule = { ...rule("y", "ask", ["{git,env,sem}", "**"]), yields: true };
  const by = (rules: readonly Rule[], request: PolicyRequest = PUSH): string => {
    const { effect, rule: id } = evaluate(rules, request);
    return `${effect} ${id}`;
  };
  const shell = (script: string): PolicyRequest => ({ kind: "shell", script });
  const run = (...argv: (string | null)[]): PolicyRequest => ({ kind: "run", argv });

  it("ask about what no other rule mentions, and give way to every other", () => {
    expect(by([yields])).toBe("ask y");
    expect(by([yields, rule("a", "allow", ["git", "push"])])).toBe("allow a");
    expect(by([yields, rule("k", "ask", ["git", "push"])])).toBe("ask k");
    expect(by([yields, rule("d", "deny", ["git", "push"])])).toBe("deny d");
    expect(by([yields, { ...rule("t", "ask", ["git", "push"]), tightens: true }])).toBe("ask y");
  });

  it("are read as strictly as rules that allow", () => {
    const careful: Rule = { ...yields, except: [{ field: "arg", op: "eq", values: ["-f"] }] };
    expect(by([yields], run("./git", "push"))).toBe("deny default");
    expect(by([yields], shell("git push $x"))).toBe("deny default");
    expect(by([yields], shell("LD_PRELOAD=x git push"))).toBe("deny default");
    expect(by([careful], run("git", null))).toBe("deny default");
    expect(by([yields], { kind: "run", argv: ["git", "push"], env: [["X", "1"]] })).toBe("deny default");
    expect(by([yields], { kind: "run", argv: ["git", "push"], env: [["CI", "1"]] })).toBe("ask y");
    expect(by([careful], run("git", "push"))).toBe("ask y");
  });

  it("vouch for nothing that nobody can account for, unless they name all of it", () => {
    expect(by([yields], run("sem", "x"))).toBe("deny default");
    expect(by([yields], run("git", "-c", "a=b", "log"))).toBe("deny default");
    expect(by([yields], run("env", "foo"))).toBe("deny default");
    expect(by([{ ...rule("y", "ask", ["sem", "x"]), yields: true }], run("sem", "x"))).toBe("ask y");
  });

  it("ask about a part of a text, but not where a rule allows the whole text", () => {
    const text: Rule = { id: "t", effect: "allow", pattern: { shell: "git push; *" } };
    const ls = rule("l", "allow", ["ls"]);
    expect(by([yields, ls], shell("ls; git push"))).toBe("ask y");
    expect(by([yields, ls], shell("foo; git push"))).toBe("deny default");
    expect(by([yields, ls, text], shell("git push; ls"))).toBe("allow t");
    expect(by([{ ...rule("y", "ask", ["env", "ls"]), yields: true }, ls], run("env", "ls"))).toBe("ask y");
  });

  it("are named in shadow only where nothing decided, and give way to shadows that allow or deny", () => {
    const shadow = (effect: Effect): Rule => ({ ...rule(effect, effect, ["git", "push"]), shadow: true });
    const dark: Rule = { ...yields, shadow: true };
    expect(evaluate([dark], PUSH).shadow).toEqual(["y"]);
    expect(evaluate([dark, rule("a", "allow", ["git", "push"])], PUSH).shadow).toBeUndefined();
    const all = [shadow("allow"), shadow("ask"), shadow("deny")];
    expect(evaluate([yields, ...all], PUSH).shadow).toEqual(["deny", "allow"]);
  });
});

describe("rules that ask about what is not known", () => {
  const deny: Rule = {
    id: "d",
    effect: "deny",
    pattern: { run: ["**"], args: ["**/.env"] },
    unknown: "ask",
  };
  const cat = rule("c", "allow", ["{cat,sem}", "**"]);
  const by = (rules: readonly Rule[], ...argv: (string | null)[]): string => {
    const { effect, rule: id } = evaluate(rules, { kind: "run", argv });
    return `${effect} ${id}`;
  };

  it("deny what they know, ask about what may be, and say nothing about the rest", () => {
    expect(by([deny, cat], "cat", ".env")).toBe("deny d");
    expect(by([deny, cat], "cat", ".env", null)).toBe("deny d");
    expect(by([deny, cat], "cat", null, "a/.env")).toBe("deny d");
    expect(by([deny, cat], "cat", null)).toBe("ask d");
    expect(by([deny, cat], "cat", "a", null)).toBe("ask d");
    expect(by([deny, cat], "cat", "a")).toBe("allow c");
    expect(by([{ ...deny, pattern: { any: true } }, cat], "cat", null)).toBe("deny d");
    expect(evaluate([{ ...deny, pattern: { read: "a" } }], { kind: "read", path: "a" }).effect).toBe("deny");
  });

  it("ask only about what another rule allows", () => {
    expect(by([deny], "foo", null)).toBe("deny default");
    expect(by([deny, rule("x", "deny", ["cat", "**"]), cat], "cat", null)).toBe("deny x");
    expect(by([deny, rule("k", "ask", ["cat", "**"]), cat], "cat", null)).toBe("ask k");
    expect(by([deny, cat], "sem", null)).toBe("deny default");
    expect(by([{ ...deny, unknown: undefined } as unknown as Rule, cat], "cat", null)).toBe("deny d");
  });

  it("know whatever is no argument", () => {
    const when: Rule = { ...deny, pattern: { run: ["cat", "**"] }, when: [{ field: "arg", op: "eq", values: ["-x"] }] };
    expect(by([when, cat], "cat", "-x", null)).toBe("deny d");
    expect(by([when, cat], "cat", "-y", null)).toBe("ask d");
    expect(by([{ ...when, shadow: true }, cat], "cat", null)).toBe("allow c");
  });

  it("are shown once, with what they would do", () => {
    const { decision, matches } = explain(compilePolicy([deny, cat]), { kind: "run", argv: ["cat", null] });
    expect(decision).toEqual({ effect: "ask", rule: "d", why: "rule d asks a person about: run cat …" });
    expect(matches.map((match) => `${match.effect} ${match.rule}`)).toEqual(["ask d", "allow c"]);
  });
});

describe("explain", () => {
  it("tells every rule that matched, its layer, its place and its reason", () => {
    const rules: Rule[] = [
      { ...rule("blueprint.allow[0]", "allow", ["git", "**"]), where: "a.yaml:3:5" },
      rule("blueprint.allow[1]", "allow", ["npm", "**"]),
      { ...rule("user.ask[0]", "ask", ["git", "push"], "pushing is for people"), where: "u.yaml:1:1" },
      { ...rule("user.deny[0]", "deny", ["git", "push"]), shadow: true },
    ];
    const about = "run git push";
    expect(explain(compilePolicy(rules), PUSH)).toEqual({
      decision: {
        effect: "ask",
        rule: "user.ask[0]",
        why: "pushing is for people",
        where: "u.yaml:1:1",
        shadow: ["user.deny[0]"],
      },
      matches: [
        {
          rule: "user.ask[0]",
          effect: "ask",
          layer: "user",
          because: "pushing is for people",
          where: "u.yaml:1:1",
          about,
        },
        { rule: "blueprint.allow[0]", effect: "allow", layer: "blueprint", where: "a.yaml:3:5", about },
        { rule: "user.deny[0]", effect: "deny", layer: "user", shadow: true, about },
      ],
    });
  });

  it("decides as decide does", () => {
    const patterns = fc.constantFrom(
      ["git", "push"],
      ["git", "*"],
      ["**"],
      ["npm"],
      ["{git,npm}", "**"],
      ["g*", "push"],
    );
    const one = fc.tuple(fc.constantFrom<Effect>("allow", "ask", "deny"), patterns, fc.boolean());
    assertProperty(
      fc.property(fc.array(one), (given) => {
        const rules = given.map(([effect, run, isShadow], index) => ({
          ...rule(`r.${index}`, effect, run),
          ...(isShadow ? { shadow: true as const } : {}),
        }));
        const policy = compilePolicy(rules);
        expect(explain(policy, PUSH).decision).toEqual(decide(policy, PUSH));
      }),
    );
  });
});
