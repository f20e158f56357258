/** Protected paths: what decides whether work is good. A gate sees them as they were when the run began, whatever a stage made of them. */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import { PLAN_ERRORS } from "./errors.ts";

/** Globs from the top of the project. */
export const PROTECTED: readonly string[] = [
  // Tests.
  "**/test/**",
  "**/tests/**",
  "**/__tests__/**",
  "**/__mocks__/**",
  "**/__snapshots__/**",
  "**/spec/**",
  "**/e2e/**",
  "**/testdata/**",
  "**/*.test.*",
  "**/*.spec.*",
  "**/*_test.*",
  "**/test_*.py",
  "**/*_spec.rb",
  "**/*Test.java",
  "**/*Tests.cs",
  // How tests are run.
  "**/conftest.py",
  "**/pytest.ini",
  "**/tox.ini",
  "**/noxfile.py",
  "**/setup.cfg",
  "**/pyproject.toml",
  "**/sitecustomize.py",
  "**/jest.config.*",
  "**/jest.setup.*",
  "**/vitest.config.*",
  "**/vitest.workspace.*",
  "**/vite.config.*",
  "**/babel.config.*",
  "**/.babelrc*",
  "**/.mocharc.*",
  "**/.nycrc*",
  "**/karma.conf.*",
  "**/playwright.config.*",
  "**/cypress.config.*",
  "**/tsconfig*.json",
  "**/phpunit.xml*",
  "**/.rspec",
  "**/package.json",
  "**/.npmrc",
  "**/.yarnrc*",
  "**/Makefile",
  "**/makefile",
  "**/GNUmakefile",
  "**/justfile",
  "**/Taskfile.y*ml",
  "**/Rakefile",
  "**/build.gradle*",
  "**/settings.gradle*",
  "**/pom.xml",
  "**/build.rs",
  "**/.cargo/**",
  // What they are run with.
  "**/package-lock.json",
  "**/npm-shrinkwrap.json",
  "**/yarn.lock",
  "**/pnpm-lock.yaml",
  "**/bun.lock*",
  "**/Cargo.lock",
  "**/go.sum",
  "**/poetry.lock",
  "**/uv.lock",
  "**/Pipfile.lock",
  "**/Gemfile.lock",
  "**/composer.lock",
  // Quality and CI.
  "**/.eslintrc*",
  "**/eslint.config.*",
  "**/.prettierrc*",
  "**/biome.json*",
  "**/.golangci.*",
  ".github/**",
  "**/.gitlab-ci.yml",
  ".circleci/**",
  "**/azure-pipelines.yml",
  "**/Jenkinsfile",
  "**/.travis.yml",
  "**/.husky/**",
  "**/.gitattributes",
  // Our own.
  "**/blueprint.yaml",
  "blueprints/**",
  "pawl/**",
  "**/pawl.yaml",
  "**/gate.yaml",
];

/** The built-in paths without those the author took off, and the author's own; sorted. */
export function protectedPaths({ protect, unprotect }: Blueprint, problems: Diagnostic[]): readonly string[] {
  for (const { name, where } of unprotect) {
    if (PROTECTED.includes(name)) continue;
    const near = nearest(name, PROTECTED) ?? null;
    problems.push(diagnose(PLAN_ERRORS, "PLAN_UNPROTECT_UNKNOWN", { name, near }, where));
  }
  const off = new Set(unprotect.map(({ name }) => name));
  return [...new Set([...PROTECTED.filter((name) => !off.has(name)), ...protect])].sort();
}
