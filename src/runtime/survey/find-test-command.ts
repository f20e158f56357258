/** How a project is tested, as far as its files tell. The first match wins; nothing is executed. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "./package-manifest.ts";
import { isThere, textOf } from "./project-text.ts";
import { pythonRunner } from "./python-runner.ts";

export interface FoundCommand {
  readonly argv: readonly string[];
  /** The file that told, for the person to check. */
  readonly from: string;
}

/** npm writes this into every new package; it always fails. */
const NO_TEST = /no test specified/;

const BY_FILE: readonly (readonly [file: string, argv: readonly string[]])[] = [
  ["Cargo.toml", ["cargo", "test"]],
  ["go.mod", ["go", "test", "./..."]],
  ["deno.json", ["deno", "test"]],
  ["mix.exs", ["mix", "test"]],
  ["gradlew", ["./gradlew", "test"]],
  ["mvnw", ["./mvnw", "--quiet", "test"]],
  ["pom.xml", ["mvn", "--quiet", "test"]],
  ["build.gradle", ["gradle", "test"]],
  ["build.gradle.kts", ["gradle", "test"]],
  [".rspec", ["bundle", "exec", "rspec"]],
  ["Rakefile", ["bundle", "exec", "rake", "test"]],
  ["phpunit.xml", ["vendor/bin/phpunit"]],
  ["phpunit.xml.dist", ["vendor/bin/phpunit"]],
];
const DOTNET = /\.(?:slnx?|[cf]sproj|vbproj)$/;

export async function findTestCommand(root: string): Promise<FoundCommand | undefined> {
  const looks = [fromPackageJson, fromPython, fromFiles, fromComposer, fromDotnet, fromMakefile];
  for (const look of looks) {
    const found = await look(root);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function fromPackageJson(root: string): Promise<FoundCommand | undefined> {
  const manifest = await readManifest(root);
  const script = manifest?.scripts["test"];
  if (manifest === undefined || script === undefined || NO_TEST.test(script)) return undefined;
  // `bun test` is bun's own runner; the script of the package is asked for with `run`.
  const argv = manifest.manager === "bun" ? ["bun", "run", "test"] : [manifest.manager, "test"];
  return { argv, from: manifest.from };
}

async function fromPython(root: string): Promise<FoundCommand | undefined> {
  const runner = await pythonRunner(root);
  if (runner === undefined) return undefined;
  if (await isThere(join(root, "pytest.ini"))) return { argv: [...runner.module, "pytest"], from: "pytest.ini" };
  for (const file of [
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "requirements-dev.txt",
    "requirements.txt",
    "conftest.py",
  ]) {
    const text = await textOf(join(root, file));
    if (text !== undefined && (file === "conftest.py" || /\bpytest\b/.test(text)))
      return { argv: [...runner.module, "pytest"], from: runner.from ?? file };
  }
  if (await isThere(join(root, "tox.ini"))) return { argv: ["tox"], from: "tox.ini" };
  return (await hasUnittest(root)) ? { argv: [...runner.module, "unittest"], from: "test_*.py" } : undefined;
}

async function hasUnittest(root: string): Promise<boolean> {
  for (const folder of [".", "tests", "test"]) {
    const names = await readdir(join(root, folder)).catch(() => []);
    if (names.some((name) => /^test.*\.py$/.test(name))) return true;
  }
  return false;
}

async function fromFiles(root: string): Promise<FoundCommand | undefined> {
  for (const [file, argv] of BY_FILE) {
    if (await isThere(join(root, file))) return { argv, from: file };
  }
  return undefined;
}

async function fromComposer(root: string): Promise<FoundCommand | undefined> {
  const manifest = await readManifest(root, "composer.json");
  return manifest?.scripts["test"] === undefined ? undefined : { argv: ["composer", "test"], from: "composer.json" };
}

async function fromDotnet(root: string): Promise<FoundCommand | undefined> {
  const names = await readdir(root).catch(() => []);
  const from = names.sort().find((name) => DOTNET.test(name));
  return from === undefined ? undefined : { argv: ["dotnet", "test"], from };
}

async function fromMakefile(root: string): Promise<FoundCommand | undefined> {
  for (const file of ["Makefile", "makefile", "GNUmakefile"]) {
    const target = /^(test|check)\s*:(?!=)/m.exec((await textOf(join(root, file))) ?? "")?.[1];
    if (target !== undefined) return { argv: ["make", target], from: file };
  }
  return undefined;
}
