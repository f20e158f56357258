import { describe, expect, it } from "vitest";
import type { JsonValue } from "../base/json.ts";
import { DEFAULT_CHANGE_RULES, DEFAULT_DENY, readGateFile } from "./gate-yaml.ts";

function problems(value: JsonValue): readonly string[] {
  const result = readGateFile(value);
  return result.ok ? [] : result.problems.map(({ what, hint }) => `${what} | ${hint}`);
}

describe("readGateFile", () => {
  it("reads every key, and escalates what it refuses", () => {
    const file = { version: 1, denylist: ["infra/**"], maxFiles: 3, autoMergeAllowlist: ["*.md"] };
    const change = { ...DEFAULT_CHANGE_RULES, deny: ["infra/**"], maxFiles: 3, denied: "escalate" };
    expect(readGateFile(file)).toEqual({ ok: true, value: { change, merge: { ...change, allow: ["*.md"] } } });
  });

  it("has the defaults of the original", () => {
    const change = { ...DEFAULT_CHANGE_RULES, deny: DEFAULT_DENY, maxFiles: 10, denied: "escalate" };
    expect(readGateFile({ version: 1 })).toEqual({
      ok: true,
      value: { change, merge: { ...change, allow: ["docs/**", "**/*.md"] } },
    });
  });

  it("names every problem", () => {
    expect(problems([])).toEqual([
      "the content of gate.yaml must be a map | Known are version (1), denylist, maxFiles and autoMergeAllowlist.",
    ]);
    expect(
      problems({ version: 2, maxfiles: 3, colour: "red", maxFiles: 0, denylist: "x", autoMergeAllowlist: ["a[b]"] }),
    ).toEqual([
      'gate.yaml has the unknown key "maxfiles" | Did you mean maxFiles?',
      'gate.yaml has the unknown key "colour" | Known are version, denylist, maxFiles and autoMergeAllowlist.',
      "version of gate.yaml must be 1 | Known are version (1), denylist, maxFiles and autoMergeAllowlist.",
      "maxFiles of gate.yaml must be a whole number of at least 1 | Known are version (1), denylist, maxFiles and autoMergeAllowlist.",
      "denylist of gate.yaml must be a list of at most 1000 globs | Known are version (1), denylist, maxFiles and autoMergeAllowlist.",
      'the glob "a[b]" cannot be used: it has [, ], ! or a backslash, which mean nothing in a glob: write ? or {a,b} | Globs know **, *, ? and {a,b}.',
    ]);
    expect(problems({ version: 1, denylist: [1] })).toHaveLength(1);
    expect(problems({ version: 1, denylist: Array(1001).fill("a") })).toHaveLength(1);
    expect(problems({ version: 1, maxFiles: 1.5 })).toHaveLength(1);
  });
});
