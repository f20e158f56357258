/** Each kind of damage to the state, before each of the commands people trust: nothing is taken for whole that is not, and no work goes. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import {
  buildProject,
  callHere,
  copyOf,
  cut,
  type Damaged,
  dice,
  flipBit,
  plainText,
  STACK,
  TELLING,
  treesIn,
  workspacesIn,
} from "../support/damage.ts";

const FULL = process.env["PAWL_FULL"] === "1";
const SEED = 20_261_118;
const RANDOM = FULL ? 200 : 3;
/** Bytes of the header, and of the index of runs: they need words of their own. */
const FLIPPED = [20, 20_441];
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  status: ["status"],
  verify: ["verify", "--all"],
  doctor: ["doctor"],
  gc: ["gc", "--older-than", "0d"],
  run: ["run", "small.yaml"],
  resume: ["resume", "KILLED"],
};
/** Of them these change nothing. */
const LOOKS = ["status", "verify", "doctor"];

type Damage = (root: string) => void | Promise<void>;

let project: Damaged;
let killedRun: string;
const usual = new Map<string, string>();

beforeAll(async () => {
  project = await buildProject();
  const { stdout } = await callHere(project.clean, ["status", "--json"]);
  const { runs } = JSON.parse(stdout) as { runs: readonly { run: string; status: string; blueprint: string }[] };
  killedRun = runs.find(({ status, blueprint }) => blueprint === "work" && status === "running")?.run ?? "";
  expect(killedRun).toMatch(/^r_/);
  for (const state of ["clean", "killed"] as const)
    for (const [name, result] of await outcomes(project[state], async () => undefined))
      usual.set(`${state} ${name}`, result.text);
}, 120_000);
afterAll(() => project.remove());

interface Outcome {
  readonly text: string;
  readonly all: string;
  readonly code: number | null;
  readonly workGone: readonly string[];
}

/** What each command says on a copy of its own; those that change nothing share one. */
async function outcomes(from: string, damage: Damage): Promise<ReadonlyMap<string, Outcome>> {
  const found = new Map<string, Outcome>();
  let shared: string | null = null;
  for (const [name, args] of Object.entries(COMMANDS)) {
    const root: string = LOOKS.includes(name) ? (shared ?? copyOf(from)) : copyOf(from);
    if (root !== shared) await damage(root);
    if (LOOKS.includes(name)) shared = root;
    const before = { trees: treesIn(root), work: workText(root) };
    const result = await callHere(
      root,
      args.map((arg) => (arg === "KILLED" ? killedRun : arg)),
    );
    const after = treesIn(root);
    const gone = [...before.trees].filter((tree) => !after.has(tree));
    // Removing a workspace whose whole tree is saved is what gc is for.
    const workGone =
      name === "gc" || name === "resume" || workText(root) === before.work ? gone : [...gone, "workspaces"];
    found.set(name, { text: plainText(result, root), all: result.stdout + result.stderr, code: result.code, workGone });
    if (root !== shared) rmSync(root, { recursive: true, force: true });
  }
  if (shared !== null) rmSync(shared, { recursive: true, force: true });
  return found;
}

function workText(root: string): string {
  return existsSync(join(root, ".pawl/workspaces")) ? workspacesIn(root) : "";
}

/** Detected, or without any effect on what is said while `verify` detects it. `isHarmless`: it may be that nothing reads those bytes. */
async function expectNoticed(
  state: "clean" | "killed",
  damage: Damage,
  isHarmless = false,
): Promise<"noticed" | "harmless"> {
  const found = await outcomes(project[state], damage);
  const verified = found.get("verify") as Outcome;
  const isNoticed = verified.code !== 0 && TELLING.test(verified.all);
  const wrong: string[] = [];
  for (const [name, { text, all, code, workGone }] of found) {
    if (STACK.test(all)) wrong.push(`${name} shows a stack trace: ${all}`);
    if (workGone.length > 0) wrong.push(`${name} removed ${workGone.join(", ")}`);
    // What gc mends or keeps because no journal mentions it is damage that it has found, and it says so.
    const isTold =
      name === "gc" && /had lost their names, and have them again|no journal mentions: everything/.test(all);
    const isDetected = isTold || (code !== 0 && TELLING.test(all));
    const isAsEver = text === usual.get(`${state} ${name}`);
    if (!isDetected && !isAsEver)
      wrong.push(`${name} accepts it in silence:\n${text}\n--- instead of\n${usual.get(`${state} ${name}`)}`);
  }
  if (!isNoticed && !isHarmless) wrong.push(`verify does not notice it: ${verified.text}`);
  expect(wrong).toEqual([]);
  return isNoticed ? "noticed" : "harmless";
}

const inState = (root: string, name: string): string => join(root, ".pawl", name);

