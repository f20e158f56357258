import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

let project: Project;
afterEach(() => project.remove());

const textOf = (name: string): string => readFileSync(join(project.root, name), "utf8");

/** What init found, and a doctor that agrees. */
async function init(files: Readonly<Record<string, string>>): Promise<{ readonly test: readonly string[] }> {
  project = createProject(files);
  const { code, value } = await project.json("init");
  expect(code).toBe(0);
  return { test: (value as { test: { argv: readonly string[] } }).test.argv };
}

const SCRIPTS = JSON.stringify({ scripts: { test: "node --test", lint: "eslint ." } });

const REPOSITORIES: readonly (readonly [about: string, files: Record<string, string>, test: string])[] = [
  ["npm", { "package.json": SCRIPTS, "package-lock.json": "{}" }, "npm test"],
  ["pnpm", { "package.json": SCRIPTS, "pnpm-lock.yaml": "" }, "pnpm test"],
  ["yarn", { "package.json": SCRIPTS, "yarn.lock": "" }, "yarn test"],
  ["bun", { "package.json": SCRIPTS, "bun.lock": "" }, "bun run test"],
  [
    "a package manager that is said",
    { "package.json": `{"packageManager":"pnpm@9.1.0",${SCRIPTS.slice(1)}` },
    "pnpm test",
  ],
  ["pytest", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, "python3 -m pytest"],
  ["unittest", { "setup.py": "", "tests/test_a.py": "" }, "python3 -m unittest"],
  ["uv", { "pyproject.toml": "dependencies = ['pytest']\n", "uv.lock": "" }, "uv run python -m pytest"],
  ["poetry", { "pyproject.toml": "pytest = '^8'\n", "poetry.lock": "" }, "poetry run python -m pytest"],
  ["go", { "go.mod": "module x\n" }, "go test ./..."],
  ["rust", { "Cargo.toml": "[package]\n" }, "cargo test"],
  ["maven", { "pom.xml": "<project/>" }, "mvn --quiet test"],
  ["gradle", { "build.gradle.kts": "", gradlew: "" }, "./gradlew test"],
  ["ruby", { Gemfile: "", ".rspec": "" }, "bundle exec rspec"],
  ["php", { "composer.json": '{"scripts":{"test":"phpunit"}}' }, "composer test"],
  ["elixir", { "mix.exs": "" }, "mix test"],
  [".NET", { "App.sln": "" }, "dotnet test"],
  ["make", { Makefile: "check:\n\ttrue\n" }, "make check"],
];

