/**
 * `pawl merge`, killed together with the git it runs at the system calls that change a file, one after the other; then once more, left alone. Whatever
 * the instant: the branch has what was judged, each change is on it once, the checkout of the person is whole, and no lock is left.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/wire.ts";
import { BIN, eventually } from "../support/cli.ts";
import { commitFiles, git } from "../support/git-project.ts";
import { createGitKiller, type Point } from "../support/kill/git-killer.ts";
import { seeded } from "../support/shell-corpus/random.ts";
import { removeTree, tempDir } from "../support/temp-dir.ts";

const FULL = process.env["PAWL_FULL"] === "1";
const SEED = Number(process.env["PAWL_SEED"] ?? 1);
const hasStrace = spawnSync("strace", ["-V"]).status === 0;
const GIT = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

const BLUEPRINT = `version: 1
name: edit
params: { what: { type: string, default: one } }
policy: { allow: [{ run: ["node", "make.cjs", "**"] }, { run: ["node", "check.cjs"] }, { action: "git.*" }] }
protect: ["check.cjs"]
stages:
  - { id: make, command: ["node", "make.cjs", "\${params.what}"], timeout: 20s }
  - { id: verify, gate: { command: ["node", "check.cjs"] }, timeout: 20s }
  - { id: commit, level: L2, action: git.commit, with: { message: "Edit" } }
`;
/** One writes, adds, removes and renames; a file becomes a folder and a folder a link. The other adds one file. */
const MAKE = `const fs = require("node:fs");
if (process.argv[2] === "one") {
  for (const name of ["a.txt", "new/deep.txt", "b.txt"]) {
    fs.mkdirSync("new", { recursive: true });
    fs.writeFileSync(name, "long text of one\\n".repeat(3000));
  }
  fs.rmSync("gone.txt");
  fs.renameSync("case.txt", "CASE.txt");
  fs.rmSync("turns"); fs.mkdirSync("turns"); fs.writeFileSync("turns/in.txt", "in");
  fs.rmSync("folder", { recursive: true }); fs.symlinkSync("a.txt", "folder");
  fs.writeFileSync("-odd \\"name\\"\\n", "odd");
} else fs.writeFileSync("two.txt", "two");
`;
const CHECK = `const fs = require("node:fs"); process.exit(fs.existsSync("gone.txt") === fs.existsSync("new/deep.txt") ? 1 : 0);`;
const FILES = {
  ...{ "a.txt": "1\n", "b.txt": "1\n", "case.txt": "1\n", "gone.txt": "1\n", turns: "1\n", "folder/in.txt": "1\n" },
  ...{ "make.cjs": MAKE, "check.cjs": CHECK, "blueprint.yaml": BLUEPRINT, ".gitignore": "mine.log\n" },
};

let template = "";

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), "pawl-merge-crash-"));
  commitFiles(template, FILES, "--initial-branch=main");
  const runtime = await openRuntime({ root: template });
  const coordination = await runtime.coordination();
  for (const what of ["one", "two"]) {
    const { plan } = await runtime.compile("blueprint.yaml", { level: "L2", params: { what } });
    if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
    const { run, ended } = await runtime.start(plan.value, { unearned: { by: "test", why: "test" } });
    expect((await ended).status).toBe("succeeded");
    await coordination.accept(run, { into: "main", by: "ann" });
  }
  await runtime.close();
}, 600_000);

afterAll(() => removeTree(template), 60_000);

/** The project as it was before anything was merged, with files of the person that are in no commit. */
function copyProject(): { readonly dir: string; readonly root: string } {
  const dir = tempDir();
  const root = join(dir, "project");
  cpSync(template, root, { recursive: true, verbatimSymlinks: true });
  for (const name of ["mine.log", "untracked.txt"]) writeFileSync(join(root, name), "of the person");
  return { dir, root };
}

function merge(root: string, path: string): { readonly child: ChildProcess; readonly ended: Promise<string> } {
  const env = { PATH: path, HOME: process.env["HOME"], USER: "tester" };
  const child = spawn(process.execPath, [BIN, "merge"], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (out += text.toString()));
  const ended = new Promise<string>((resolve) =>
    child.once("close", (code, signal) => resolve(`${signal ?? code} ${out}`)),
  );
  return { child, ended };
}

const PATH = process.env["PATH"] ?? "";

/** What holds at any instant. */
function judgeAtOnce(root: string): void {
  const has = (name: string): boolean => spawnSync(GIT, ["-C", root, "cat-file", "-e", `main:${name}`]).status === 0;
  expect(has("gone.txt")).toBe(!has("new/deep.txt"));
  for (const name of ["mine.log", "untracked.txt"])
    expect(readFileSync(join(root, name), "utf8")).toBe("of the person");
}

