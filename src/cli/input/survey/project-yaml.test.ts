import { describe, expect, it } from "vitest";
import { parseProject } from "../../../blueprint/project/parse-project.ts";
import { projectYaml } from "./project-yaml.ts";
import type { Survey } from "./survey.ts";

const CLAUDE = { name: "claude", version: "2.1.0", provider: "anthropic", hasKey: true } as const;
const FOUND: Survey = {
  test: { argv: ["npm", "test"], from: "package.json" },
  lint: { argv: ["npm", "run", "lint"], from: "package.json" },
  ci: [],
  workspace: { isRepository: true, share: ["node_modules"] },
  agents: [CLAUDE],
  agent: CLAUDE,
  loops: [],
  broken: [],
};

const loopsOf = (found: Survey): unknown => {
  const parsed = parseProject(projectYaml(found), "pawl.yaml");
  return parsed.ok ? parsed.value.loops.map(({ name, source }) => `${name} ${source}`) : parsed.problems;
};

/** As a person would: the marks of what was a comment are taken away. */
const uncommented = (text: string): string =>
  text.replace(/^ {2}# (?=fix-tests:| {2})/gm, "  ").replace(/^( +)# (?:lint|every)/gm, "$1# x");

describe("a first pawl.yaml", () => {
  it("has a loop that checks, and one that repairs where an agent can work", () => {
    expect(loopsOf(FOUND)).toEqual(["check builtin:check", "fix-tests builtin:fix-tests"]);
  });

  it("has the second as a comment that says what is missing, and is right once it is none", () => {
    for (const [found, lacks] of [
      [{ ...FOUND, agent: null, agents: [] }, "It needs an agent"],
      [{ ...FOUND, agent: null, agents: [{ ...CLAUDE, hasKey: false }] }, "It needs a key for claude (anthropic"],
      [{ ...FOUND, agent: null, agents: [{ ...CLAUDE, provider: null }] }, "(any provider"],
      [{ ...FOUND, workspace: { isRepository: false, share: [] } }, "It needs a git repository"],
    ] as const) {
      expect(loopsOf(found)).toEqual(["check builtin:check"]);
      const text = projectYaml(found);
      expect(text).toContain(lacks);
      const parsed = parseProject(uncommented(text), "pawl.yaml");
      expect(parsed.ok && parsed.value.loops.map(({ name }) => name)).toEqual(["check", "fix-tests"]);
    }
  });

  it("names what was found, which goes before what comes with Pawl", () => {
    const loops = [
      { name: "check", key: "blueprint", source: "blueprint.yaml" },
      { name: "ci-sweeper", key: "pattern", source: "ci-sweeper" },
      { name: "demo", key: "workspace", source: ".openloop/de: mo" },
    ] as const;
    expect(loopsOf({ ...FOUND, test: null, loops })).toEqual([
      "check blueprint.yaml",
      "ci-sweeper pattern:ci-sweeper",
      "demo .openloop/de: mo",
    ]);
  });
});
