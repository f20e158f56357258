/** Whatever is wrong around a command, its answer is text for people: what is wrong, why it matters, what to do. Never a stack. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { BIN, type CliResult, createProject, type Project } from "../support/cli.ts";
import { git } from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

const PAWL_YAML = `version: 1
loops:
  look: { blueprint: blueprints/look.yaml, level: L1 }
`;
const LOOK = `version: 1
name: look
policy: { allow: [{ run: ["true"] }] }
stages: [{ id: look, command: ["true"] }]
`;

/** How each command is called with all that it needs. A command without a row is a red test. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  init: ["init", "--force", "--", "true"],
  doctor: ["doctor"],
  list: ["list"],
  plan: ["plan", "look"],
  policy: ["policy", "check", "--", "ls"],
  schema: ["schema"],
  explain: ["explain", "JOURNAL_READ_ONLY"],
  run: ["run", "look"],
  resume: ["resume", "@last"],
  cancel: ["cancel", "@last"],
  pause: ["pause", "@last"],
  kill: ["kill", "@last"],
  fork: ["fork", "@last@look"],
  serve: ["serve", "--once"],
  gateway: ["gateway", "--replay", "missing"],
  status: ["status"],
  show: ["show", "@last"],
  logs: ["logs", "@last"],
  events: ["events", "@last"],
  diff: ["diff", "@last"],
  queue: ["queue"],
  why: ["why"],
  digest: ["digest"],
  budget: ["budget"],
  breakers: ["breakers"],
  cost: ["cost", "look"],
  approvals: ["approvals"],
  approve: ["approve", "r_000000000000-0000000000000000"],
  deny: ["deny", "r_000000000000-0000000000000000"],
  merge: ["merge"],
  mcp: ["mcp", "list"],
  verify: ["verify", "@last"],
  level: ["level", "look"],
  audit: ["audit"],
  drill: ["drill", "look"],
  replay: ["replay", "@last"],
  export: ["export", "@last"],
  gc: ["gc"],
  recover: ["recover"],
};

let project: Project;

beforeAll(async () => {
  project = createProject({ "pawl.yaml": PAWL_YAML, "blueprints/look.yaml": LOOK });
  git(project.root, "init", "--quiet");
  git(project.root, "add", "--all");
  git(project.root, "commit", "--quiet", "--message=begin");
  expect((await project.pawl("run", "look")).code).toBe(0);
});
afterAll(() => project.remove());

function expectWords({ code, stdout, stderr }: Pick<CliResult, "code" | "stdout" | "stderr">): void {
  expect(`${stdout}${stderr}`).not.toMatch(/^\s+at .*[:(]\d+|CLI_DEFECT|node:internal/m);
  expect([0, 1, 2, 3]).toContain(code);
  if (/^[A-Z]+_[A-Z_]+(?: {2}.*)?$/m.test(stderr)) expect(stderr).toMatch(/^ {2}why [\s\S]*^ {2}hint /m);
}

interface Surroundings {
  /** Changes a copy of the project. */
  readonly prepare?: (root: string) => void;
  readonly env?: NodeJS.ProcessEnv;
  /** Shell text that calls `"$@"`. */
  readonly call?: string;
}

function replaced(path: string, make: (path: string) => void): void {
  rmSync(path, { recursive: true, force: true });
  make(path);
}

const SURROUNDINGS: Readonly<Record<string, Surroundings>> = {
  "no home": { env: { HOME: undefined } },
  "a home that is a file": { env: { HOME: "/etc/passwd" } },
  "no other program": { env: { PATH: "/nonexistent" } },
  "a state that is a file": { prepare: (root) => replaced(join(root, ".pawl"), (path) => writeFileSync(path, "")) },
  "a journal of noise": { prepare: (root) => writeFileSync(join(root, ".pawl/pawl.db"), "noise".repeat(999)) },
  "a vault that is a file": {
    prepare: (root) => replaced(join(root, ".pawl/vault.git"), (path) => writeFileSync(path, "")),
  },
  "a pawl.yaml that is no YAML": { prepare: (root) => writeFileSync(join(root, "pawl.yaml"), "loops: [\n") },
  "a pawl.yaml that is a folder": { prepare: (root) => replaced(join(root, "pawl.yaml"), mkdirSync) },
  "a pawl.yaml that is a pipe": {
    prepare: (root) => replaced(join(root, "pawl.yaml"), (path) => execFileSync("mkfifo", [path])),
  },
  "no blueprint": { prepare: (root) => rmSync(join(root, "blueprints"), { recursive: true }) },
  "no repository": { prepare: (root) => rmSync(join(root, ".git"), { recursive: true }) },
  "a damaged repository": { prepare: (root) => writeFileSync(join(root, ".git/config"), "[core\n") },
  "a folder that is gone": { call: 'mkdir gone && cd gone && rmdir ../gone && "$@"' },
  "an output that is full": { call: '"$@" >/dev/full' },
  "an output that nobody reads": { call: 'set -o pipefail; "$@" | true' },
  "no streams": { call: '"$@" <&- >&- 2>&-' },
};

