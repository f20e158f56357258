import { describe, expect, it } from "vitest";
import { globProblem } from "../base/glob.ts";
import { isProtected, PROTECTED, protectedPaths, protectProblems } from "./protected.ts";

describe("the built-in list", () => {
  it("has only globs, each once", () => {
    expect(PROTECTED.filter((glob) => globProblem(glob) !== undefined)).toEqual([]);
    expect(new Set(PROTECTED).size).toBe(PROTECTED.length);
  });

  it("covers what decides about tests, at any depth and in any case", () => {
    const paths = [
      "test/a.js",
      "packages/x/tests/deep/a.py",
      "src/a.test.ts",
      "src/a.spec.tsx",
      "pkg/a_test.go",
      "app/test_a.py",
      "src/__snapshots__/a.snap",
      "src/test/java/ATest.java",
      "conftest.py",
      "web/vitest.config.ts",
      "jest.config.cjs",
      "pytest.ini",
      "package.json",
      "web/package.json",
      "pyproject.toml",
      "Makefile",
      "makefile",
      "package-lock.json",
      "go.sum",
      ".github/workflows/ci.yml",
      ".gitlab-ci.yml",
      "gate.yaml",
      "pawl.yaml",
      "loops/fix.blueprint.yaml",
      "blueprint.yaml",
      "TEST/a.js",
    ];
    expect(paths.filter((path) => !isProtected(PROTECTED, path))).toEqual([]);
  });

  it("leaves the code alone", () => {
    const paths = [
      "src/index.ts",
      "lib/contest.py",
      "src/latest.ts",
      "docs/testing.md",
      "src/attest/a.ts",
      "README.md",
    ];
    expect(paths.filter((path) => isProtected(PROTECTED, path))).toEqual([]);
  });
});

describe("protectedPaths", () => {
  it("adds and takes away", () => {
    const list = protectedPaths(["goldens/**", "test/**"], ["package.json"]);
    expect(list).toEqual([...PROTECTED.filter((glob) => glob !== "package.json"), "goldens/**"]);
  });

  it("knows what is wrong with the lists", () => {
    const problems = protectProblems(["a[b]", "ok/**"], ["package.jsn", "something/else/entirely/**", "test/**"]);
    expect(problems.map(({ code, hint }) => `${code} ${hint}`)).toEqual([
      "GATE_GLOB_INVALID Globs know **, *, ? and {a,b}.",
      "GATE_UNPROTECT_UNKNOWN Did you mean package.json?",
      "GATE_UNPROTECT_UNKNOWN `pawl plan` shows the list.",
    ]);
  });
});
