/** What a stage can read of the vault: exactly what can be reached from the commit of the project that its run stands on. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { WorkspaceSpec } from "../../src/blueprint/blueprint.ts";
import type { Workspace } from "../../src/ports/workspaces.ts";
import {
  CLONE,
  commitFiles,
  filesOf,
  git,
  LABEL,
  placeOf,
  putFile,
  vaultOf,
  workspacesAt,
} from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

const DIRTY: WorkspaceSpec = { ...CLONE, from: "working_tree" };
const FAR = 4_000_000_000_000;
const ENDED = async (): Promise<"ended"> => "ended";

function project(...init: string[]): string {
  const root = join(tempDir(), "project");
  commitFiles(root, { a: "a\n", "src/b": "b\n" }, ...init);
  return root;
}

/** Loose ends of every kind that `git gc` has not taken away yet; each holds the word `secret`. */
function plantSecrets(root: string): void {
  const add = (name: string): void => {
    putFile(root, name, { mode: "100644", text: `secret ${name}\n` });
    git(root, "add", "-f", name);
  };
  git(root, "checkout", "-q", "-b", "other");
  add("on-another-branch");
  git(root, "commit", "-q", "-m", "secret branch");
  git(root, "checkout", "-q", "-");
  add("dropped");
  git(root, "commit", "-q", "-m", "secret of the reflog");
  git(root, "reset", "-q", "--hard", "HEAD^");
  add("stashed");
  git(root, "stash", "-q");
  add("unstaged");
  git(root, "reset", "-q", "--hard");
}

/** A git command as a stage gives it, but without a wall. */
function inside({ folder, mounts }: Workspace, ...args: string[]): string {
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_ALTERNATE_OBJECT_DIRECTORIES: mounts[0]?.from };
  const settings = ["-c", "user.name=a", "-c", "user.email=a@b"];
  const { stdout } = spawnSync("git", [...settings, ...args], { cwd: folder, env, maxBuffer: 1 << 28 });
  return stdout.toString("latin1");
}

function objectsSeen(workspace: Workspace): string[] {
  const format = "--batch-check=%(objectname)";
  return [...new Set(inside(workspace, "cat-file", "--batch-all-objects", format).split("\n"))].filter(Boolean).sort();
}

function reachable(root: string, commit: string): string[] {
  return [...new Set(git(root, "rev-list", "--objects", "--no-object-names", commit).split("\n"))].sort();
}

const basesIn = (root: string): string[] => readdirSync(join(vaultOf(root), "pawl/bases")).sort();
const packsOf = (root: string, commit: string): string[] =>
  readdirSync(join(vaultOf(root), "pawl/bases", commit, "pack")).filter((name) => name.endsWith(".pack"));

async function entered(root: string, spec = CLONE): Promise<Workspace> {
  const workspaces = workspacesAt(root);
  return workspaces.enter(placeOf(spec), await workspaces.base(spec, 1), LABEL);
}

