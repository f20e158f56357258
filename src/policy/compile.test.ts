import { describe, expect, it } from "vitest";
import { compilePolicy } from "./compile.ts";
import { decide } from "./decide.ts";
import { type PolicyRequest, REQUEST_KINDS } from "./request.ts";
import type { Pattern, Rule } from "./rule.ts";

const run = (...argv: (string | null)[]): PolicyRequest => ({ kind: "run", argv });
const shell = (script: string): PolicyRequest => ({ kind: "shell", script });
const action = (name: string): PolicyRequest => ({ kind: "action", action: name });
const fetch = (host: string, port = 443): PolicyRequest => ({ kind: "fetch", host, port });
const git = (operation: string, refs: string[] = [], force = false): PolicyRequest => ({
  kind: "git",
  operation,
  refs,
  force,
});
const spend = (microUsd: number, tokens = 0): PolicyRequest => ({ kind: "spend", microUsd, tokens });

/** What a single rule makes of a request, once as a rule that allows and once as one that asks. */
function matching(pattern: Pattern, request: PolicyRequest, more: Partial<Rule> = {}): { must: boolean; may: boolean } {
  const allow = compilePolicy([{ id: "x", effect: "allow", pattern, ...more }]);
  const ask = compilePolicy([{ id: "x", effect: "ask", pattern, ...more }]);
  return { must: decide(allow, request).effect === "allow", may: decide(ask, request).effect === "ask" };
}
const BOTH = { must: true, may: true };
const NONE = { must: false, may: false };
const MAY = { must: false, may: true };