describe("init on a repository", () => {
  test.each(REPOSITORIES)("finds the tests of one with %s", async (_, files, command) => {
    expect((await init(files)).test.join(" ")).toBe(command);
    expect(readdirSync(project.root).sort()).toEqual(
      [...new Set([...Object.keys(files).map(top), "pawl.yaml"])].sort(),
    );
    expect((await project.json("plan", "check")).code).toBe(0);
  });

  test("R1: writes a project that doctor finds ready, and refuses a second time", async () => {
    project = createProject({ Makefile: "test:\n\t@echo fine\n" });
    execFileSync("git", ["init", "-q"], { cwd: project.root });
    const first = await project.pawl("init");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain("wrote pawl.yaml\n");
    expect(first.stdout).toMatch(/tests +make test \(from Makefile\)/);
    expect(first.stdout).toMatch(/git +runs work in a private clone/);
    const doctor = await project.pawl("doctor");
    expect(doctor.code).toBe(0);
    expect(doctor.stdout).toMatch(/ok +loop check +L1, by hand, builtin:check/);
    const written = textOf("pawl.yaml");
    const second = await project.pawl("init");
    expect(second.code).toBe(3);
    expect(second.stderr).toContain("CLI_FILE_EXISTS");
    expect(textOf("pawl.yaml")).toBe(written);
  });

  test("keeps what was there when it is forced", async () => {
    project = createProject({ Makefile: "test:\n", "pawl.yaml": "mine\n", "pawl.yaml.bak": "older\n" });
    expect((await project.pawl("init", "--force")).stdout).toContain("the old one is pawl.yaml.bak.1");
    expect(textOf("pawl.yaml.bak")).toBe("older\n");
    expect(textOf("pawl.yaml.bak.1")).toBe("mine\n");
    expect(textOf("pawl.yaml")).toContain('"builtin:check"');
  });

  test("names the blueprints that lie there, and leaves out those that do not compile", async () => {
    const blueprint = (name: string): string =>
      `version: 1\nname: ${name}\nworkspace: directory\npolicy: { allow: [ { run: ["true"] } ] }\nstages: [ { id: a, gate: { command: ["true"] } } ]\n`;
    project = createProject({ "blueprint.yaml": blueprint("mine"), "blueprints/bad.yaml": "version: 1\n" });
    expect((await project.pawl("init")).code).toBe(0);
    const { value } = await project.json("list");
    expect(value).toMatchObject({ loops: [{ name: "mine", source: "blueprint.yaml", level: "L1", when: "by hand" }] });
    expect((await project.pawl("run", "mine")).code).toBe(0);
  });

  test("makes loops of what another system left there", async () => {
    project = createProject({ Makefile: "test:\n\t@true\n", "sub/keep": "" });
    expect(
      (await project.pawl("init", ".openloop/demo", "--project-root", ".", "--mission", "Keep it working")).code,
    ).toBe(0);
    expect((await project.pawl("init", "--from", ".openloop/demo")).stderr).toContain("OPENLOOP_VERIFY_EMPTY");
    const at = ".openloop/demo/openloop.json";
    const config = JSON.parse(textOf(at)) as { commands: Record<string, unknown> };
    project.write(at, JSON.stringify({ ...config, commands: { ...config.commands, verify: "true" } }));
    for (const args of [["--from", ".openloop/demo"], ["--from", ".", "--force"], ["--force"]]) {
      expect((await project.pawl("init", ...args)).code).toBe(0);
      const { value } = await project.json("list");
      const { loops } = value as { loops: { name: string; source: string; kind: string }[] };
      expect(loops.map(({ name, kind, source }) => `${name} ${kind} ${source}`)).toEqual([
        "check blueprint builtin:check",
        expect.stringMatching(/^[a-z0-9_-]+ workspace \.openloop\/demo$/),
      ]);
      expect((await project.pawl("plan", loops[1]?.name ?? "")).code).toBe(0);
    }
    expect((await project.pawl("doctor")).code).toBe(0);
  });

  test("names each file of another system that could not run, with its place", async () => {
    const flow = (type: string): string => `name: flow\nstages:\n  - { id: a, type: ${type}, commands: [ls] }\n`;
    project = createProject({
      ".openexec/blueprints/bad.yaml": flow("magic"),
      ".openexec/blueprints/check.yaml": "name: check\nstages: [{ id: a, type: deterministic, action: run_tests }]\n",
      ".openloop/w/openloop.json": '{ "version": 1,',
      "patterns/registry.yaml": "patterns: [",
    });
    const places = [
      /\.openloop\/w\/openloop\.json:1:16/,
      /blueprints\/bad\.yaml:3:20/,
      /patterns\/registry\.yaml:1:\d+/,
    ];
    for (const from of [".", ".openexec/blueprints/bad.yaml", ".openexec/blueprints/check.yaml"]) {
      const refused = await project.pawl("init", "--from", from);
      expect([refused.code, existsSync(join(project.root, "pawl.yaml"))]).toEqual([3, false]);
      expect(refused.stderr).not.toContain("CLI_FROM_UNKNOWN");
      for (const place of from === "." ? places : []) expect(refused.stderr).toMatch(place);
      if (from.endsWith("bad.yaml")) expect(refused.stderr).toMatch(places[1] as RegExp);
      if (!from.endsWith("bad.yaml")) expect(refused.stderr).toContain(".openexec/blueprints/check.yaml");
    }
    project.write(".openexec/blueprints/good.yaml", flow("deterministic").replace("flow", "good"));
    const { stdout, code } = await project.pawl("init", "--from", ".");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/found +good\n/)]);
    for (const place of places) expect(stdout).toMatch(new RegExp(`left out +\\S*${place.source}`));
    const { value } = await project.json("init", "--from", ".", "--force");
    expect((value as { broken: { source: string }[] }).broken.map(({ source }) => source).sort()).toEqual([
      ".openexec/blueprints/bad.yaml",
      ".openexec/blueprints/check.yaml",
      ".openloop/w",
      "patterns/registry.yaml",
    ]);
  });

  test("refuses a place with nothing of another system", async () => {
    project = createProject({ Makefile: "test:\n" });
    for (const from of [".", "nowhere", "Makefile"]) {
      const refused = await project.pawl("init", "--from", from);
      expect(refused.code).toBe(3);
      expect(refused.stderr).toContain("CLI_FROM_UNKNOWN");
    }
    expect(existsSync(join(project.root, "pawl.yaml"))).toBe(false);
  });
});

