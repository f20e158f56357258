/** Secrets planted all over a machine: hostile stages of every kind look for them, and none is found in anything Pawl keeps or shows. */
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN } from "../support/cli.ts";
import { commitFiles, git, vaultOf } from "../support/git-project.ts";
import { type BuriedTrove, buryTrove } from "../support/hostile/buried-trove.ts";
import { canariesIn, plantTrove, type Trove } from "../support/hostile/canary-trove.ts";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";

const IS_FULL = process.env["PAWL_FULL"] === "1";
const HOSTILE = join(import.meta.dirname, "../support/hostile");
const SPIES = ["first", "member", "reader", "committer", "online", "child", "check"];
const STOLEN_FILES = IS_FULL ? 17 : 4;

const VAULT = "vault";
const SCOPE = IS_FULL ? "whole" : "wide";
const spy = (name: string, scope = SCOPE): string => `["perl", "spy.pl", "${name}", "${scope}"]`;
const RULES = 'policy: { allow: [{ run: ["perl", "spy.pl", "**"] }, { run: ["perl", "thief.pl", "**"] }] }';
const PLACE = "workspace: { kind: clone, share: [node_modules] }";
const CHILD = `version: 1
name: child
${PLACE}
${RULES}
stages:
  - { id: look, command: ${spy("child")}, outputs: { loot: out.txt } }
`;
const UNWALLED = `version: 1
name: unwalled
${RULES}
stages:
  - { id: look, command: ${spy("unwalled", "near")}, sandbox: danger_full_access, outputs: { loot: out.txt } }
`;

function blueprintOf(stolen: readonly string[]): string {
  // Policy would deny a path as an argument; here the wall is tried.
  const thief = (path: string): string => `command: [perl, thief.pl], env: { STOLEN: ${JSON.stringify(path)} }`;
  return `version: 1
name: spies
${PLACE}
${RULES}
stages:
  - { id: first, command: ${spy("first")}, capture: text, outputs: { loot: out.txt } }
  - id: both
    group:
      parallel:
        - { id: member, command: ${spy("member")}, outputs: { loot: out.txt } }
        - { id: reader, command: ${spy("reader")}, sandbox: read_only }
  - { id: committer, command: ${spy("committer")}, sandbox: repo_write, inputs: [first.loot] }
  - { id: online, command: ${spy("online")}, network: [example.org], untrusted: false, outputs: { loot: out.txt } }
  - { id: child, run: { blueprint: child.yaml } }
  - id: thieves-of-files
    group: { for_each: ${JSON.stringify(stolen)}, stage: { id: each, ${thief("${item}")}, outputs: { plain: plain, leak: leak } } }
    on_failure: thieves-of-folders
  - id: thieves-of-folders
    command: [perl, thief.pl]
    env: { STOLEN: "${stolen.find((path) => path.endsWith("/.aws/credentials"))}" }
    outputs: { leak: folder/credentials }
    on_failure: check
  - { id: check, gate: { command: ${spy("check")} } }
`;
}

interface Machine {
  readonly root: string;
  readonly home: string;
  readonly trove: Trove;
  /** In objects of git. */
  readonly buried: BuriedTrove;
}

interface Ended {
  readonly code: number | null;
  readonly said: Buffer;
}

interface Finished {
  readonly type: string;
  readonly stage: string;
  readonly cause: string;
}

afterAll(removeFolders);

describe("planted secrets", () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await createMachine();
  });

  it("are found by nobody: not by a hostile stage of any kind, and not in anything that is kept or shown", async () => {
    const { trove, buried } = machine;
    const told = await pawl(machine, "run", "blueprint.yaml", "--jsonl");
    expect(told, told.said.toString().slice(-2000)).toMatchObject({ code: 0 });
    const sinks = await sinksOf(machine, told);
    expect(reportsIn(sinks)).toEqual(SPIES.map((name) => `${name} found 0`).sort());
    const hits = [...sinks].flatMap(([sink, bytes]) => canariesIn(bytes, trove).map((hit) => `${sink}: ${hit}`));
    expect(hits).toEqual([]);
    // What other runs have saved is in the vault, and nowhere else.
    const elsewhere = [...sinks].filter(([sink]) => !sink.includes(VAULT));
    const found = elsewhere.flatMap(([sink, bytes]) => canariesIn(bytes, buried).map((hit) => `${sink}: ${hit}`));
    expect(found).toEqual([]);
    const [run = ""] = runsIn(told);
    const links = (await finished(machine, run)).filter(({ stage }) => stage.startsWith("thieves"));
    expect(links.map(({ cause }) => cause)).toEqual(links.map(() => "invalid_output"));
    expect(links.length).toBe(STOLEN_FILES + 1);
    const bytes = [...sinks.values()].reduce((sum, { length }) => sum + length, 0);
    process.stderr.write(
      `${trove.canaries.length + buried.canaries.length} canaries, ${SPIES.length} spies, ${links.length} links as outputs, ` +
        `${sinks.size} sinks of ${Math.round(bytes / 1024)} KiB: 0 found\n`,
    );
  });

  it("would be found: the same spy finds in the objects what no stage is given of them", () => {
    const { root, buried } = machine;
    const hits = canariesIn(spyOnObjects(root), buried).filter((hit) => hit.endsWith("(raw)"));
    expect(hits.sort()).toEqual(buried.canaries.map(({ name }) => `${name} (raw)`).sort());
  });

  it("would be found: the same spy without a wall finds the files and the environment of its host", async () => {
    const other = await createMachine();
    const told = await pawl(other, "run", "unwalled.yaml", "--danger-full-access", "--jsonl");
    const sinks = await sinksOf(other, told);
    // Without a wall it also sees what other tests have planted.
    const [report = ""] = reportsIn(sinks);
    expect(report).toMatch(/^unwalled found \d+$/);
    expect(Number(report.split(" ").at(-1))).toBeGreaterThanOrEqual(other.trove.canaries.length);
    const artifacts = [...sinks].filter(([sink]) => sink.includes("/artifacts/"));
    const hits = artifacts.flatMap(([, bytes]) => canariesIn(bytes, other.trove));
    for (const disguise of ["raw", "base64", "hex", "reversed", "url-encoded"])
      expect(new Set(hits.filter((hit) => hit.endsWith(`(${disguise})`))).size).toBeGreaterThan(15);
    const inVault = canariesIn(sinks.get("every object of the vault") ?? Buffer.alloc(0), other.trove);
    expect(inVault.length).toBeGreaterThan(15);
  });
});

