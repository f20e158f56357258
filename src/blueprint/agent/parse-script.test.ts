import { describe, expect, it } from "vitest";
import { parseScript } from "./parse-script.ts";

const parsed = (text: string) => parseScript(text, "fix.yaml");
const steps = (...lines: readonly string[]) =>
  parsed(
    `version: 1\nattempts:\n  - ${lines.map((line, index) => `${index === 0 ? "" : "    "}- ${line}`).join("\n")}\n`,
  );

describe("a script", () => {
  it("is plain data, in the words of the file", () => {
    const result = steps(
      "say: I look",
      "read: a.js",
      'edit: { path: a.js, find: "1", put: "" }',
      'write: { path: b.js, text: "two" }',
      "remove: c.js",
      'run: ["npm", test, 3]',
      "fetch: example.org:443",
      "call: { tool: deploy, input: { to: [1, { value: 2 }] } }",
      "call: { tool: think }",
      "usage: { tokens: 2k, usd: 0.5 }",
      "retry: overloaded",
      "answer: { outcome: accept }",
      "fail: { why: lost }",
      "hang: true",
    );
    expect(result).toEqual({
      ok: true,
      value: {
        stops_when_denied: false,
        attempts: [
          [
            { say: "I look" },
            { read: "a.js" },
            { edit: { path: "a.js", find: "1", put: "" } },
            { write: { path: "b.js", text: "two" } },
            { remove: "c.js" },
            { run: ["npm", "test", "3"] },
            { fetch: "example.org:443" },
            { call: { tool: "deploy", input: { to: [1, { value: 2 }] } } },
            { call: { tool: "think" } },
            { usage: { tokens: 2000, usd: 500_000 } },
            { retry: "overloaded" },
            { answer: { outcome: "accept" } },
            { fail: { why: "lost" } },
            { hang: true },
          ],
        ],
      },
    });
    expect(parsed("version: 1\nstops_when_denied: true\nattempts: [[{ say: a }], [{ say: b }]]")).toMatchObject({
      value: { stops_when_denied: true, attempts: [[{ say: "a" }], [{ say: "b" }]] },
    });
  });

  it.each([
    ["nothing", "", "BLUEPRINT_TEXT_EMPTY"],
    ["a list", "- a", "BLUEPRINT_VALUE_TYPE"],
    ["another version", "version: 2\nattempts: [[{ say: a }]]", "BLUEPRINT_VALUE_INVALID"],
    ["no attempts", "version: 1", "BLUEPRINT_KEY_MISSING"],
    ["a step that does two things", "version: 1\nattempts: [[{ say: a, read: b }]]", "BLUEPRINT_VALUE_INVALID"],
    ["a step that does nothing", "version: 1\nattempts: [[{}]]", "BLUEPRINT_VALUE_INVALID"],
    ["a step that is text", "version: 1\nattempts: [[say]]", "BLUEPRINT_VALUE_TYPE"],
    ["a word that nobody knows", "version: 1\nattempts: [[{ shout: a }]]", "BLUEPRINT_KEY_UNKNOWN"],
    ["an end that nobody knows", "version: 1\nattempts: [[{ fail: { why: bored } }]]", "BLUEPRINT_VALUE_INVALID"],
    ["text in place of text", "version: 1\nattempts: [[{ write: { path: a, text: 3 } }]]", "BLUEPRINT_VALUE_INVALID"],
  ])("is refused as %s", (_what, text, code) => {
    const result = parsed(text);
    expect(result.ok ? [] : result.problems.map((problem) => problem.code)).toContain(code);
  });
});
