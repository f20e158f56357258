import { describe, expect, it } from "vitest";
import { blueprint } from "../../../test/support/blueprint-builder.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { globProblem } from "../../base/match/glob.ts";
import { compileProtection } from "../../gates/protected-paths.ts";
import { PROTECTED, protectedPaths } from "./protected.ts";

const isCovered = compileProtection(protectedPaths(blueprint([]), []), "");
const isProtected = (path: string): boolean => isCovered(path, "file");

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
    expect(paths.filter((path) => !isProtected(path))).toEqual([]);
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
    expect(paths.filter((path) => isProtected(path))).toEqual([]);
  });
});

describe("protectedPaths", () => {
  it("adds and takes away", () => {
    const unprotect = [{ name: "package.json", where: { file: "x.yaml", line: 1, column: 1, length: 1 } }];
    const problems: Diagnostic[] = [];
    const list = protectedPaths({ ...blueprint([]), protect: ["goldens/**"], unprotect }, problems);
    expect(problems).toEqual([]);
    expect(list).toContain("goldens/**");
    expect(list).toContain("**/Makefile");
    expect(list).not.toContain("**/package.json");
  });

  it("knows what it protects by name", () => {
    const where = { file: "x.yaml", line: 7, column: 3, length: 4 };
    const problems: Diagnostic[] = [];
    const unprotect = [
      { name: "package.jsn", where },
      { name: "something/else/entirely/**", where },
    ];
    protectedPaths({ ...blueprint([]), unprotect }, problems);
    expect(problems.map(({ code, hint }) => [code, hint])).toEqual([
      ["PLAN_UNPROTECT_UNKNOWN", 'Did you mean "package.json"?'],
      ["PLAN_UNPROTECT_UNKNOWN", "`pawl plan --json` lists the paths as `protect`."],
    ]);
  });
});