async function callIn({ prepare, env = {}, call = '"$@"' }: Surroundings, args: readonly string[]): Promise<CliResult> {
  const root = tempDir();
  cpSync(project.root, root, { recursive: true, verbatimSymlinks: true });
  prepare?.(root);
  const child = spawn("/bin/bash", ["-c", call, "bash", process.execPath, BIN, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], USER: "tester", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, signal: null, stdout, stderr };
}

/** Each command meets one of them, another one than its neighbour; with PAWL_FULL=1 all of them. */
const MEETINGS = Object.entries(CALLS).flatMap(([command, args], at) => {
  const names = Object.keys(SURROUNDINGS);
  const met = process.env["PAWL_FULL"] === "1" ? names : [names[(at * 5) % names.length] as string];
  return met.map((name) => [command, name, args] as const);
});

/** The folders can be seen and not be written, whoever asks: for root, permissions alone would not do. */
function onReadOnly(readOnly: readonly string[], args: readonly string[]): CliResult {
  const binds = readOnly.flatMap((folder) => ["--ro-bind", folder, folder]);
  const call = ["--dev-bind", "/", "/", ...binds, "--chdir", project.root, process.execPath, BIN, ...args];
  const { status, signal, stdout, stderr } = spawnSync("bwrap", call, { encoding: "utf8", input: "" });
  return { code: status, signal, stdout, stderr };
}

describe("what is wrong around a command is told in words", () => {
  test("every command is called here", () => {
    expect(Object.keys(CALLS).sort()).toEqual(Object.keys(COMMANDS).sort());
  });

  test.each(Object.entries(CALLS))("%s, where the state cannot be written", (_, args) => {
    expectWords(onReadOnly([join(project.root, ".pawl")], args));
  });

  test.each(Object.entries(CALLS))("%s, where nothing of the project can be written", (_, args) => {
    expectWords(onReadOnly([project.root], args));
  });

  test.each(MEETINGS)("%s, with %s", async (_, name, args) => {
    expectWords(await callIn(SURROUNDINGS[name] as Surroundings, args));
  });

  test.each(["an output that is full", "an output that nobody reads"])("--version, with %s", async (name) => {
    expectWords(await callIn(SURROUNDINGS[name] as Surroundings, ["--version"]));
  });

  test("a run that could store nothing says so before anything begins", () => {
    const { code, stderr } = onReadOnly([join(project.root, ".pawl")], ["run", "look"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^JOURNAL_READ_ONLY\n.*\.pawl cannot be written\.\n {2}why .*\n {2}hint /);
  });

  test("doctor names a state that cannot be written", () => {
    const { code, stdout } = onReadOnly([join(project.root, ".pawl")], ["doctor"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}state .*cannot be written/m);
  });

  test.each(["list", "why"])("%s ends with 3 when pawl.yaml is broken, and names the place", async (command) => {
    const broken = createProject({ "pawl.yaml": "version: 1\nloops: [\n", "blueprints/look.yaml": LOOK });
    git(broken.root, "init", "--quiet");
    const { code, stdout, stderr } = await broken.pawl(command);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^BLUEPRINT_YAML_SYNTAX {2}pawl\.yaml:\d+:\d+\n/)]);
    expect(stdout).not.toContain("no loops");
    const { code: asJson, value } = await broken.json(command);
    expect([asJson, value]).toMatchObject([3, { problems: [{ code: "BLUEPRINT_YAML_SYNTAX" }] }]);
    broken.remove();
  });
});

describe("a dry run of a pattern", () => {
  test("outside git says that there is no repository", async () => {
    const bare = createProject();
    const { code, stderr } = await bare.pawl("run", "daily-triage", "--backend", "claude", "--dry-run");
    expectWords({ code, stdout: "", stderr });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^WORKSPACE_NOT_A_REPOSITORY\n/)]);
    bare.remove();
  });

  test("with an agent that is not installed names it, and how to get it", async () => {
    const { code, stderr } = await project.pawl("run", "daily-triage", "--backend", "claude", "--dry-run");
    expectWords({ code, stdout: "", stderr });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^AGENT_NOT_INSTALLED\n.*"claude".*\n.*\n {2}hint .*npm install/),
    ]);
  });

  test("of a project in a folder of a repository works in that folder", async () => {
    const folder = join(project.root, "packages", "shop");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "pawl.yaml"), "version: 1\n");
    git(project.root, "add", "--all");
    git(project.root, "commit", "--quiet", "--message=shop");
    const { code, stderr } = await project.pawl(
      "-C",
      folder,
      "run",
      "daily-triage",
      "--backend",
      "claude",
      "--dry-run",
    );
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^AGENT_NOT_INSTALLED\n/)]);
  });
});
