import { describe, expect, it } from "vitest";
import { failedExamples } from "./examples.ts";
import type { Example, Pattern, Rule } from "./rule.ts";

const rule = (pattern: Pattern, match: readonly Example[], not: readonly Example[] = []): Rule => ({
  id: "x.y",
  effect: "allow",
  pattern,
  examples: { match, not },
});

describe("failedExamples", () => {
  it.each<[Pattern, Example, Example]>([
    [{ run: ["npm", "*"] }, ["npm", "test"], ["npm"]],
    [{ shell: "make *" }, "make all", "make all; x"],
    [{ action: "git.*" }, "git.push", "file.write"],
    [{ read: "src/**" }, "src/a", "a"],
    [{ edit: "src/**" }, "src/a", "src/../a"],
    [{ fetch: "a.org" }, "a.org", "b.org"],
    [{ fetch: "a.org:81" }, "a.org:81", "a.org"],
    [{ tool: "read_*" }, "read_file", "write_file"],
    [{ mcp: "files/*" }, "files/read", "web/read"],
    [{ git: "push", force: true }, "push --force main", "push main"],
    [{ spend: { microUsd: 1_500_000 } }, "1.5 usd", "2 usd"],
    [{ spend: { tokens: 10 } }, "10 tokens", "11 tokens"],
  ])("holds for %j", (pattern, match, not) => {
    expect(failedExamples(rule(pattern, [match], [not]))).toEqual([]);
    expect(failedExamples(rule(pattern, [match, not], [not, match]))).toEqual([
      { list: "match", index: 1, why: "the rule does not match it" },
      { list: "not", index: 1, why: "the rule matches it" },
    ]);
  });

  it.each<[Pattern, Example, string]>([
    [{ run: ["npm"] }, "npm", "an example of this rule is a list of arguments"],
    [{ shell: "npm" }, ["npm"], "an example of this rule is a text"],
    [{ mcp: "a/b" }, "a", "an example of this rule is server/tool"],
    [{ spend: { tokens: 1 } }, "1", "an example of this rule is an amount such as 1.5 usd or 1000 tokens"],
    [{ any: true }, "x", "this rule can have no examples"],
  ])("refuses an example that stands for nothing: %j, %j", (pattern, example, why) => {
    expect(failedExamples(rule(pattern, [example]))).toEqual([{ list: "match", index: 0, why }]);
  });

  it("reads conditions on what is asked for, not on who asks", () => {
    const given: Rule = {
      ...rule({ run: ["npm", "**"] }, [["npm", "test"]], [["npm", "publish"]]),
      when: [
        { field: "user", op: "eq", values: ["ann"] },
        { field: "arg", op: "eq", values: ["test"] },
      ],
    };
    expect(failedExamples(given)).toEqual([]);
    expect(failedExamples({ id: "x", effect: "deny", pattern: { any: true } })).toEqual([]);
  });
});