/** As every stage once saw them: all objects of the project and of the vault. */
function spyOnObjects(root: string): Buffer {
  const folder = makeFolder();
  git(folder, "init", "-q");
  const objects = [join(root, ".git/objects"), join(vaultOf(root), "objects")];
  writeFileSync(join(folder, ".git/objects/info/alternates"), objects.map((path) => `${path}\n`).join(""));
  return spawnSync("perl", [join(HOSTILE, "spy.pl"), "control", "near"], { cwd: folder, maxBuffer: 1 << 28 }).stdout;
}

async function createMachine(): Promise<Machine> {
  const [root, home, neighbour, temp] = [makeFolder(), makeFolder(), makeFolder(), makeFolder()];
  for (const script of ["spy.pl", "thief.pl"]) copyFileSync(join(HOSTILE, script), join(root, script));
  const base = { ".gitignore": ".env\nnode_modules/\n", "child.yaml": CHILD, "unwalled.yaml": UNWALLED };
  commitFiles(root, base);
  const buried = buryTrove(root);
  const other = await pawl({ root, home, trove: { env: {} } }, "run", "burying.yaml");
  expect(other, other.said.toString().slice(-2000)).toMatchObject({ code: 0 });
  buried.clear();
  const trove = plantTrove({ root, home, neighbour, temp });
  const known = {
    "places.txt": trove.places.map((place) => `${place}\n`).join(""),
    "blueprint.yaml": blueprintOf(trove.places.slice(0, STOLEN_FILES)),
  };
  for (const [name, text] of Object.entries(known)) writeFileSync(join(root, name), text);
  git(root, "add", ...Object.keys(known));
  git(root, "commit", "-q", "-m", "what an attacker knows");
  mkdirSync(join(root, "node_modules"));
  symlinkSync(join(home, ".aws/credentials"), join(root, "node_modules/keys"));
  writeFileSync(join(root, "node_modules/index.js"), "export {};\n");
  return { root, home, trove, buried };
}

interface Host {
  readonly root: string;
  readonly home: string;
  readonly trove: Pick<Trove, "env">;
}

function pawl({ root, home, trove }: Host, ...args: string[]): Promise<Ended> {
  const env = { PATH: process.env["PATH"], HOME: home, USER: "ann", ...trove.env };
  const child = spawn(process.execPath, [BIN, ...args], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, said: Buffer.concat(chunks) }));
  });
}

async function finished(machine: Machine, run: string): Promise<readonly Finished[]> {
  const { said } = await pawl(machine, "events", run, "--json");
  const { events } = JSON.parse(said.toString()) as { readonly events: readonly { readonly event: Finished }[] };
  return events.map(({ event }) => event).filter(({ type }) => type === "stage.finished");
}

/** The run that was told of, then its children. */
function runsIn({ said }: Ended): readonly string[] {
  return [...new Set(said.toString().match(/\br_[0-9a-z]{12}\b/g))];
}

/** Everything that Pawl keeps, shows or tells, by its name. */
async function sinksOf(machine: Machine, told: Ended): Promise<ReadonlyMap<string, Buffer>> {
  const { root } = machine;
  const sinks = new Map([["pawl run", told.said]]);
  for (const run of runsIn(told)) {
    for (const command of ["show", "events", "logs", "diff", "status"])
      sinks.set(`pawl ${command} ${run} --json`, (await pawl(machine, command, run, "--json")).said);
    for (const command of ["logs", "diff"])
      sinks.set(`pawl ${command} ${run} --raw`, (await pawl(machine, command, run, "--raw")).said);
  }
  for (const path of filesBelow(join(root, ".pawl"))) sinks.set(path, readFileSync(path));
  const all = ["cat-file", "--batch-all-objects", "--batch"];
  const objects = spawnSync("git", [`--git-dir=${vaultOf(root)}`, ...all], { maxBuffer: 1 << 28 });
  expect(objects.status, objects.stderr.toString()).toBe(0);
  return sinks.set("every object of the vault", objects.stdout);
}

/** What the spies say at their end. */
function reportsIn(sinks: ReadonlyMap<string, Buffer>): readonly string[] {
  const logs = [...sinks].filter(([sink]) => /^pawl logs .* --raw$/.test(sink)).map(([, bytes]) => bytes.toString());
  return (logs.join("\n").match(/^\w+ found \d+$/gm) ?? []).sort();
}

/** But for the ones in which a canary was planted. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name === "of-another-run") return [];
    const found = lstatSync(path);
    if (found.isDirectory()) return filesBelow(path);
    return found.isFile() ? [path] : [];
  });
}
