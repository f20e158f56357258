/** Each kind of damage to what is stored, and what each command that looks at it says: nothing is accepted in silence by `verify --all`. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { openSqliteLoops } from "../../src/adapters/sqlite/loops/loop-store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { buildJob } from "../contract/jobs.contract.ts";
import { createProject, type Project } from "../support/cli.ts";

const BLUEPRINT = `version: 1
name: fix
policy: { allow: [{ run: ["**"] }] }
stages:
  - { id: fix, command: [sh, -c, "echo fixed by $PAWL_RUN > src.txt; echo said"] }
`;

let project: Project;
/** The state as it was sound, and as it was before the last run. */
let sound: string;
let older: string;
let runs: readonly string[];
let open: (path: string) => Database;

const state = (...names: readonly string[]): string => join(project.root, ".pawl", ...names);

beforeAll(async () => {
  const driver = await loadDriver();
  open = (path) => driver.open(path, { timeout: 1000 });
  project = createProject({ "b.yaml": BLUEPRINT, "src.txt": "bad\n" });
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
    ["-c", "user.name=ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--message=begin"],
  ])
    expect(spawnSync("git", ["-C", project.root, ...args]).status).toBe(0);
  [sound, older] = [join(project.root, "sound"), join(project.root, "older")];
  for (const _ of [1, 2]) expect(await project.pawl("run", "b.yaml")).toMatchObject({ code: 0 });
  cpSync(state(), older, { recursive: true });
  expect(await project.pawl("run", "b.yaml")).toMatchObject({ code: 0 });
  cpSync(state(), sound, { recursive: true });
  runs = inDatabase((db) => db.prepare<{ run: string }>("SELECT run FROM runs ORDER BY id").all()).map(
    ({ run }) => run,
  );
}, 120_000);
afterAll(() => project.remove());

