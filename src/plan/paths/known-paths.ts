/** Names that mean the same in most repositories. */

export const LOCKFILES: readonly string[] = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "poetry.lock",
  "Pipfile.lock",
  "uv.lock",
  "pdm.lock",
  "requirements*.txt",
  "Cargo.lock",
  "go.sum",
  "Gemfile.lock",
  "composer.lock",
  "mix.lock",
  "gradle.lockfile",
  "packages.lock.json",
  "flake.lock",
];

export const CI_FILES: readonly string[] = [
  ".github/workflows/**",
  ".github/actions/**",
  ".github/CODEOWNERS",
  "CODEOWNERS",
  ".gitlab-ci.yml",
  ".gitlab/**",
  ".circleci/**",
  ".travis.yml",
  ".drone.yml",
  ".woodpecker.{yml,yaml}",
  ".woodpecker/**",
  ".buildkite/**",
  ".forgejo/workflows/**",
  ".gitea/workflows/**",
  "azure-pipelines.{yml,yaml}",
  "bitbucket-pipelines.yml",
  "appveyor.yml",
  ".appveyor.yml",
  "Jenkinsfile*",
  "cloudbuild.{yml,yaml}",
];

export const SUBMODULE_FILES: readonly string[] = [".gitmodules"];
