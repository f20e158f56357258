import { describe, expect, it } from "vitest";
import { whyNeverAllows } from "./never-allows.ts";
import type { Pattern, Rule } from "./rule.ts";

const rule = (pattern: Pattern, more: Partial<Rule> = {}): Rule => ({
  ...{ id: "blueprint.allow[0]", effect: "allow", pattern },
  ...more,
});

const NEVER: readonly Pattern[] = [
  { run: ["sudo", "**"] },
  { run: ["{sudo,doas}", "*"] },
  { run: ["/usr/bin/sudo", "ls"] },
  { run: ["rm", "-rf", "/"] },
  { run: ["cat", "config/.env"] },
  { shell: "sudo make *" },
  { read: "{.env,**/*.pem}" },
  { read: "~/.ssh/**" },
  { edit: "/etc/**" },
  { fetch: "169.254.169.254" },
  { fetch: "169.254.169.254:80" },
  { git: "{push,push}", force: true },
  { git: "delete*", ref: "main" },
];

const SOMETIMES: readonly Pattern[] = [
  { run: ["**"] },
  { run: ["*"] },
  { run: ["ls", "**"] },
  { run: ["{sudo,ls}", "**"] },
  { run: ["git", "{push,status}", "**"] },
  { run: ["env", "**"] },
  { run: ["timeout", "5", "*"] },
  { run: ["npm", "*"] },
  { run: ["no-such-program", "do", "**"] },
  { shell: "**" },
  { shell: "make *" },
  { read: "**" },
  { read: ".env*" },
  { edit: "{.env,src/**}" },
  { edit: "{a,b}".repeat(7) },
  { fetch: "*.example.org:8443" },
  { git: "push", ref: "pawl/*" },
  { git: "delete*", ref: "{main,x}" },
  { action: "git.commit" },
  { tool: "*" },
  { mcp: "files/*" },
  { spend: { tokens: 1 } },
];

describe("whyNeverAllows", () => {
  it.each(NEVER)("finds that %j cannot allow anything", (pattern) => {
    expect(whyNeverAllows(rule(pattern))).toMatch(/^guard\.[\w-]+ denies it: /);
  });

  it.each(SOMETIMES)("finds a use that %j may allow", (pattern) => {
    expect(whyNeverAllows(rule(pattern))).toBeUndefined();
  });

  it("does not look at rules that ask or deny", () => {
    expect(whyNeverAllows(rule({ run: ["sudo", "**"] }, { effect: "deny" }))).toBeUndefined();
  });

  it("takes the conditions of a rule into account, but not those about who asks", () => {
    const about = { run: ["sudo", "**"] };
    const who = [{ field: "user", op: "eq", values: ["ada"] }] as const;
    expect(whyNeverAllows(rule(about, { when: who }))).toMatch(/guard\.privilege/);
    // No request that is tried out fits the condition, so nothing is known of the rule.
    const word = [{ field: "arg", op: "eq", values: ["a word that is not tried"] }] as const;
    expect(whyNeverAllows(rule(about, { when: word }))).toBeUndefined();
  });

  it("says what nobody can account for", () => {
    expect(whyNeverAllows(rule({ run: ["env", "sudo", "**"] }))).toBeDefined();
    expect(whyNeverAllows(rule({ shell: "x <(*)" }))).toMatch(/process substitution/);
  });
});