/** What holds when another has gone on. */
async function judgeAfter(root: string): Promise<void> {
  expect(await merge(root, PATH).ended).toMatch(/^0 /);
  expect(await merge(root, PATH).ended).toBe("0 nothing waits to be merged\n");
  const runs = git(root, "log", "--format=%(trailers:key=Pawl-Run,valueonly,separator=)", "main").split("\n");
  expect(runs.filter(Boolean).length).toBe(2);
  expect(new Set(runs.filter(Boolean)).size).toBe(2);
  expect(git(root, "status", "--porcelain")).toBe("?? untracked.txt");
  expect(git(root, "diff", "--name-only", "main", "--")).toBe("");
  expect(readlinkSync(join(root, "folder"))).toBe("a.txt");
  const left = execFileSync("find", [".git", ".pawl/vault.git", "-name", "*.lock", "-o", "-name", "pawl-landing*"], {
    ...{ cwd: root, encoding: "utf8" },
  });
  expect(left).toBe("");
  git(root, "fsck", "--strict", "--no-dangling");
  judgeAtOnce(root);
}

describe.runIf(hasStrace)("a merge whose git is killed at a system call, and its host with it", () => {
  it("L11: has happened exactly once when another goes on, and the checkout is whole", {
    timeout: 3_600_000,
  }, async () => {
    const watched = copyProject();
    const watcher = createGitKiller(watched.dir, GIT);
    watcher.watch();
    expect(await merge(watched.root, `${watcher.bin}:${PATH}`).ended).toMatch(/^0 /);
    const points = chosen(watcher.points());
    expect(points.length).toBeGreaterThan(6);
    let kills = 0;
    for (const point of points) {
      const { dir, root } = copyProject();
      const killer = createGitKiller(dir, GIT);
      killer.killAt(point);
      if ((await merge(root, `${killer.bin}:${PATH}`).ended).startsWith("SIGKILL")) kills += 1;
      try {
        judgeAtOnce(root);
        await judgeAfter(root);
      } catch (error) {
        throw new Error(`killed at ${point.call} ${point.when} of git ${point.verb} ${point.nth}`, { cause: error });
      }
      await removeTree(dir);
    }
    process.stderr.write(`${kills} kills at ${points.length} points\n`);
    expect(kills).toBe(points.length);
  });
});

describe.runIf(hasStrace)("a merge that was cut off while it wrote files", () => {
  const readTree = async (): Promise<readonly Point[]> => {
    const watched = copyProject();
    const watcher = createGitKiller(watched.dir, GIT);
    watcher.watch();
    expect(await merge(watched.root, `${watcher.bin}:${PATH}`).ended).toMatch(/^0 /);
    return watcher.points().filter(({ verb }) => verb === "read-tree");
  };

  it("L11: what the person has written meanwhile stays, and everything else is as it was", async () => {
    const half = (await readTree()).filter(({ call }) => call === "unlink").at(-1) as Point;
    const { dir, root } = copyProject();
    const killer = createGitKiller(dir, GIT);
    killer.killAt(half);
    expect(await merge(root, `${killer.bin}:${PATH}`).ended).toMatch(/^SIGKILL/);
    expect(git(root, "status", "--porcelain").split("\n").length).toBeGreaterThan(3);
    expect(() => git(root, "commit", "-qam", "half")).toThrow(/index\.lock/);
    writeFileSync(join(root, "a.txt"), "of the person");
    expect(await merge(root, PATH).ended).toContain("put off: main is checked out in");
    expect(git(root, "status", "--porcelain")).toBe(" M a.txt\n?? untracked.txt");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("of the person");
    git(root, "checkout", "-q", "a.txt");
    await judgeAfter(root);
  }, 600_000);

  it("L11: a git that outlives its host is waited for", async () => {
    const [first] = await readTree();
    const { dir, root } = copyProject();
    const slow = createGitKiller(dir, GIT);
    slow.delay(first as Point);
    const { child, ended } = merge(root, `${slow.bin}:${PATH}`);
    await eventually(() => existsSync(join(dir, "late")), "the files are about to be written", 60_000);
    child.kill("SIGKILL");
    await ended;
    await judgeAfter(root);
  }, 600_000);
});

/** In the short form some of each kind that changes something. */
function chosen(points: readonly Point[]): readonly Point[] {
  if (FULL) return points;
  const random = seeded(SEED);
  const kinds = { "read-tree": 3, "update-ref": 2, "vault-update-ref": 2 };
  return Object.entries(kinds).flatMap(([kind, most]) => {
    const fit = points.filter(({ verb }) => verb === kind);
    expect(fit.length).toBeGreaterThan(0);
    return Array.from({ length: most }, () => fit[random(fit.length)] as Point);
  });
}

describe("a merge whose process is killed", () => {
  it("L11: at any instant, is gone on with at once by another", { timeout: 3_600_000 }, async () => {
    const random = seeded(SEED);
    for (let left = FULL ? 60 : 3; left > 0; left -= 1) {
      const { dir, root } = copyProject();
      const { child, ended } = merge(root, PATH);
      const afterMs = 400 + random(1800);
      const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
      await ended;
      clearTimeout(timer);
      judgeAtOnce(root);
      await judgeAfter(root);
      await removeTree(dir);
    }
  });
});
