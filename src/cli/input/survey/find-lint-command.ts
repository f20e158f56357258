/** What checks the style of a project, as far as its files tell. Nothing is executed. */
import { join } from "node:path";
import type { FoundCommand } from "../../../runtime/survey/find-test-command.ts";
import { readManifest } from "../../../runtime/survey/package-manifest.ts";
import { isThere, textOf } from "../../../runtime/survey/project-text.ts";

const BY_FILE: readonly (readonly [file: string, argv: readonly string[]])[] = [
  ["ruff.toml", ["ruff", "check", "."]],
  [".golangci.yml", ["golangci-lint", "run"]],
  ["go.mod", ["go", "vet", "./..."]],
  ["Cargo.toml", ["cargo", "clippy", "--", "-D", "warnings"]],
  [".rubocop.yml", ["bundle", "exec", "rubocop"]],
  [".formatter.exs", ["mix", "format", "--check-formatted"]],
];

export async function findLintCommand(root: string): Promise<FoundCommand | undefined> {
  const manifest = await readManifest(root);
  if (manifest?.scripts["lint"] !== undefined) return { argv: [manifest.manager, "run", "lint"], from: manifest.from };
  if (/^\[tool\.ruff/m.test((await textOf(join(root, "pyproject.toml"))) ?? ""))
    return { argv: ["ruff", "check", "."], from: "pyproject.toml" };
  for (const [file, argv] of BY_FILE) {
    if (await isThere(join(root, file))) return { argv, from: file };
  }
  return undefined;
}