describe("patterns", () => {
  it.each<[Pattern, PolicyRequest, typeof BOTH]>([
    [{ run: ["npm", "test"] }, run("npm", "test"), BOTH],
    [{ run: ["npm", "test"] }, run("npm", "test", "--force"), NONE],
    [{ run: ["npm", "test"] }, run("npm"), NONE],
    [{ run: ["npm", "*"] }, run("npm", "test"), BOTH],
    [{ run: ["npm", "*"] }, run("npm"), NONE],
    [{ run: ["npm", "*"] }, run("npm", "a", "b"), NONE],
    [{ run: ["git", "push", "**"] }, run("git", "push"), BOTH],
    [{ run: ["git", "push", "**"] }, run("git", "push", "-f", "origin"), BOTH],
    [{ run: ["git", "push", "**"] }, run("git"), NONE],
    [{ run: ["**"] }, run("anything", "at all"), BOTH],
    [{ run: ["mytool", "--test=*.js"] }, run("mytool", "--test=a/b.js"), BOTH],
    [{ run: ["mytool", "--test=*.js"] }, run("mytool", "--test=a/b.ts"), NONE],
    [{ run: ["{npm,pnpm}", "{test,lint}"] }, run("pnpm", "lint"), BOTH],
    [{ run: ["{npm,pnpm}", "{test,lint}"] }, run("pnpm", "publish"), NONE],
    [{ run: ["{npm,pnpm}", "{test,lint}"] }, run("yarn", "lint"), NONE],
    [{ run: ["np*", "test"] }, run("npm", "test"), BOTH],
    [{ run: ["rm", "**"] }, run("/bin/rm", "x"), MAY],
    [{ run: ["/bin/rm", "**"] }, run("/bin/rm", "x"), BOTH],
    [{ run: ["/bin/rm", "**"] }, run("rm", "x"), NONE],
    [{ action: "git.commit" }, action("git.commit"), BOTH],
    [{ action: "git.commit" }, action("git.commits"), NONE],
    [{ action: "git.*" }, action("git.commit"), BOTH],
    [{ action: "git.*" }, action("git"), NONE],
    [{ action: "git.*" }, action("github.open"), NONE],
    [{ action: "git.*" }, run("git.commit"), NONE],
    [{ read: "src/**" }, { kind: "read", path: "src/a.ts" }, BOTH],
    [{ read: "src/**" }, { kind: "edit", path: "src/a.ts" }, NONE],
    [{ edit: "src/**" }, { kind: "edit", path: "src/../a.ts" }, NONE],
    [{ edit: "**" }, { kind: "edit", path: "~/a" }, NONE],
    [{ edit: "~/**" }, { kind: "edit", path: "~/a" }, BOTH],
    [{ edit: "/**" }, { kind: "edit", path: "~/a" }, BOTH],
    [{ fetch: "example.org" }, fetch("Example.org."), BOTH],
    [{ fetch: "example.org" }, fetch("example.org", 8080), MAY],
    [{ fetch: "example.org:8080" }, fetch("example.org", 8080), BOTH],
    [{ fetch: "example.org:8080" }, fetch("example.org"), NONE],
    [{ fetch: "example.org" }, fetch("a.example.org"), NONE],
    [{ fetch: "*.example.org" }, fetch("a.b.example.org"), BOTH],
    [{ fetch: "*.example.org" }, fetch("example.org"), NONE],
    [{ fetch: "*.example.org" }, fetch("badexample.org"), NONE],
    [{ fetch: "[::1]:80" }, fetch("[::1]", 80), BOTH],
    [{ tool: "read_*" }, { kind: "tool", tool: "read_file", args: {} }, BOTH],
    [{ tool: "read_*" }, { kind: "tool", tool: "write_file", args: {} }, NONE],
    [{ mcp: "files/*" }, { kind: "mcp", server: "files", tool: "list" }, BOTH],
    [{ mcp: "files/*" }, { kind: "mcp", server: "file", tool: "s/list" }, NONE],
    [{ mcp: "files/list" }, { kind: "mcp", server: "files", tool: "write" }, NONE],
    [{ git: "push" }, git("push", ["main"], true), BOTH],
    [{ git: "push" }, git("fetch"), NONE],
    [{ git: "push", force: true }, git("push", ["main"]), NONE],
    [{ git: "push", force: true }, git("push", ["main"], true), BOTH],
    [{ git: "*", ref: "pawl/*" }, git("push", ["pawl/a", "pawl/b"]), BOTH],
    [{ git: "*", ref: "pawl/*" }, git("push", ["pawl/a", "main"]), MAY],
    [{ git: "*", ref: "pawl/*" }, git("push"), NONE],
    [{ spend: { microUsd: 10 } }, spend(10, 99), { must: true, may: false }],
    [{ spend: { microUsd: 10 } }, spend(11), MAY],
    [{ spend: { tokens: 10 } }, spend(99, 10), { must: true, may: false }],
    [{ spend: { tokens: 10 } }, spend(0, 11), MAY],
    [{ any: true }, spend(1), BOTH],
    [{ any: true }, fetch("example.org"), BOTH],
  ])("%j against %j is %j", (pattern, request, expected) => {
    expect(matching(pattern, request)).toEqual(expected);
  });

  it.each<[Pattern, PolicyRequest, typeof BOTH]>([
    [{ run: ["ls", "**"] }, run("ls", "-l", null), BOTH],
    [{ run: ["ls", "-l", "**"] }, run("ls", "-l", null, "x"), BOTH],
    [{ run: ["ls", "-l", "**"] }, run("ls", null), MAY],
    [{ run: ["ls", "-a", "**"] }, run("ls", "-l", null), NONE],
    [{ run: ["ls", "*"] }, run("ls", null), MAY],
    [{ run: ["ls", "*"] }, run("ls", null, "x"), NONE],
    [{ run: ["ls", "x"] }, run("ls", null), MAY],
  ])("reads an unknown argument as anything: %j against %j is %j", (pattern, request, expected) => {
    expect(matching(pattern, request)).toEqual(expected);
  });

  it("lets nothing unknown pass by a rule with exceptions on arguments", () => {
    const except = [{ field: "arg", op: "eq", values: ["-delete"] }] as const;
    expect(matching({ run: ["find", "**"] }, run("find", "."), { except })).toEqual(BOTH);
    expect(matching({ run: ["find", "**"] }, run("find", ".", "-delete"), { except })).toEqual(NONE);
    expect(matching({ run: ["find", "**"] }, run("find", null), { except })).toEqual(MAY);
  });

  it.each<[string[], string, boolean]>([
    [["/etc/**"], "/etc/passwd", true],
    [["/etc/**"], "/usr/../etc/passwd", true],
    [["/etc/**"], "etc/passwd", false],
    [["/etc/**"], "--file=/etc/passwd", true],
    [["/etc/**"], "if=/etc/passwd", true],
    [["/etc/**"], "-f/etc/passwd", true],
    [["/etc/**"], "@/etc/passwd", true],
    [["/etc/**"], "host:/etc/passwd", true],
    [["/etc/**"], "file:///etc/passwd", true],
    [["~/**"], "~", true],
    [["~/**"], "x", false],
    [["../**"], "a/../..", true],
    [["**/.env"], "-v", false],
  ])("with args %j finds the path in %s: %s", (args, argument, expected) => {
    expect(matching({ run: ["cat", "**"], args }, run("cat", "-n", argument)).may).toBe(expected);
    expect(matching({ run: ["cat", "**"], args }, run("cat", argument, null)).may).toBe(true);
    expect(matching({ run: ["cat", "**"], args }, run("ls", argument)).may).toBe(false);
  });

  it("allows a program with variables only when they are known to be harmless", () => {
    const request = (name: string): PolicyRequest => ({ kind: "run", argv: ["npm", "test"], env: [[name, "1"]] });
    expect(matching({ run: ["npm", "test"] }, request("CI"))).toEqual(BOTH);
    expect(matching({ run: ["npm", "test"] }, request("LD_PRELOAD"))).toEqual(MAY);
    expect(matching({ run: ["**"] }, request("LD_PRELOAD"))).toEqual(BOTH);
  });

  it("reads a shell rule that allows more strictly than one that asks", () => {
    expect(matching({ shell: "make *" }, shell("make all"))).toEqual(BOTH);
    expect(matching({ shell: "make *" }, shell("make; rm x"))).toEqual(NONE);
    expect(matching({ shell: "make *" }, shell("make a; rm x"))).toEqual(MAY);
    expect(matching({ shell: "**" }, shell("make; rm x"))).toEqual(BOTH);
  });
});

describe("compilePolicy", () => {
  const at = (effect: string, pattern: Pattern) => [{ id: "x", effect, pattern } as Rule];

  it.each<[string, () => readonly Rule[]]>([
    ["an effect that does not exist", () => at("maybe", { action: "x" })],
    ["a glob that is none", () => at("deny", { read: "[a]" })],
    ["a host that is none", () => at("deny", { fetch: "a b" })],
    ["a host with an empty part", () => at("deny", { fetch: "a..b" })],
    [
      "an expression that cannot be used",
      () => [{ ...(at("deny", { any: true })[0] as Rule), when: [{ field: "arg", op: "matches", values: ["(?=x)"] }] }],
    ],
  ])("decides nothing it might be about with %s", (_name, rules) => {
    const [rule] = rules();
    const kinds = REQUEST_KINDS.filter((kind) => kind in (rule as Rule).pattern || "any" in (rule as Rule).pattern);
    expect(kinds).not.toEqual([]);
    for (const kind of kinds) expect(() => compilePolicy(rules()).rules(kind)).toThrow(RangeError);
  });
});
