import { describe, expect, it } from "vitest";
import { parseYaml } from "./parse.ts";
import { createProblems } from "./problems.ts";
import { createSource } from "./text/source.ts";
import type { Tree } from "./text/tree.ts";

function read(text: string): { readonly value: unknown; readonly codes: string[] } {
  const problems = createProblems(createSource(text, "x.yaml"));
  const tree = parseYaml(problems, 250_000);
  return { value: tree === undefined ? undefined : plain(tree), codes: problems.list().map(({ code }) => code) };
}

function plain(tree: Tree): unknown {
  if (tree.kind === "scalar") return tree.value;
  if (tree.kind === "list") return tree.items.map(plain);
  return tree.kind === "map" ? tree.entries.map(({ key, value }) => [key, plain(value)]) : "<broken>";
}

describe("parseYaml", () => {
  it.each([
    [
      "{a, b: 2}",
      [
        ["a", null],
        ["b", 2],
      ],
    ],
    ["? a", [["a", null]]],
    [
      "1: x\ntrue: y\nnull: z",
      [
        ["1", "x"],
        ["true", "y"],
        ["null", "z"],
      ],
    ],
    [
      "a: yes\nb: no\nc: on\nd: 0o17\ne: 1_000",
      [
        ["a", "yes"],
        ["b", "no"],
        ["c", "on"],
        ["d", 15],
        ["e", "1_000"],
      ],
    ],
    ["- 2024-01-01\n- 12:30\n- ~\n- True", ["2024-01-01", "12:30", null, true]],
    [
      "'&a': '*b'\n'!c': \"%d\"",
      [
        ["&a", "*b"],
        ["!c", "%d"],
      ],
    ],
    ["--- [a]\n...\n", ["a"]],
  ])("reads %j by the core schema", (text, value) => {
    expect(read(text)).toEqual({ value, codes: [] });
  });

  it("goes on behind a refused value so that every problem is found at once", () => {
    expect(read("a: &x 1\nb: *x\nc: !t 2\nd: 1e999\na: 3\n__proto__: 4\n<<: 5\ne: 6")).toEqual({
      value: [
        ["a", 1],
        ["b", "<broken>"],
        ["c", "<broken>"],
        ["d", "<broken>"],
        ["e", 6],
      ],
      codes: [
        "BLUEPRINT_YAML_ANCHOR",
        "BLUEPRINT_YAML_ANCHOR",
        "BLUEPRINT_YAML_TAG",
        "BLUEPRINT_NUMBER_INEXACT",
        "BLUEPRINT_KEY_DUPLICATE",
        "BLUEPRINT_KEY_FORBIDDEN",
        "BLUEPRINT_YAML_ANCHOR",
      ],
    });
  });

  it("stops where the text cannot be read with certainty", () => {
    expect(read("a: [\nb: !t 1\n").value).toBeUndefined();
  });

  it("leaves the stack traces of others alone", () => {
    const before = Error.stackTraceLimit;
    read("a: [");
    expect(Error.stackTraceLimit).toBe(before);
  });
});