describe("init on a hostile repository", () => {
  test("writes through no link, and reads nothing that is no file", async () => {
    project = createProject({ Makefile: "test:\n\ttrue\n" });
    symlinkSync("/tmp/pawl-init-must-not-exist", join(project.root, "pawl.yaml"));
    symlinkSync("/dev/zero", join(project.root, "package.json"));
    expect((await project.pawl("init")).code).toBe(3);
    expect((await project.pawl("init", "--force")).code).toBe(0);
    expect(lstatSync(join(project.root, "pawl.yaml")).isSymbolicLink()).toBe(false);
    expect(existsSync("/tmp/pawl-init-must-not-exist")).toBe(false);
  });

  test("takes no command from names and values of a manifest", async () => {
    const manifest = {
      packageManager: "evil; touch /tmp/x@1",
      scripts: { "test;\u001b[31m": "x", test: "node --test", lint: " ", "\n  other:\n    blueprint: evil.yaml": "x" },
    };
    expect((await init({ "package.json": JSON.stringify(manifest) })).test).toEqual(["npm", "test"]);
    expect(textOf("pawl.yaml")).not.toMatch(/evil|other|\u001b/);
  });

  test("passes on a test command that looks like a reference or like YAML exactly", async () => {
    project = createProject();
    const odd = ["sh", "-c", `test "$1" = 'a: [\${x}]'`, "odd", "a: [${x}]"];
    expect(await project.pawl("init", "--", ...odd)).toMatchObject({ code: 0, stderr: "" });
    expect(await project.json("run", "check")).toMatchObject({ code: 0, value: { status: "succeeded" } });
  });

  test("is not held up by a manifest that is huge or deep", async () => {
    project = createProject({
      Makefile: "test:\n\ttrue\n",
      "package.json": `{"scripts":{"test":"${"x".repeat(2 << 20)}"}}`,
    });
    expect(await project.json("init")).toMatchObject({ code: 0, value: { test: { argv: ["make", "test"] } } });
    writeFileSync(join(project.root, "package.json"), "[".repeat(500_000));
    expect(await project.json("init", "--force")).toMatchObject({ value: { test: { argv: ["make", "test"] } } });
  });
});

describe("the blueprint of a loop", () => {
  test("is written out, and then runs as a file", async () => {
    project = createProject({ Makefile: "test:\n\ttrue\n" });
    await project.pawl("init");
    expect((await project.pawl("init", "--eject", "check")).stdout).toContain("wrote blueprints/check.yaml");
    expect((await project.pawl("init", "--eject", "check")).stderr).toContain("CLI_FILE_EXISTS");
    expect((await project.pawl("init", "--eject", "chek")).stderr).toContain('Did you mean "check"?');
    writeFileSync(join(project.root, "pawl.yaml"), "loops: { check: { blueprint: blueprints/check.yaml } }\n");
    expect((await project.pawl("run", "check")).code).toBe(0);
    expect((await project.pawl("init", "--eject", "check")).stderr).toContain("CLI_EJECT_UNKNOWN");
  });
});

function top(path: string): string {
  return path.split("/")[0] as string;
}
