import { describe, expect, it } from "vitest";
import { parseRepositoryMcp } from "./parse-mcp.ts";

const problemsOf = (text: string): readonly string[] => {
  const parsed = parseRepositoryMcp(text, "pawl.yaml");
  return parsed.ok
    ? []
    : parsed.problems.map(({ what, where }) => `${where?.file}:${where?.line}:${where?.column} ${what}`);
};

describe("MCP servers in pawl.yaml", () => {
  it("are read with what they do not say filled in", () => {
    const text = `
mcp:
  files: { run: [files-server, --stdio] }
  search-web:
    run: [node, server.mjs]
    env: { B: two, A: one, C: three }
    network: [b.example.org, a.example.org]
    tools: ["search_*"]
    timeout: 5s
    memory: 256m
`;
    expect(parseRepositoryMcp(text, "pawl.yaml")).toEqual({
      ok: true,
      value: [
        {
          name: "files",
          argv: ["files-server", "--stdio"],
          env: [],
          network: [],
          tools: null,
          timeoutMs: 60_000,
          memoryBytes: 2 ** 30,
        },
        {
          name: "search-web",
          argv: ["node", "server.mjs"],
          env: [
            ["A", "one"],
            ["B", "two"],
            ["C", "three"],
          ],
          network: ["a.example.org", "b.example.org"],
          tools: ["search_*"],
          timeoutMs: 5000,
          memoryBytes: 256 << 20,
        },
      ],
    });
  });

  it("are none in a file that says nothing of them", () => {
    for (const text of ["", "# nothing\n", "auto_resume: true\n"])
      expect(parseRepositoryMcp(text, "pawl.yaml")).toEqual({ ok: true, value: [] });
  });

  it("are refused with the place of every mistake", () => {
    const text = `mcp:
  Bad_Name: { run: [x] }
  a: { network: [localhost] }
  b: { run: [], cwd: "." }
  c: { run: ["\${params.x}"], env: { PAWL_KEY: x } }
`;
    const problems = problemsOf(text);
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
      "pawl.yaml:2:3",
      "pawl.yaml:3:6",
      "pawl.yaml:3:18",
      "pawl.yaml:4:13",
      "pawl.yaml:4:17",
      "pawl.yaml:5:14",
      "pawl.yaml:5:37",
    ]);
  });

  it("use tools by patterns that can be told", () => {
    expect(problemsOf(`mcp:\n  a: { run: [x], tools: ["{a,b}{"] }\n`)).toEqual([
      expect.stringMatching(/^pawl.yaml:2:26 tools must be names, not a pattern: has braces/),
    ]);
  });

  it("are no list", () => {
    expect(problemsOf("mcp: [a]\n")).toEqual(["pawl.yaml:1:6 mcp must be a map, not a list"]);
    expect(problemsOf("[]\n")).toHaveLength(1);
  });
});
