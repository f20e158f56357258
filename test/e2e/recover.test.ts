/** A lost journal is refused by every command there is, and `pawl recover` leads back without losing a tree. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { BIN } from "../support/cli.ts";
import { buildProject, callHere, copyOf, type Damaged, STACK, treesIn } from "../support/damage.ts";

/** These ask nothing of the state, or are the way back. */
const WITHOUT_STATE = new Set(["schema", "explain", "gateway", "recover", "doctor", "kill"]);
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  plan: ["small.yaml"],
  policy: ["check", "--", "ls"],
  run: ["small.yaml"],
  fork: ["@last@one"],
  verify: ["--all"],
  level: ["small.yaml"],
  drill: ["small.yaml"],
  cost: ["small.yaml"],
  merge: ["@last"],
  queue: [],
  init: ["--force"],
  mcp: ["list"],
};
const NAMES_A_RUN = new Set([
  "resume",
  "cancel",
  "pause",
  "show",
  "logs",
  "events",
  "diff",
  "approve",
  "deny",
  "replay",
  "export",
]);

let project: Damaged;
beforeAll(async () => {
  project = await buildProject();
}, 120_000);
afterAll(() => project.remove());

function withoutJournal(): string {
  const root = copyOf(project.clean);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(root, `.pawl/pawl.db${end}`), { force: true });
  return root;
}

/** Every command that does not refuse, with what it says. */
async function acceptedBy(root: string, words: string): Promise<readonly string[]> {
  const accepted: string[] = [];
  for (const name of Object.keys(COMMANDS)) {
    if (WITHOUT_STATE.has(name)) continue;
    const args = ARGUMENTS[name] ?? (NAMES_A_RUN.has(name) ? ["@last"] : []);
    const { code: exit, stdout, stderr } = await callHere(root, [name, ...args]);
    const text = stdout + stderr;
    if (exit === 0 || !text.includes(words) || !text.includes("pawl recover") || STACK.test(text))
      accepted.push(`${name}: ${exit} ${text.slice(0, 200)}`);
  }
  return accepted;
}

it("every command of the table refuses a missing journal with one clear error", async () => {
  const root = withoutJournal();
  const accepted = await acceptedBy(root, "JOURNAL_LOST");
  rmSync(root, { recursive: true, force: true });
  expect(accepted).toEqual([]);
}, 120_000);

const FOREIGN: Readonly<Record<string, string>> = {
  "a table": "CREATE TABLE x(a)",
  "an id of its own": "PRAGMA application_id=7",
  "a version of its own": "PRAGMA user_version=3",
  "more tables than a page has room for": Array.from(
    { length: 60 },
    (_, at) => `CREATE TABLE ${"x".repeat(60)}${at}(a)`,
  ).join(";"),
  "a log beside it": "CREATE TABLE x(a); PRAGMA journal_mode=WAL; CREATE TABLE y(a)",
};

it.each(
  ["pawl.db", "loops.db"].flatMap((store) => Object.entries(FOREIGN).map(([what, sql]) => [store, what, sql] as const)),
)(
  "every command of the table refuses another program's database as %s, with %s",
  async (store, _, sql) => {
    const root = copyOf(project.clean);
    const file = join(root, ".pawl", store);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    const db = (await loadDriver()).open(file, { timeout: 1000 });
    db.exec(sql);
    const accepted = await acceptedBy(root, "it is a database of another program");
    db.close();
    rmSync(root, { recursive: true, force: true });
    expect(accepted).toEqual([]);
  },
  120_000,
);

it.each(["pawl.db", "loops.db"])("kill --all without %s says that its switch is on", async (store) => {
  const root = copyOf(project.clean);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(root, `.pawl/${store}${end}`), { force: true });
  const killed = await callHere(root, ["kill", "--all", "--why", "stop"]);
  expect(killed).toMatchObject({ code: 1, stdout: "" });
  expect(killed.stderr).toMatch(/^RUN_KILLS_UNRECORDED\n.*The kill switch is on/);
  expect(killed.stderr).toMatch(/recorded as ended[\s\S]*lost[\s\S]*`pawl kill --release`/);
  expect(killed.stderr).not.toContain("nothing was done");
  expect(existsSync(join(root, ".pawl/kill"))).toBe(true);
  const asJson = await callHere(root, ["kill", "--all", "--json"]);
  expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([1, { error: { code: "RUN_KILLS_UNRECORDED" } }]);
  expect((await callHere(root, ["kill", "--release"])).code).toBe(0);
  expect(existsSync(join(root, ".pawl/kill"))).toBe(false);
  rmSync(root, { recursive: true, force: true });
});

it.each([[[]], [["--to-branches"]]])("recover %j without git says that it is missing", (options) => {
  const env = { PATH: join(project.clean, ".pawl") };
  const { status, stderr } = spawnSync(process.execPath, [BIN, "recover", ...options], {
    cwd: project.clean,
    env,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^WORKSPACE_GIT_MISSING\n.*git cannot be started/)]);
});

it("the way back keeps every tree, and everything works again", async () => {
  const root = withoutJournal();
  const before = treesIn(root);
  expect(before.size).toBeGreaterThan(1);
  for (const time of ["first", "again"]) {
    const restored = await callHere(root, ["recover", "--to-branches"]);
    expect([time, restored.code, restored.stderr]).toEqual([time, 0, ""]);
  }
  const git = (...args: string[]): string => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" });
  const trees = new Set(git("for-each-ref", "--format=%(tree)", "refs/heads/pawl/recovered").trim().split("\n"));
  expect([...before].filter((tree) => !trees.has(tree))).toEqual([]);
  expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");
  expect((await callHere(root, ["recover", "--repair"])).code).toBe(0);
  for (const args of [["status"], ["run", "small.yaml"], ["verify", "--all"], ["gc", "--older-than", "0d"]]) {
    const { code, stdout, stderr } = await callHere(root, args);
    expect([args[0], code, stderr], stdout).toEqual([args[0], 0, ""]);
  }
  const after = treesIn(root);
  expect([...before].filter((tree) => !after.has(tree))).toEqual([]);
  rmSync(root, { recursive: true, force: true });
}, 120_000);

it("a lost store of loops is listed, repaired, and costs no run", async () => {
  const root = copyOf(project.clean);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(root, `.pawl/loops.db${end}`), { force: true });
  const looked = await callHere(root, ["recover"]);
  expect([looked.code, looked.stdout]).toMatchObject([0, expect.stringMatching(/^loops .*lost[\s\S]*in the journal/)]);
  const verified = await callHere(root, ["verify", "--all"]);
  expect([verified.code, verified.stdout]).toMatchObject([1, expect.stringMatching(/damaged {2}the store of loops: /)]);
  expect((await callHere(root, ["recover", "--repair"])).code).toBe(0);
  for (const args of [["status"], ["verify", "--all"], ["run", "tidy"], ["resume", "@last"]])
    expect((await callHere(root, args)).stderr).not.toMatch(/LOST/);
  const after = await callHere(root, ["verify", "--all"]);
  expect([after.code, after.stdout]).toMatchObject([0, expect.stringContaining("intact")]);
  rmSync(root, { recursive: true, force: true });
}, 120_000);

it("a state without a journal and without work of a run is a new project", async () => {
  const root = copyOf(project.clean);
  rmSync(join(root, ".pawl"), { recursive: true });
  expect((await callHere(root, ["run", "small.yaml"])).code).toBe(0);
  expect((await callHere(root, ["verify", "--all"])).code).toBe(0);
  rmSync(root, { recursive: true, force: true });
}, 120_000);
