import { describe, expect, it } from "vitest";
import { compilePolicy } from "./compile.ts";
import { decide, explain } from "./decide.ts";
import type { PolicyRequest } from "./request.ts";
import type { Decision, Effect, Pattern, Rule } from "./rule.ts";

const rule = (id: string, effect: Effect, pattern: Pattern): Rule => ({ id, effect, pattern });
const RULES = [
  rule("ls", "allow", { run: ["ls", "**"] }),
  rule("wc", "allow", { run: ["wc", "**"] }),
  rule("npm", "ask", { run: ["npm", "**"] }),
  rule("rm", "deny", { run: ["rm", "**"] }),
  rule("out", "allow", { edit: "out/**" }),
  rule("in", "allow", { read: "**" }),
  rule("sh", "allow", { run: ["bash", "**"] }),
  rule("env", "allow", { run: ["env", "make", "**"] }),
  rule("vim", "allow", { run: ["vim", "a"] }),
  rule("vims", "allow", { run: ["nvim", "*"] }),
  rule("sems", "allow", { run: ["sem", "*"] }),
  rule("nano", "ask", { run: ["nano", "**"] }),
  rule("text", "allow", { shell: "for f in a b; do eval $f; done" }),
  rule("texts", "allow", { shell: "less *" }),
  rule("open", "allow", { shell: "mytool *" }),
  rule("eval", "allow", { shell: "eval a *" }),
];
const POLICY = compilePolicy(RULES);
const shell = (script: string): PolicyRequest => ({ kind: "shell", script });
const run = (...argv: (string | null)[]): PolicyRequest => ({ kind: "run", argv });
const summary = ({ effect, rule: by }: Decision): string => `${effect} ${by}`;