function inDatabase<T>(work: (db: Database) => T): T {
  const db = open(state("pawl.db"));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** The newest event of this kind in the newest run. */
function eventOf(type: string): { log: { sha256: string }; tree: string } {
  const body = inDatabase((db) =>
    db
      .prepare<{ body: string }>("SELECT body FROM events WHERE body LIKE ?1 ORDER BY id DESC LIMIT 1")
      .get(`%"${type}"%`),
  )?.body;
  return JSON.parse(body as string) as ReturnType<typeof eventOf>;
}

const logPath = (): string => {
  const { sha256 } = eventOf("stage.finished").log;
  return state("artifacts", sha256.slice(0, 2), sha256);
};
const savedRef = (): string => state("vault.git/refs/pawl", runs[2] as string, "saved/1");
const git = (...args: readonly string[]): string =>
  spawnSync("git", [`--git-dir=${state("vault.git")}`, ...args], { encoding: "utf8" }).stdout.trim();
/** The file of what the newest run has written; it was saved loose or in a pack of its own. */
const blob = (): string => git("rev-parse", `${eventOf("stage.finished").tree}:src.txt`);

function unpackVault(): void {
  const packs = state("vault.git/objects/pack");
  for (const name of readdirSync(packs)) {
    const path = join(packs, name);
    if (!name.endsWith(".pack")) continue;
    renameSync(path, `${path}.gone`);
    spawnSync("git", [`--git-dir=${state("vault.git")}`, "unpack-objects", "-q"], {
      input: readFileSync(`${path}.gone`),
    });
  }
  for (const name of readdirSync(packs)) rmSync(join(packs, name));
}
const objectPath = (id: string): string => state("vault.git/objects", id.slice(0, 2), id.slice(2));

/** Every row of every table that names it. */
function deleteRun(run: string): void {
  inDatabase((db) => {
    db.exec("BEGIN");
    db.prepare("DELETE FROM events WHERE run = (SELECT id FROM runs WHERE run = ?1)").run(run);
    for (const table of ["runs", "chain", "requests"]) db.prepare(`DELETE FROM ${table} WHERE run = ?1`).run(run);
    db.exec("COMMIT");
  });
}

/** The one of `git` or the pin that has the bytes of another object under this name. */
function exchange(id: string): void {
  const other = git("rev-parse", `${eventOf("stage.finished").tree}:b.yaml`);
  rmSync(objectPath(id));
  cpSync(objectPath(other), objectPath(id));
}

type Command = "verify @last" | "verify --all" | "verify --all --quick" | "doctor";
const COMMANDS: readonly Command[] = ["verify @last", "verify --all", "verify --all --quick", "doctor"];
/** `found`: exit 1 and a line with these words. `unseen`: that command says that it does not look there. */
type Expected = Readonly<Record<Command, RegExp | "unseen">>;

const stored = (words: RegExp): Expected => ({
  "verify @last": words,
  "verify --all": words,
  "verify --all --quick": "unseen",
  doctor: "unseen",
});
const everywhere = (words: RegExp, detailed = words): Expected => ({
  "verify @last": words,
  "verify --all": detailed,
  "verify --all --quick": detailed,
  doctor: words,
});

const DAMAGE: readonly (readonly [string, () => void, Expected])[] = [
  [
    "an artifact edited",
    () => writeFileSync(logPath(), "sait\n"),
    stored(/damaged {2}r_\w+ {2}fix, attempt 1 {2}its log \(sha256:.*restore/),
  ],
  ["an artifact missing", () => rmSync(logPath()), stored(/damaged {2}r_\w+ {2}fix, attempt 1 {2}its log .*restore/)],
  [
    "an artifact with one more byte",
    () => appendFileSync(logPath(), "\n"),
    stored(/r_\w+ {2}fix, attempt 1 {2}its log/),
  ],
  [
    "a reference of the vault missing",
    () => rmSync(savedRef()),
    stored(/fix, attempt 1 {2}its tree .*reference in the vault is missing or was moved.*gc/),
  ],
  [
    "a reference of the vault moved",
    () => writeFileSync(savedRef(), readFileSync(state("vault.git/refs/pawl", runs[0] as string, "saved/1"))),
    stored(/fix, attempt 1 {2}its tree .*missing or was moved/),
  ],
  [
    "an object of the vault missing",
    () => {
      unpackVault();
      rmSync(objectPath(blob()));
    },
    stored(/fix, attempt 1 {2}its tree \(\w+\) is damaged: .*restore/),
  ],
  [
    "an object of the vault edited",
    () => {
      unpackVault();
      exchange(blob());
    },
    stored(/fix, attempt 1 {2}its tree \(\w+\) is damaged: object \w+ is not what its name says; restore/),
  ],
  [
    "the whole vault missing",
    () => rmSync(state("vault.git"), { recursive: true }),
    stored(/the whole vault is missing; restore/),
  ],
  [
    "one run deleted",
    () => deleteRun(runs[1] as string),
    everywhere(/of 3 runs are missing|of \d+ events are missing/, /chain of runs: runs were removed/),
  ],
  [
    "the newest run deleted",
    () => deleteRun(runs[2] as string),
    everywhere(/its pin \(pawl\.pin\) tells of 3 runs.*older copy/),
  ],
  [
    "the first run deleted",
    () => deleteRun(runs[0] as string),
    everywhere(/events are missing/, /chain of runs: runs were removed/),
  ],
  [
    "a run deleted, but not its place in the chain",
    () => inDatabase((db) => db.prepare("DELETE FROM runs WHERE run = ?1").run(runs[1] as string)),
    everywhere(/1 of 3 runs are missing/, /r_\w+ {2}the whole run is missing/),
  ],
  [
    "all runs deleted",
    () => runs.forEach(deleteRun),
    {
      ...everywhere(/tells of 3 runs up to event \d+, and it has 0 runs/),
      "verify @last": /RUN_NOT_FOUND|There is no run/,
    },
  ],
  [
    "one event deleted",
    () => inDatabase((db) => db.exec("DELETE FROM events WHERE seq = 2 AND run = (SELECT max(id) FROM runs)")),
    everywhere(/1 of \d+ events are missing/, /r_\w+ {2}event 2: .*missing/),
  ],
  [
    "the newest event deleted",
    () => inDatabase((db) => db.exec("DELETE FROM events WHERE id = (SELECT max(id) FROM events)")),
    everywhere(/older copy/),
  ],
  [
    "the database replaced by an older copy",
    () => cpSync(join(older, "pawl.db"), state("pawl.db")),
    everywhere(/tells of 3 runs up to event \d+, and it has 2 runs.*older copy; restore/),
  ],
  ["the pin missing", () => rmSync(state("pawl.pin")), everywhere(/its pin \(pawl\.pin\) is missing/)],
  [
    "the pin edited",
    () => writeFileSync(state("pawl.pin"), readFileSync(state("pawl.pin"), "utf8").replace('"runs":3', '"runs":2')),
    everywhere(/its pin \(pawl\.pin\) is damaged/),
  ],
];

/** `doctor` has a hint on a line of its own. */
const told = (command: Command, words: RegExp): RegExp =>
  command === "doctor" ? new RegExp(words.source.replace(/;? ?restore.*$|\.\*restore.*$/, "")) : words;

describe("the store of loops", () => {
  it("is named by --quick as not looked at, and by every other check when it is missing", async () => {
    rmSync(state(), { recursive: true });
    cpSync(sound, state(), { recursive: true });
    const loops = await openSqliteLoops({ dir: state(), clock: createSystemClock() });
    await loops.jobs.submit(buildJob("a1"), Date.now());
    await loops.close();
    expect((await project.json("verify", "--all")).value).toMatchObject({ looked: expect.arrayContaining(["stores"]) });
    for (const end of ["", "-wal", "-shm"]) rmSync(state(`loops.db${end}`), { force: true });
    const quick = await project.pawl("verify", "--all", "--quick");
    expect(quick).toMatchObject({ code: 0, stdout: expect.stringMatching(/loops\.db.* not looked at/) });
    expect((await project.json("verify", "--all", "--quick")).value).toMatchObject({ looked: ["events", "runs"] });
    const { code, stdout } = await project.pawl("verify", "--all");
    expect([code, stdout]).toEqual([1, expect.stringMatching(/damaged {2}.*loops\.db is lost/)]);
  });
});

describe("damage to what is stored", () => {
  it.each(DAMAGE)("%s", async (_, damage, expected) => {
    rmSync(state(), { recursive: true });
    cpSync(sound, state(), { recursive: true });
    damage();
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await project.pawl(...command.split(" "));
      const words = expected[command];
      const said = `${command}: ${stdout}${stderr}`;
      expect(code, said).toBe(
        words === "unseen" ? 0 : command === "verify @last" && /RUN_NOT_FOUND/.test(words.source) ? 3 : 1,
      );
      expect(said).toMatch(words === "unseen" ? /not looked at/ : told(command, words));
      expect(said).not.toMatch(/CLI_DEFECT|\n {4}at /);
    }
  });

  it("is not what gc removed on purpose, and gc itself leaves none", async () => {
    rmSync(state(), { recursive: true });
    cpSync(sound, state(), { recursive: true });
    expect((await project.pawl("verify", "--all")).code).toBe(0);
    expect(await project.json("gc", "--older-than", "0d")).toMatchObject({
      code: 0,
      value: { refs: expect.any(Number) },
    });
    expect(existsSync(savedRef())).toBe(false);
    const { code, value } = await project.json("verify", "--all");
    expect([code, value]).toMatchObject([0, { intact: true, damaged: 0, checked: 3 }]);
    expect((value as { droppedTrees: number }).droppedTrees).toBeGreaterThan(0);
    mkdirSync(state("elsewhere"));
    renameSync(state("vault.git/pawl/dropped"), state("elsewhere/dropped"));
    expect((await project.pawl("verify", "--all")).code).toBe(1);
  });

  it("is noticed by what is kept of runs when the database and its pin are older copies", async () => {
    rmSync(state(), { recursive: true });
    cpSync(sound, state(), { recursive: true });
    for (const name of ["pawl.db", "pawl.pin"]) cpSync(join(older, name), state(name));
    const found = await project.json("verify", "--all");
    expect(found).toMatchObject({ code: 1, value: { damaged: 1, unmentionedRuns: 1, damage: [{ run: runs[2] }] } });
    expect((await project.pawl("doctor", "--accept-loss")).code).toBe(0);
    const taken = await project.pawl("verify", "--all");
    expect([taken.code, taken.stdout]).toMatchObject([
      0,
      expect.stringMatching(/^intact .*\n.*1 run that the journal/),
    ]);
  });

  it("keeps gc from everything of a run whose events do not say that it is over", async () => {
    rmSync(state(), { recursive: true });
    cpSync(sound, state(), { recursive: true });
    const names = runs.map((run) => state("vault.git/refs/pawl", run, "saved/1"));
    inDatabase((db) => db.exec("UPDATE events SET body = replace(body, 'run.finished', 'run.waiting') WHERE run = 2"));
    const { code, value } = await project.json("gc", "--older-than", "0d");
    expect([code, value]).toMatchObject([1, { damaged: [runs[1]] }]);
    expect(names.map((name) => existsSync(name))).toEqual([false, true, false]);
  });

  it("is noticed by whoever reads a run that lacks an event", async () => {
    rmSync(state(), { recursive: true });
    cpSync(sound, state(), { recursive: true });
    inDatabase((db) => db.exec("DELETE FROM events WHERE seq = 2 AND run = 2"));
    for (const command of ["events", "show", "replay"]) {
      const { code, stdout, stderr } = await project.pawl(command, runs[1] as string);
      expect([command, code, stdout + stderr]).toMatchObject([
        command,
        1,
        expect.stringMatching(/event 2 of \w+ is missing/),
      ]);
    }
  });

  it("is noticed in the list of runs", async () => {
    rmSync(state(), { recursive: true });
    cpSync(sound, state(), { recursive: true });
    inDatabase((db) => db.exec("UPDATE runs SET parent = 'r_000000000000' WHERE id = 2"));
    const { code, stdout } = await project.pawl("verify", "--all");
    expect([code, stdout]).toMatchObject([
      1,
      expect.stringMatching(/event 1: +the run is listed with .*another parent/),
    ]);
  });

  it("is noticed in tables that no run names", async () => {
    rmSync(state(), { recursive: true });
    cpSync(sound, state(), { recursive: true });
    inDatabase((db) => db.exec("DELETE FROM waits; INSERT INTO ledger_pages VALUES(1, 'run', 'x', 'usd', 5, 0)"));
    const { code, stdout } = await project.pawl("verify", "--all");
    expect([code, stdout]).toMatchObject([1, expect.stringMatching(/damaged {2}the journal: .*restore/)]);
  });

  it("is taken as it is when a person says so, and not before", async () => {
    rmSync(state(), { recursive: true });
    cpSync(sound, state(), { recursive: true });
    cpSync(join(older, "pawl.db"), state("pawl.db"));
    const refused = await project.pawl("run", "b.yaml");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^JOURNAL_/)]);
    const { code, stdout } = await project.pawl("verify", "--all");
    expect([code, stdout]).toMatchObject([1, expect.stringContaining("pawl.db was replaced by an older copy")]);
    expect((await project.pawl("doctor", "--accept-loss")).code).toBe(0);
    expect((await project.pawl("run", "b.yaml")).code).toBe(0);
    expect(await project.pawl("verify", "--all")).toMatchObject({ code: 0, stdout: expect.stringContaining("intact") });
  });
});