describe("a base", () => {
  it.each([[[]], [["--object-format=sha256"]]])("holds what its commit reaches and nothing else %j", async (init) => {
    const root = project(...init);
    plantSecrets(root);
    for (const isPacked of [false, true]) {
      if (isPacked) git(root, "repack", "-q", "-a", "-d", "-k");
      const head = commitFiles(root, { a: `${isPacked}\n` });
      const workspace = await entered(root);
      expect(objectsSeen(workspace)).toEqual(reachable(root, head));
      expect(inside(workspace, "cat-file", "--batch-all-objects", "--batch")).not.toContain("secret");
      expect(inside(workspace, "fsck", "--strict")).not.toMatch(/missing|broken/);
    }
    // It is the mount that keeps them away: they are there to be found.
    const all = git(root, "cat-file", "--batch-all-objects", "--batch");
    for (const kind of ["on-another-branch", "dropped", "stashed", "unstaged"]) expect(all).toContain(`secret ${kind}`);
  });

  it("does not hold what other runs have saved, left or started from, and the old mount would", async () => {
    const root = project();
    putFile(root, "a", { mode: "100644", text: "secret start\n" });
    const workspaces = workspacesAt(root);
    const where = placeOf(DIRTY);
    const start = await workspaces.base(DIRTY, 1);
    const other = await workspaces.enter(where, start, LABEL);
    writeFileSync(join(other.folder, "src/b"), "secret save\n");
    const saved = await other.save(LABEL);
    writeFileSync(join(other.folder, "src/b"), "secret rest\n");
    await workspaces.enter(where, start, LABEL);
    const mine = await workspaces.enter(placeOf(), await workspaces.base(CLONE, 1), LABEL);
    expect(inside(mine, "cat-file", "--batch-all-objects", "--batch")).not.toContain("secret");
    for (const id of [start, saved]) expect(inside(mine, "cat-file", "-p", id)).toBe("");
    const everything = { ...mine, mounts: [{ ...mine.mounts[0]!, from: join(vaultOf(root), "objects") }] };
    const found = inside(everything, "cat-file", "--batch-all-objects", "--batch");
    for (const kind of ["start", "save", "rest"]) expect(found).toContain(`secret ${kind}`);
  });

  it("is built upon the nearest one before it, and anew when there are too many packs", async () => {
    const root = project();
    const first = git(root, "rev-parse", "HEAD");
    await entered(root);
    git(root, "checkout", "-q", "-b", "side");
    commitFiles(root, { side: "side\n" });
    git(root, "checkout", "-q", "-");
    commitFiles(root, { main: "main\n" });
    git(root, "merge", "-q", "-m", "both", "side");
    const merged = git(root, "rev-parse", "HEAD");
    expect(objectsSeen(await entered(root))).toEqual(reachable(root, merged));
    expect(packsOf(root, merged)).toEqual(expect.arrayContaining(packsOf(root, first)));
    expect(packsOf(root, merged)).toHaveLength(2);
    const inodes = [first, merged].map((commit) => {
      const pack = packsOf(root, first)[0] as string;
      return statSync(join(vaultOf(root), "pawl/bases", commit, "pack", pack)).ino;
    });
    expect(new Set(inodes).size).toBe(1);
    let head = merged;
    for (let count = 0; count < 30; count += 1) {
      head = commitFiles(root, { a: `${count}\n` });
      await workspacesAt(root).base(CLONE, 1);
    }
    expect(packsOf(root, head).length).toBeLessThan(5);
    expect(objectsSeen(await entered(root))).toEqual(reachable(root, head));
  }, 600_000);

  it("is not built upon one that the commit does not go back to", async () => {
    const root = project();
    git(root, "checkout", "-q", "-b", "secret");
    commitFiles(root, { key: "secret\n" });
    await entered(root);
    git(root, "checkout", "-q", "-");
    const head = commitFiles(root, { main: "main\n" });
    const workspace = await entered(root);
    expect(objectsSeen(workspace)).toEqual(reachable(root, head));
    expect(inside(workspace, "cat-file", "--batch-all-objects", "--batch")).not.toContain("secret");
  });

  it("is not copied anew when a commit was made again or others parted from it", async () => {
    const root = project();
    for (let count = 0; count < 5; count += 1) commitFiles(root, { a: `${count}\n` });
    await entered(root);
    const heads: string[] = [];
    for (const text of ["again", "once more"]) {
      putFile(root, "a", { mode: "100644", text });
      git(root, "commit", "-q", "-a", "--amend", "-m", "amended");
      heads.push(git(root, "rev-parse", "HEAD"));
      expect(objectsSeen(await entered(root))).toEqual(reachable(root, heads.at(-1) as string));
    }
    const [first = [], second = []] = heads.map((head) => packsOf(root, head));
    expect(second.filter((name) => first.includes(name))).toHaveLength(1);
    await workspacesAt(root).sweep({ known: async () => "open", before: FAR, at: 1 });
    for (const head of heads)
      expect(objectsSeen(await workspacesAt(root).enter(placeOf(), head, LABEL))).toEqual(reachable(root, head));
  });

  it("of a shallow project ends where its history ends, and does not stand in the way of the whole one", async () => {
    const root = project();
    plantSecrets(root);
    for (const text of ["1", "2", "3"]) commitFiles(root, { a: text });
    const shallow = join(root, "../shallow");
    git(root, "clone", "-q", "--depth=2", "--no-single-branch", `file://${root}`, shallow);
    const cut = await entered(shallow);
    expect(objectsSeen(cut)).toEqual(reachable(shallow, "HEAD"));
    expect(inside(cut, "log", "--format=%s").split("\n")).toHaveLength(3);
    expect(readFileSync(join(cut.folder, ".git/shallow"), "utf8")).toBe(`${git(shallow, "rev-parse", "HEAD^")}\n`);
    git(shallow, "fetch", "-q", "--unshallow");
    const head = commitFiles(shallow, { a: "4" });
    const whole = await entered(shallow);
    expect(objectsSeen(whole)).toEqual(reachable(shallow, head));
    expect(existsSync(join(whole.folder, ".git/shallow"))).toBe(false);
    await workspacesAt(shallow).sweep({ known: async () => "open", before: FAR, at: 1 });
    expect(inside(whole, "fsck", "--strict")).not.toMatch(/missing|broken/);
    expect(git(vaultOf(shallow), "fsck", "--no-dangling")).not.toMatch(/missing|broken/);
    // The shallow one goes, and with it the end of the history.
    await workspacesAt(shallow).sweep({ known: ENDED, before: FAR, at: 1 });
    expect(existsSync(join(vaultOf(shallow), "shallow"))).toBe(false);
  });

  it("is made whole by whoever needs it, whatever another process has done or left half done", async () => {
    const root = project();
    const head = git(root, "rev-parse", "HEAD");
    const expected = reachable(root, head);
    for (const workspace of await Promise.all([1, 2, 3].map(() => entered(root))))
      expect(objectsSeen(workspace)).toEqual(expected);
    // Cut off while a base was being made; after it got its place and before it got its name.
    const vault = vaultOf(root);
    mkdirSync(join(vault, "pawl/temp/base-half/base/pack"), { recursive: true });
    rmSync(join(vault, "refs/pawl/bases", head));
    expect(objectsSeen(await entered(root))).toEqual(expected);
    expect(git(vault, "rev-parse", `refs/pawl/bases/${head}`)).toBe(head);
    // Damaged, and the project is gone.
    rmSync(join(vault, "pawl/bases", head), { recursive: true });
    rmSync(join(root, ".git"), { recursive: true });
    expect(objectsSeen(await workspacesAt(root).enter(placeOf(), head, LABEL))).toEqual(expected);
    await workspacesAt(root).sweep({ known: async () => "open", before: 0, at: 1 });
    expect(readdirSync(join(vault, "pawl/temp"))).toEqual([]);
    expect(git(vault, "fsck", "--no-dangling")).not.toMatch(/missing|broken/);
  });

  it("follows no graft: a commit has the parents that it names", async () => {
    const root = project();
    const head = commitFiles(root, { a: "2\n" });
    const all = reachable(root, head);
    mkdirSync(join(root, ".git/info"), { recursive: true });
    writeFileSync(join(root, ".git/info/grafts"), `${head}\n`);
    expect(objectsSeen(await entered(root))).toEqual(all);
  });
});