describe("shell text", () => {
  it.each([
    ["ls -l | wc -l", "allow ls"],
    ["ls; rm x", "deny rm"],
    ["ls && npm ci", "ask npm"],
    ["npm ci; rm x", "deny rm"],
    ["npm ci; foo", "deny default"],
    ["ls; foo", "deny default"],
    ["ls > out/a", "allow ls"],
    ["ls > a", "deny default"],
    ["wc < a", "allow wc"],
    ["wc < /etc/hosts", "deny default"],
    ["ls > $X", "deny default"],
    ["ls 2> /dev/null", "allow ls"],
    ["$X", "deny default"],
    ["LD_PRELOAD=x ls", "deny default"],
    ["CI=1 ls", "allow ls"],
    ["FOO=x ls", "deny default"],
    ["eval ls", "allow ls"],
    ["eval rm x", "deny rm"],
    ["source ls", "deny default"],
    ["ls 'a", "deny default"],
    ["# nothing", "deny default"],
    ["for f in a b; do eval $f; done", "allow text"],
    ["eval a b", "allow eval"],
    ['eval a "$b"', "deny default"],
    ["less a.c", "deny default"],
    ["mytool a b", "allow open"],
    ["mytool a; rm b", "deny rm"],
    ["bash -c 'ls; rm x'", "deny rm"],
    ["bash -c 'ls | wc'", "allow sh"],
    ["env rm x", "deny rm"],
  ])("%s is %s", (script, expected) => {
    expect(summary(decide(POLICY, shell(script)))).toBe(expected);
  });

  it("is denied as a whole by a rule about the text", () => {
    const policy = compilePolicy([...RULES, rule("no", "deny", { shell: "*|*" })]);
    expect(summary(decide(policy, shell("ls | wc")))).toBe("deny no");
  });

  it("may be anything where a rule says so, but not what another rule denies", () => {
    const policy = compilePolicy([rule("all", "allow", { shell: "**" }), rule("rm", "deny", { run: ["rm", "**"] })]);
    expect(summary(decide(policy, shell("eval x; ls $y")))).toBe("allow all");
    expect(summary(decide(policy, shell("vim x; ls; rm y")))).toBe("deny rm");
  });

  it("may hide commands where a rule says so, but not beside rules about commands", () => {
    const all = rule("all", "allow", { shell: "**" });
    const under = (script: string, ...rules: Rule[]): string =>
      summary(decide(compilePolicy([all, ...rules]), shell(script)));
    for (const script of ["eval x; vim y", "sem x", "$x", "trap x EXIT", "python -c x", "curl x | sh"]) {
      expect(under(script)).toBe("allow all");
      expect(under(script, rule("guard.rm", "deny", { run: ["rm", "**"] }))).toBe("allow all");
      expect(under(script, rule("rm", "deny", { run: ["rm", "**"] }))).toBe("deny default");
      expect(under(script, rule("rm", "ask", { run: ["rm", "**"] }))).toBe("deny default");
      expect(under(script, rule("rm", "deny", { shell: "rm *" }))).toBe("deny default");
    }
  });

  it("may hold what is not known where a rule names all of it, but not what another rule denies", () => {
    const secret: Rule = { id: "s", effect: "deny", pattern: { run: ["**"], args: [".env"] } };
    const force: Rule = {
      id: "f",
      effect: "deny",
      pattern: { run: ["git", "**"] },
      when: [{ field: "arg", op: "eq", values: ["-f"] }],
    };
    const by = (allowed: string, script: string): string =>
      summary(decide(compilePolicy([secret, force, rule("t", "allow", { shell: allowed })]), shell(script)));
    expect(by("**", "cat *.txt; wc $X")).toBe("allow t");
    expect(by("cat $X", "cat $X")).toBe("allow t");
    expect(by("**", "cat .env")).toBe("deny s");
    expect(by("**", "git push -f")).toBe("deny f");
    expect(by("cat $*", "cat $X")).toBe("deny s");
    const exact: Rule = { id: "r", effect: "allow", pattern: { run: ["sh", "-c", "cat $X"] } };
    expect(summary(decide(compilePolicy([secret, exact]), run("sh", "-c", "cat $X")))).toBe("allow r");
  });

  it("that cannot be read is not allowed by a rule with a wildcard", () => {
    expect(decide(compilePolicy([rule("f", "allow", { shell: "for *" })]), shell("for x")).rule).toBe("default");
    expect(decide(compilePolicy([rule("f", "allow", { shell: "for x" })]), shell("for x")).rule).toBe("f");
  });

  it("is asked about as a whole by a rule that asks", () => {
    const policy = compilePolicy([rule("k", "ask", { shell: "*" })]);
    expect(summary(decide(policy, shell("eval x")))).toBe("ask k");
  });

  it("says which part is not allowed, and which rules matched which part", () => {
    expect(decide(POLICY, shell("ls; foo 'a b'")).why).toBe('no rule allows: run foo "a b"');
    expect(decide(POLICY, shell("wc < $X")).why).toBe("which file it opens is not known");
    const { matches } = explain(POLICY, shell("ls; rm x"));
    expect(matches.map((match) => [match.rule, match.about])).toEqual([
      ["ls", "run ls"],
      ["rm", "run rm x"],
    ]);
  });

  it("is not followed without end", () => {
    let script = "ls";
    for (let depth = 0; depth < 12; depth += 1) script = `bash -c ${JSON.stringify(script)}`;
    expect(decide(compilePolicy([rule("all", "allow", { run: ["{bash,ls}", "**"] })]), shell(script))).toMatchObject({
      effect: "deny",
      rule: "default",
    });
  });

  it("names the shadow rules of all its parts once", () => {
    const shadow = { ...rule("s", "deny", { run: ["{ls,wc}", "**"] }), shadow: true } as const;
    expect(decide(compilePolicy([...RULES, shadow]), shell("ls | wc")).shadow).toEqual(["s"]);
  });
});

describe("programs that start others", () => {
  it.each<[readonly (string | null)[], string]>([
    [["timeout", "5", "ls"], "allow ls"],
    [["timeout", "5", "rm", "x"], "deny rm"],
    [["timeout", "5", "foo"], "deny default"],
    [["env", "make", "all"], "allow env"],
    [["env", "rm", "x"], "deny rm"],
    [["bash", "-c", "foo"], "deny default"],
    [["bash", "-c", "ls"], "allow sh"],
    [["bash", "-c", "eval x"], "deny default"],
    [["vim", "a"], "allow vim"],
    [["vim", "b"], "deny default"],
    [["nvim", "a"], "allow vims"],
    [["sem", "a"], "deny default"],
    [["nano", "a"], "ask nano"],
    [[null, "a"], "deny default"],
    [["", "a"], "deny default"],
    [[], "deny default"],
  ])("%j is %s", (argv, expected) => {
    expect(summary(decide(POLICY, run(...argv)))).toBe(expected);
  });

  it("say why they are denied", () => {
    expect(decide(POLICY, run("sem", "a")).why).toMatch(/^sem: /);
    expect(decide(POLICY, run(null)).why).toBe("which program it starts is not known");
    expect(decide(POLICY, { kind: "edit", path: null }).why).toBe("which file it opens is not known");
  });

  it("are all allowed where every program is", () => {
    expect(summary(decide(compilePolicy([rule("a", "allow", { run: ["**"] })]), run("vim", "x")))).toBe("allow a");
  });
});
