/** How a project is tested, as far as its files tell. The first match wins; nothing is executed. */
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface TestCommand {
  readonly argv: readonly string[];
  /** The file that told, for the person to check. */
  readonly from: string;
}

/** npm writes this into every new package; it always fails. */
const NO_TEST = /no test specified/;

const LOCKFILES: readonly (readonly [file: string, program: string])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

const BY_FILE: readonly (readonly [file: string, argv: readonly string[]])[] = [
  ["Cargo.toml", ["cargo", "test"]],
  ["go.mod", ["go", "test", "./..."]],
  ["deno.json", ["deno", "test"]],
  ["pytest.ini", ["python3", "-m", "pytest"]],
  ["pyproject.toml", ["python3", "-m", "pytest"]],
  ["tox.ini", ["tox"]],
  ["mix.exs", ["mix", "test"]],
  ["gradlew", ["./gradlew", "test"]],
  ["mvnw", ["./mvnw", "--quiet", "test"]],
  ["pom.xml", ["mvn", "--quiet", "test"]],
  ["Rakefile", ["bundle", "exec", "rake", "test"]],
];

export async function findTestCommand(root: string): Promise<TestCommand | undefined> {
  return (await fromPackageJson(root)) ?? (await fromFiles(root)) ?? (await fromMakefile(root));
}

async function fromPackageJson(root: string): Promise<TestCommand | undefined> {
  const script = testScript(await text(join(root, "package.json")));
  if (script === undefined) return undefined;
  for (const [file, program] of LOCKFILES) {
    // `bun test` is bun's own runner; the script of the package is asked for with `run`.
    if (await exists(join(root, file)))
      return { argv: program === "bun" ? ["bun", "run", "test"] : [program, "test"], from: `package.json and ${file}` };
  }
  return { argv: ["npm", "test"], from: "package.json" };
}

function testScript(manifest: string | undefined): string | undefined {
  if (manifest === undefined) return undefined;
  try {
    const script = (JSON.parse(manifest) as { scripts?: { test?: unknown } } | null)?.scripts?.test;
    return typeof script === "string" && script.trim() !== "" && !NO_TEST.test(script) ? script : undefined;
  } catch {
    return undefined;
  }
}

async function fromFiles(root: string): Promise<TestCommand | undefined> {
  for (const [file, argv] of BY_FILE) {
    if (await exists(join(root, file))) return { argv, from: file };
  }
  return undefined;
}

async function fromMakefile(root: string): Promise<TestCommand | undefined> {
  for (const file of ["Makefile", "makefile", "GNUmakefile"]) {
    const target = /^(test|check)\s*:(?!=)/m.exec((await text(join(root, file))) ?? "")?.[1];
    if (target !== undefined) return { argv: ["make", target], from: file };
  }
  return undefined;
}

async function text(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