describe("a sweep of bases", () => {
  it("removes those that no run needs and counts a file with many names once", async () => {
    const root = project();
    const workspaces = workspacesAt(root);
    const du = (): number =>
      Number(
        execFileSync(
          "find",
          [join(vaultOf(root), "objects"), join(vaultOf(root), "pawl"), "-type", "f", "-printf", "%i %b\n"],
          { encoding: "utf8" },
        )
          .trim()
          .split("\n")
          .sort()
          .filter((line, index, lines) => line !== lines[index - 1])
          .reduce((sum, line) => sum + Number(line.split(" ")[1]) * 512, 0),
      );
    putFile(root, "large", {
      mode: "100644",
      text: Array.from({ length: 20_000 }, (_, line) => `${line * 7919}`).join("\n"),
    });
    const old = commitFiles(root, {});
    const first = placeOf();
    await workspaces.enter(first, await workspaces.base(CLONE, 1), LABEL);
    putFile(root, "a", { mode: "100644", text: "changed\n" });
    const snapshot = placeOf(DIRTY);
    await workspaces.enter(snapshot, await workspaces.base(DIRTY, 1), LABEL);
    const recent = commitFiles(root, { a: "committed\n" });
    const open = placeOf();
    await workspaces.enter(open, await workspaces.base(CLONE, 1), LABEL);
    expect(basesIn(root)).toEqual([old, recent].sort());
    const needs = (...runs: string[]) => ({
      known: async (run: string): Promise<"open" | "ended"> => (runs.includes(run) ? "open" : "ended"),
      before: Date.now() + 60_000,
      at: 1,
    });
    // A snapshot needs the commit it was made on.
    await workspaces.sweep(needs(snapshot.run, open.run));
    expect(basesIn(root)).toEqual([old, recent].sort());
    const before = du();
    const report = await workspaces.sweep(needs(open.run));
    expect(basesIn(root)).toEqual([recent]);
    expect({ before: report.bytesBefore, after: report.bytesAfter }).toEqual({ before, after: du() });
    for (const pack of packsOf(root, recent)) {
      const [own, shared] = [join("pawl/bases", recent, "pack", pack), join("objects/pack", pack)];
      expect(statSync(join(vaultOf(root), own)).ino).toBe(statSync(join(vaultOf(root), shared)).ino);
    }
    expect(objectsSeen(await workspaces.enter(open, recent, LABEL))).toEqual(reachable(root, recent));
    const last = await workspaces.sweep(needs());
    expect({ bases: basesIn(root), objects: last.objectsAfter, bytes: last.bytesAfter }).toEqual({
      bases: [],
      objects: 0,
      bytes: du(),
    });
    expect(readdirSync(join(vaultOf(root), "objects/pack"))).toEqual([]);
  });
});

