/** The vault and those who use it at the same time; linked working trees; what a diff shows. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createUses } from "../../src/adapters/git/vault/uses.ts";
import type { WorkspaceSpec } from "../../src/blueprint/blueprint.ts";
import { CLONE, commitFiles, filesOf, git, LABEL, placeOf, vaultOf, workspacesAt } from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

const ENDED = async (): Promise<"ended"> => "ended";
const OPEN = async (): Promise<"open"> => "open";
const FAR = 4_000_000_000_000;

function project(files: Record<string, string> = { a: "a\n", "src/b": "b\n" }): string {
  const root = join(tempDir(), "project");
  commitFiles(root, files);
  return root;
}

describe("a sweep", () => {
  it("removes what ended runs left, after it has saved it, and drops only what is old", async () => {
    const root = project();
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(CLONE, 1);
    const old = placeOf();
    const recent = placeOf();
    const open = placeOf();
    for (const [where, at] of [[old, 1000] as const, [recent, FAR - 1] as const, [open, 1000] as const]) {
      const { folder, save } = await workspaces.enter(where, base, { ...LABEL, at });
      writeFileSync(join(folder, "saved"), `saved ${where.run}`);
      await save({ ...LABEL, at });
      await workspaces.enter(where, base, { ...LABEL, at });
      writeFileSync(join(folder, "unsaved"), `unsaved ${where.run}`);
    }
    const known = async (run: string): Promise<"open" | "ended"> => (run === open.run ? "open" : "ended");
    const report = await workspaces.sweep({ known, before: 2_000_000, at: FAR - 1 });
    expect(report).toMatchObject({ workspaces: 2 });
    expect(readdirSync(join(root, ".pawl/workspaces"))).toEqual([open.run]);
    const left = git(vaultOf(root), "for-each-ref", "--format=%(refname)").split("\n");
    expect(left.filter((name) => name.includes(`${old.run}/saved`))).toEqual([]);
    expect(left.filter((name) => name.includes(`${old.run}/left`))).toHaveLength(1);
    expect(left.filter((name) => name.includes(`${open.run}/`)).length).toBeGreaterThan(1);
    const unsaved = left
      .filter((name) => /\/left\/\d+$/.test(name))
      .map((name) => git(vaultOf(root), "show", `${name}:unsaved`));
    expect(unsaved.sort()).toEqual([`unsaved ${old.run}`, `unsaved ${recent.run}`].sort());
    const again = await workspaces.sweep({ known: ENDED, before: 2 * FAR, at: FAR });
    expect(again.objectsAfter).toBe(0);
    expect(again.bytesAfter).toBeLessThan(again.bytesBefore);
    expect(readdirSync(join(root, ".pawl/workspaces"))).toEqual([]);
  });

  it("never takes an object away from a save that goes on at the same time", async () => {
    const root = project();
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(CLONE, 1);
    const places = [0, 1, 2].map(() => placeOf());
    const entered = await Promise.all(places.map((where) => workspaces.enter(where, base, LABEL)));
    for (let round = 0; round < 4; round += 1) {
      // The same bytes were in a tree that the sweep drops.
      const saves = entered.map(async ({ folder, save }, index) => {
        writeFileSync(join(folder, "shared"), `shared ${round % 2}`);
        writeFileSync(join(folder, "own"), `${index} ${round}`);
        return save(LABEL);
      });
      const other = workspacesAt(root).sweep({ known: OPEN, before: FAR, at: 1 });
      const trees = await Promise.all(saves);
      await other;
      for (const tree of trees) git(vaultOf(root), "rev-list", "--objects", tree);
    }
    git(vaultOf(root), "fsck", "--full", "--strict", "--no-dangling");
  });
});

describe("uses of a vault", () => {
  const folder = (): string => {
    const dir = tempDir();
    mkdirSync(join(dir, "pawl/uses"), { recursive: true });
    return dir;
  };

  it("do not wait for each other, only for whoever prunes", async () => {
    const dir = folder();
    const uses = createUses(dir, 5000);
    const order: string[] = [];
    const end = await uses.begin();
    await uses.during(async () => void order.push("beside"));
    const pruned = uses.alone(async () => void order.push("pruned"));
    const late = uses.during(async () => void order.push("late"));
    order.push("end");
    await end();
    await Promise.all([pruned, late]);
    expect(order.slice(0, 2)).toEqual(["beside", "end"]);
    expect(readdirSync(join(dir, "pawl/uses"))).toEqual([]);
    expect(readdirSync(join(dir, "pawl"))).toEqual(["uses"]);
  });

  it("give up when the others do not end, and forget those that are dead", async () => {
    const dir = folder();
    const space = readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
    writeFileSync(join(dir, `pawl/uses/999999-1-${space}.dead`), "");
    writeFileSync(join(dir, `pawl/pruning.999999-1-${space}.dead`), "");
    const uses = createUses(dir, 60);
    expect(await uses.alone(async () => "alone")).toBe("alone");
    const end = await uses.begin();
    await expect(uses.alone(async () => "never")).rejects.toMatchObject({ code: "WORKSPACE_BUSY" });
    await end();
    expect(await uses.during(async () => "again")).toBe("again");
  });
});

describe("a linked working tree", () => {
  const WORKTREE: WorkspaceSpec = { ...CLONE, kind: "worktree" };

  it("belongs to the user's repository while it lives, and is forgotten with it", async () => {
    const root = project();
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(WORKTREE, 1);
    const where = placeOf(WORKTREE);
    const { folder, mounts, save } = await workspaces.enter(where, base, LABEL);
    expect(mounts).toEqual([{ from: join(root, ".git"), to: join(root, ".git"), access: "read" }]);
    expect(git(root, "worktree", "list", "--porcelain")).toContain(`worktree ${folder}\nHEAD ${base}\ndetached`);
    expect(git(folder, "status", "--porcelain")).toBe("");
    writeFileSync(join(folder, "new"), "n");
    const tree = await save(LABEL);
    expect(git(folder, "status", "--porcelain")).toBe("?? new");
    await workspaces.enter(where, base, LABEL);
    expect(Object.keys(filesOf(folder))).toEqual(["a", "src/b"]);
    await workspaces.enter(where, tree, LABEL);
    expect(Object.keys(filesOf(folder))).toEqual(["a", "new", "src/b"]);
    await workspaces.leave(where.run, 1);
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(join(root, ".git/worktrees"))).toBe(false);
  });

  it("of somebody else is left alone", async () => {
    const root = project();
    const beside = join(root, "../beside");
    git(root, "worktree", "add", "-q", "--detach", beside);
    const workspaces = workspacesAt(root);
    const where = placeOf(WORKTREE);
    await workspaces.enter(where, await workspaces.base(WORKTREE, 1), LABEL);
    await workspaces.leave(where.run, 1);
    await workspaces.sweep({ known: ENDED, before: FAR, at: 1 });
    expect(git(root, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(2);
    expect(git(beside, "status", "--porcelain")).toBe("");
  });

  it("may start from changed files, several at a time", async () => {
    const root = project();
    writeFileSync(join(root, "a"), "dirty\n");
    const spec: WorkspaceSpec = { ...WORKTREE, from: "working_tree" };
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(spec, 1);
    const places = [0, 1, 2].map(() => placeOf(spec));
    const entered = await Promise.all(places.map((where) => workspaces.enter(where, base, LABEL)));
    for (const { folder } of entered) expect(git(folder, "status", "--porcelain")).toBe(" M a");
    await Promise.all(places.map(({ run }) => workspaces.leave(run, 1)));
    expect(existsSync(join(root, ".git/worktrees"))).toBe(false);
  });
});

describe("a diff", () => {
  it("shows every change with its modes, and no attribute hides a line", async () => {
    const root = project({
      a: "a\n",
      gone: "gone\n",
      "from here": "a long enough text to be found again\n",
      mode: "m\n",
      t: "t\n",
    });
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(CLONE, 1);
    const { folder, save } = await workspaces.enter(placeOf(), base, LABEL);
    const script =
      "echo '* -diff binary' > .gitattributes; printf 'a\\0hidden\\n' > a; rm gone; mv 'from here' 'to\nthere'; chmod +x mode; rm t; ln -s a t";
    execFileSync("/bin/sh", ["-c", script], { cwd: folder });
    const { files, patch, truncated } = await workspaces.diff(base, await save(LABEL), 1 << 20);
    expect(truncated).toBe(false);
    expect(files).toEqual([
      { status: "added", path: ".gitattributes", oldMode: "000000", newMode: "100644" },
      { status: "modified", path: "a", oldMode: "100644", newMode: "100644" },
      { status: "deleted", path: "gone", oldMode: "100644", newMode: "000000" },
      { status: "modified", path: "mode", oldMode: "100644", newMode: "100755" },
      { status: "type_changed", path: "t", oldMode: "100644", newMode: "120000" },
      { status: "renamed", path: "to\nthere", oldPath: "from here", oldMode: "100644", newMode: "100644" },
    ]);
    const text = Buffer.from(patch).toString("latin1");
    expect(text).toContain("+a\0hidden");
    expect(text).not.toContain("Binary files");
  });

  it("says when the patch was cut", async () => {
    const root = project();
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(CLONE, 1);
    const { folder, save } = await workspaces.enter(placeOf(), base, LABEL);
    writeFileSync(join(folder, "large"), "line\n".repeat(100_000));
    const { patch, truncated } = await workspaces.diff(base, await save(LABEL), 1000);
    expect({ bytes: patch.length, truncated }).toEqual({ bytes: 1000, truncated: true });
  });
});
