/** Protected paths: what decides whether work is good. A gate sees them as they were when the run began, whatever a stage made of them. */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { Blueprint } from "../../blueprint/blueprint.ts";
import { PLAN_ERRORS } from "../errors.ts";
import { CI_FILES, LOCKFILES } from "./known-paths.ts";

/** Tests, wherever they are. */
const TESTS: readonly string[] = [
  "test/**",
  "tests/**",
  "__tests__/**",
  "__mocks__/**",
  "__snapshots__/**",
  "spec/**",
  "e2e/**",
  "cypress/**",
  "testdata/**",
  "*.test.*",
  "*.spec.*",
  "*_test.*",
  "*_spec.rb",
  "test_*.py",
  "*.snap",
  "*Test.{java,kt,php,cs,swift}",
  "*Tests.{java,kt,cs,swift}",
];

/** What tells a test runner or a checker which tests there are and how they are judged. */
const TEST_CONFIG: readonly string[] = [
  "conftest.py",
  "pytest.ini",
  "tox.ini",
  "noxfile.py",
  "setup.cfg",
  ".coveragerc",
  "sitecustomize.py",
  "usercustomize.py",
  "vitest.{config,workspace,setup}.*",
  "vite.config.*",
  "jest.{config,setup}.*",
  "babel.config.*",
  ".babelrc*",
  ".mocharc*",
  ".nycrc*",
  "ava.config.*",
  "karma.conf.*",
  "playwright.config.*",
  "cypress.config.*",
  "tsconfig*.json",
  "biome.{json,jsonc}",
  "eslint.config.*",
  ".eslintrc*",
  ".eslintignore",
  ".prettierrc*",
  ".prettierignore",
  "ruff.toml",
  ".ruff.toml",
  "mypy.ini",
  ".golangci.{yml,yaml,toml}",
  ".rspec",
  ".rubocop.yml",
  "phpunit.xml*",
  "sonar-project.properties",
  ".npmrc",
  ".yarnrc*",
  ".node-version",
  ".nvmrc",
  ".tool-versions",
  ".gitattributes",
  ".husky/**",
];

/** Manifests that name the commands of tests. */
const MANIFESTS: readonly string[] = [
  "package.json",
  "pnpm-workspace.yaml",
  "deno.{json,jsonc}",
  "pyproject.toml",
  "setup.py",
  "Pipfile",
  "Cargo.toml",
  ".cargo/**",
  "build.rs",
  "go.mod",
  "go.work",
  "Gemfile",
  "Rakefile",
  "composer.json",
  "mix.exs",
  "pom.xml",
  "build.gradle*",
  "settings.gradle*",
  "gradle/**",
  "gradlew*",
  "mvnw*",
  "*.csproj",
  "Directory.Build.*",
  "Makefile",
  "GNUmakefile",
  "CMakeLists.txt",
  "justfile",
  "Taskfile.{yml,yaml}",
  "turbo.json",
  "nx.json",
];

/** What Pawl itself and its gates are told. */
const GATES: readonly string[] = [
  "blueprint.{yml,yaml}",
  "pawl.{yml,yaml}",
  ".pawl/**",
  "gate.{yml,yaml}",
  "*blueprint.{yml,yaml}",
  "blueprints/**",
];

/** Each counts at any depth. An entry keeps its name: `unprotect` refers to it. */
export const PROTECTED: readonly string[] = [
  ...TESTS,
  ...TEST_CONFIG,
  ...MANIFESTS,
  ...LOCKFILES,
  ...CI_FILES,
  ...GATES,
];

/** The built-in paths without those the author took off, each at any depth, and the author's own as they are written; sorted. */
export function protectedPaths({ protect, unprotect }: Blueprint, problems: Diagnostic[]): readonly string[] {
  for (const { name, where } of unprotect) {
    if (PROTECTED.includes(name)) continue;
    const near = nearest(name, PROTECTED) ?? null;
    problems.push(diagnose(PLAN_ERRORS, "PLAN_UNPROTECT_UNKNOWN", { name, near }, where));
  }
  const off = new Set(unprotect.map(({ name }) => name));
  const builtIn = PROTECTED.filter((name) => !off.has(name)).map((name) => `**/${name}`);
  return [...new Set([...builtIn, ...protect])].sort();
}