async function change(root: string, sql: string): Promise<void> {
  const db = (await loadDriver()).open(inState(root, "pawl.db"), { timeout: 1000 });
  db.exec(sql);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

function firstArtifact(root: string): string {
  const folder = inState(root, "artifacts");
  const shelf = readdirSync(folder).find((name) => /^[0-9a-f]{2}$/.test(name)) as string;
  return join(folder, shelf, readdirSync(join(folder, shelf))[0] as string);
}

function vaultFile(root: string, below: string, match: RegExp): string {
  const folder = inState(root, `vault.git/${below}`);
  const names = readdirSync(folder, { recursive: true }) as string[];
  return join(folder, names.sort().find((name) => match.test(name)) as string);
}

const DAMAGES: Readonly<Record<string, Damage>> = {
  "the database is empty": (root) => cut(inState(root, "pawl.db"), 0),
  "the database is missing": (root) => {
    for (const end of ["", "-wal", "-shm"]) rmSync(inState(root, `pawl.db${end}`), { force: true });
  },
  "the database is not one": (root) => writeFileSync(inState(root, "pawl.db"), "hello ".repeat(3000)),
  "the database is an older copy": (root) => {
    for (const end of ["", "-wal"]) cpSync(inState(project.killed, `pawl.db${end}`), inState(root, `pawl.db${end}`));
  },
  "the pin is missing": (root) => rmSync(inState(root, "pawl.pin")),
  "the pin is something that never ends": (root) => {
    rmSync(inState(root, "pawl.pin"));
    execFileSync("mkfifo", [inState(root, "pawl.pin")]);
  },
  "the store of loops is missing": (root) => {
    for (const end of ["", "-wal", "-shm"]) rmSync(inState(root, `loops.db${end}`), { force: true });
  },
  "the store of loops is empty": (root) => {
    for (const end of ["-wal", "-shm"]) rmSync(inState(root, `loops.db${end}`), { force: true });
    cut(inState(root, "loops.db"), 0);
  },
  "the whole state is a link that leads nowhere": (root) => {
    rmSync(join(root, ".pawl"), { recursive: true });
    symlinkSync(join(root, "not-mounted"), join(root, ".pawl"));
  },
  "one run is deleted": (root) =>
    change(
      root,
      "DELETE FROM events WHERE run = (SELECT min(id) FROM runs); DELETE FROM runs WHERE id = (SELECT min(id) FROM runs)",
    ),
  "the version of the schema is lower than its tables": (root) => change(root, "PRAGMA user_version = 8"),
  "a table has lost its name": (root) => change(root, "ALTER TABLE runs RENAME TO run"),
  "one event is deleted": (root) => change(root, "DELETE FROM events WHERE id = 4"),
  "an artifact is edited": (root) => writeFileSync(firstArtifact(root), "edited\n"),
  "an artifact is missing": (root) => rmSync(firstArtifact(root)),
  "a name in the vault is missing": (root) => rmSync(vaultFile(root, "refs/pawl", /saved\/1$/)),
  "an object of the vault is missing": (root) =>
    rmSync(vaultFile(root, "objects", /^pack\/.*\.pack$|^[0-9a-f]{2}\/[0-9a-f]{38}$/)),
  "the whole vault is missing": (root) => rmSync(inState(root, "vault.git"), { recursive: true }),
};

describe("damage to the state is noticed by every command, and costs no work", () => {
  it.each(Object.entries(DAMAGES))(
    "%s",
    async (_, damage) => {
      await expectNoticed("clean", damage);
    },
    600_000,
  );

  it("the -wal of a killed host is missing", async () => {
    await expectNoticed("killed", (root) => rmSync(inState(root, "pawl.db-wal")));
  }, 120_000);

  it(`the database is cut off at ${RANDOM} places and at the borders of pages`, async () => {
    const roll = dice(SEED);
    const size = statSync(inState(project.clean, "pawl.db")).size;
    const chosen = [1, 4096, ...(FULL ? [99, 100, 512, 4095, 4097, 8192, size - 4096, size - 1] : [])];
    for (const at of [...chosen, ...Array.from({ length: RANDOM - chosen.length }, () => roll(size))])
      await expectNoticed("clean", (root) => cut(inState(root, "pawl.db"), at)).catch((error: Error) => {
        throw new Error(`at ${at}: ${error.message}`);
      });
  }, 3_600_000);

  it(`one of ${RANDOM} bits is another`, async () => {
    const roll = dice(SEED + 1);
    const size = statSync(inState(project.clean, "pawl.db")).size;
    const silent: string[] = [];
    let harmless = 0;
    for (let time = 0; time < RANDOM; time += 1) {
      const [at, bit] = [FLIPPED[time] ?? roll(size), roll(8)];
      const flip: Damage = (root) => flipBit(inState(root, "pawl.db"), at, bit);
      const found = await expectNoticed("clean", flip, true).catch((error: Error) => {
        silent.push(`bit ${bit} of byte ${at}: ${error.message}`);
      });
      if (found === "harmless") harmless += 1;
    }
    if (FULL) process.stderr.write(`flips: ${RANDOM}, without any effect: ${harmless}\n`);
    expect(silent).toEqual([]);
  }, 3_600_000);
});
