/** Paths that a verifier takes from the base: whoever makes a change does not choose what it is checked by. */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { GATE_ERRORS } from "./errors.ts";
import { globProblems } from "./gate-yaml.ts";
import { CI_FILES, LOCKFILES } from "./known-paths.ts";
import { refusing } from "./paths.ts";

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
  "vitest.{config,workspace,setup}.*",
  "vite.config.*",
  "jest.{config,setup}.*",
  "babel.config.*",
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

/** The list that counts: the built-in one without `unprotect`, then what `protect` adds. */
export function protectedPaths(protect: readonly string[], unprotect: readonly string[]): readonly string[] {
  const kept = PROTECTED.filter((glob) => !unprotect.includes(glob));
  return [...new Set([...kept, ...protect])];
}

/** What is wrong with the two lists of an author. */
export function protectProblems(protect: readonly string[], unprotect: readonly string[]): readonly Diagnostic[] {
  const unknown = unprotect.filter((glob) => !PROTECTED.includes(glob));
  return [
    ...globProblems(protect),
    ...unknown.map((glob) => {
      const near = nearest(glob, PROTECTED);
      return diagnose(GATE_ERRORS, "GATE_UNPROTECT_UNKNOWN", near === undefined ? { glob } : { glob, nearest: near });
    }),
  ];
}

/** Without regard to case or depth. For many paths, `refusing(globs)` reads the list once. */
export function isProtected(globs: readonly string[], path: string): boolean {
  return refusing(globs)(path);
}