describe("the private repository", () => {
  it("is on the commit of the project, and shows what the run has changed so far", async () => {
    const root = project();
    const head = git(root, "rev-parse", "HEAD");
    const workspaces = workspacesAt(root);
    const where = placeOf();
    const workspace = await workspaces.enter(where, await workspaces.base(CLONE, 1), LABEL);
    expect(inside(workspace, "status", "--porcelain")).toBe("");
    rmSync(join(workspace.folder, "src/b"));
    writeFileSync(join(workspace.folder, "a"), "changed\n");
    writeFileSync(join(workspace.folder, "new"), "new\n");
    const tree = await workspace.save(LABEL);
    const seen = " M a\n D src/b\n?? new\n";
    const places = [where, placeOf(CLONE, "member", where.run), placeOf()];
    for (const place of places) {
      await workspaces.enter(place, head, LABEL);
      const again = await workspaces.enter(place, tree, LABEL);
      expect(inside(again, "status", "--porcelain")).toBe(seen);
      expect(inside(again, "diff", "--stat")).toContain("2 files changed");
      expect(inside(again, "rev-parse", "HEAD")).toBe(`${head}\n`);
      expect(objectsSeen(again)).toEqual(reachable(root, head));
    }
  });

  it("of a run from changed files is on the commit below them", async () => {
    const root = project();
    const head = git(root, "rev-parse", "HEAD");
    putFile(root, "a", { mode: "100644", text: "dirty\n" });
    putFile(root, "new", { mode: "100644", text: "new\n" });
    const workspace = await entered(root, DIRTY);
    expect(filesOf(workspace.folder)["a"]?.text).toBe("dirty\n");
    expect(inside(workspace, "status", "--porcelain")).toBe(" M a\n?? new\n");
    expect(inside(workspace, "rev-parse", "HEAD")).toBe(`${head}\n`);
    expect(objectsSeen(workspace)).toEqual(reachable(root, head));
  });

  it("keeps what a stage commits there, on top of changes that were never committed", async () => {
    const root = project();
    const workspaces = workspacesAt(root);
    const where = placeOf();
    const base = await workspaces.base(CLONE, 1);
    const workspace = await workspaces.enter(where, base, LABEL);
    writeFileSync(join(workspace.folder, "a"), "changed\n");
    const tree = await workspace.save(LABEL);
    await workspaces.enter(where, base, LABEL);
    const again = await workspaces.enter(where, tree, LABEL);
    inside(again, "commit", "-q", "-a", "-m", "mine");
    const commit = inside(again, "rev-parse", "HEAD").trim();
    await workspaces.leave(where.run, 1);
    await workspaces.sweep({ known: async () => "open", before: FAR, at: 1 });
    expect(git(vaultOf(root), "show", `${commit}:a`)).toBe("changed");
    expect(git(vaultOf(root), "rev-parse", `${commit}^`)).toBe(base);
  });
});

describe("a run that starts from a tree of another", () => {
  it("stands on the same commit, also when the other run is gone and the project too", async () => {
    const root = project();
    const head = git(root, "rev-parse", "HEAD");
    const workspaces = workspacesAt(root);
    const where = placeOf();
    const { folder, save } = await workspaces.enter(where, await workspaces.base(CLONE, 1), LABEL);
    writeFileSync(join(folder, "new"), "new\n");
    const tree = await save(LABEL);
    const expected = reachable(root, head);
    const fork = placeOf();
    await workspaces.keep(fork.run, tree);
    const known = async (run: string): Promise<"open" | "ended"> => (run === fork.run ? "open" : "ended");
    await workspaces.sweep({ known, before: Date.now() + 60_000, at: 1 });
    renameSync(join(root, ".git"), join(root, ".gone"));
    const forked = await workspaces.enter(fork, tree, LABEL);
    expect(filesOf(forked.folder)["new"]?.text).toBe("new\n");
    expect(objectsSeen(forked)).toEqual(expected);
  });
});
