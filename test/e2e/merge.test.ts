/** `pawl merge` beside a person who works in the same repository, and beside another `pawl merge`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProject, eventually, type Project } from "../support/cli.ts";
import { commitFiles, git } from "../support/git-project.ts";

const BLUEPRINT = `version: 1
name: edit
params: { file: { type: string, default: a.txt } }
policy: { allow: [{ run: ["node", "make.cjs", "**"] }, { run: ["node", "check.cjs"] }, { action: "git.*" }] }
protect: ["check.cjs"]
stages:
  - { id: make, command: ["node", "make.cjs", "\${params.file}"], timeout: 20s }
  - { id: verify, gate: { command: ["node", "check.cjs"] }, timeout: 30s }
  - { id: commit, level: L2, action: git.commit, with: { message: "Edit" } }
`;
const MAKE = 'require("node:fs").writeFileSync(process.argv[2], "of the agent\\n");';
/** Takes its time where the branch says so. */
const CHECK = `const { existsSync } = require("node:fs");
if (existsSync("slow")) setTimeout(() => process.exit(0), 8000);`;

async function proposed(file: string, files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = createProject();
  onTestFinished(() => project.remove());
  const { root, pawl } = project;
  const sources = { "blueprint.yaml": BLUEPRINT, "make.cjs": MAKE, "check.cjs": CHECK };
  commitFiles(root, { "a.txt": "1\n", "b.txt": "1\n", ...sources, ...files }, "--initial-branch=main");
  const made = await pawl("run", "blueprint.yaml", "--level", "L2", "--param", `file=${file}`);
  expect(made).toMatchObject({ code: 0 });
  return project;
}

const read = (root: string, name: string): string => readFileSync(join(root, name), "utf8");

describe("pawl merge and files of the person that are in no commit", () => {
  it.each([
    ["one that git ignores", "notes.txt", "notes.txt", "notes.txt"],
    ["a folder that git ignores", "out", "out/", "out/mine.txt"],
    ["one on the way", "out/notes.txt", "out", "out"],
  ])(
    "L11: leaves %s where it is",
    async (_, file, ignored, mine) => {
      const { root, pawl } = await proposed(
        file,
        file.includes("/") ? { "make.cjs": `require("node:fs").mkdirSync("out"); ${MAKE}` } : {},
      );
      writeFileSync(join(root, ".git", "info", "exclude"), `${ignored}\n`);
      if (mine.includes("/")) mkdirSync(join(root, "out"));
      writeFileSync(join(root, mine), "of the person");
      const merged = await pawl("merge", "@last");
      expect(merged.stdout).toContain("put off: main is checked out in");
      expect(read(root, mine)).toBe("of the person");
      expect(git(root, "log", "--format=%s", "main")).toBe("base");
      expect(git(root, "status", "--porcelain")).toBe("");
    },
    60_000,
  );

  it("L11: tries again what was put off when a person asks", async () => {
    const { root, pawl, json } = await proposed("a.txt");
    writeFileSync(join(root, "b.txt"), "of the person");
    for (const args of [["merge", "@last"], ["merge"]]) {
      const { code, stdout } = await pawl(...args);
      expect([code, stdout]).toEqual([2, expect.stringContaining("put off: main is checked out in")]);
    }
    expect(read(root, "b.txt")).toBe("of the person");
    git(root, "stash", "-q");
    expect(await json("merge")).toMatchObject({ code: 0, value: { ended: [{ to: "merged" }], standing: [] } });
    git(root, "stash", "pop", "-q");
    expect([read(root, "a.txt"), read(root, "b.txt")]).toEqual(["of the agent\n", "of the person"]);
  }, 600_000);
});

describe("pawl merge and git of the person", () => {
  it("L11: does not move a branch that is being rebased", async () => {
    const { root, pawl } = await proposed("a.txt");
    git(root, "checkout", "-q", "-b", "side");
    writeFileSync(join(root, "b.txt"), "side\n");
    git(root, "commit", "-qam", "side");
    git(root, "checkout", "-q", "main");
    writeFileSync(join(root, "b.txt"), "main\n");
    git(root, "commit", "-qam", "main");
    expect(() => git(root, "rebase", "side")).toThrow();
    const merged = await pawl("merge", "@last", "--into", "main");
    expect(merged.stdout).toContain("put off: main cannot be moved now: it is being rebased.");
    writeFileSync(join(root, "b.txt"), "both\n");
    git(root, "add", "b.txt");
    git(root, "-c", "core.editor=true", "rebase", "--continue");
    expect(await pawl("merge")).toMatchObject({ code: 0, stdout: expect.stringContaining("merged into main") });
    expect(git(root, "log", "--format=%s", "main")).toBe("Edit\nmain\nside\nbase");
    expect(git(root, "status", "--porcelain")).toBe("");
  }, 600_000);

  it("L11: leaves a checkout alone in which git is at work, and its lock", async () => {
    const { root, pawl } = await proposed("a.txt");
    const lock = join(root, ".git", "index.lock");
    writeFileSync(lock, "");
    const merged = await pawl("merge", "@last");
    expect(merged.stdout).toContain("put off: main cannot be moved now: git is at work where it is checked out.");
    expect([existsSync(lock), read(root, "a.txt")]).toEqual([true, "1\n"]);
  }, 600_000);
});

describe("two pawl merge", () => {
  it("L11: the second says who is at it; when that is killed, another goes on at once", async () => {
    const { root, pawl, json, start } = await proposed("a.txt");
    writeFileSync(join(root, "slow"), "");
    git(root, "add", "slow");
    git(root, "commit", "-qm", "slow");
    const first = start("merge", "@last");
    const name = `merge ${first.child.pid}`;
    const merging = async () => ((await json("merge", "--list")).value as { merging: unknown[] }).merging;
    let seen: unknown[] = [];
    for (let left = 50; left > 0 && seen.length === 0; left -= 1) seen = await merging();
    expect(seen).toEqual([{ into: "main", name, until: expect.any(Number) }]);
    const second = await pawl("merge");
    expect(second.stdout).toMatch(
      new RegExp(`waits for its turn\\nmain: ${name} is at it; if it is gone, another can begin at .+ UTC\\n$`),
    );
    first.child.kill("SIGKILL");
    await first.ended;
    await eventually(() => first.child.exitCode !== null || first.child.signalCode !== null, "it is gone");
    expect(await merging()).toEqual([]);
    expect(await pawl("merge")).toMatchObject({ code: 0, stdout: expect.stringContaining("merged into main") });
    expect(git(root, "log", "--format=%s", "main")).toBe("Edit\nslow\nbase");
  }, 600_000);
});
