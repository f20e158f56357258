/** The contract of the Workspaces port. */
import { describe, expect, it } from "vitest";
import type { Place, SaveLabel, Workspaces } from "../../src/ports/workspaces.ts";
import { nextRun, type TreeFile } from "../support/git-project.ts";

export interface WorkspacesFixture {
  readonly workspaces: Workspaces;
  /** The same workspaces as another host would see them. */
  another(): Workspaces;
  /** Plays the user, who commits nothing: null removes the file. */
  change(path: string, file: TreeFile | string | null): void;
  /** Plays a stage: null removes the file. */
  write(folder: string, path: string, file: TreeFile | string | null): void;
  /** undefined: the folder is not there. */
  read(folder: string): Readonly<Record<string, TreeFile>> | undefined;
}

const SPEC = { kind: "clone", from: "head", share: [] } as const;
const label = (attempt = 1): SaveLabel => ({ stage: "build", attempt, at: 1_700_000_000_000 });
const place = (member: string | null = null, run = nextRun()): Place => ({ run, member, spec: SPEC });
const plain = (text: string): TreeFile => ({ mode: "100644", text });

/** `open` gives workspaces over a project with exactly these files. */
export function workspacesContract(
  name: string,
  open: (project: Readonly<Record<string, TreeFile>>) => WorkspacesFixture,
): void {
  const PROJECT: Record<string, TreeFile> = {
    "a.txt": plain("a\n"),
    "src/deep/b.txt": plain("b\n"),
    "run.sh": { mode: "100755", text: "#!/bin/sh\n" },
    link: { mode: "120000", text: "src/deep" },
  };
  const opened = async (): Promise<WorkspacesFixture & { base: string }> => {
    const fixture = open(PROJECT);
    return { ...fixture, base: await fixture.workspaces.base(SPEC, label().at) };
  };

  describe(`Workspaces contract: ${name}`, () => {
    it("gives a new run the files of the project, the same each time", async () => {
      const { workspaces, base, read } = await opened();
      expect(await workspaces.base(SPEC, 5)).toBe(base);
      const { folder } = await workspaces.enter(place(), base, label());
      expect(read(folder)).toEqual(PROJECT);
    });

    it("tells what of the project is in no commit, which only a start from the working tree takes along", async () => {
      const { workspaces, base, change, read } = await opened();
      expect(await workspaces.uncommitted()).toEqual([]);
      change("a.txt", "changed\n");
      change("src/deep/b.txt", null);
      change("new/file", "new\n");
      expect([...(await workspaces.uncommitted())].sort()).toEqual(["a.txt", "new/file", "src/deep/b.txt"]);
      expect(await workspaces.base(SPEC, 5)).toBe(base);
      const dirty = { ...SPEC, from: "working_tree" } as const;
      const { folder } = await workspaces.enter(place(), await workspaces.base(dirty, 5), label());
      const { "src/deep/b.txt": _, ...rest } = PROJECT;
      expect(read(folder)).toEqual({ ...rest, "a.txt": plain("changed\n"), "new/file": plain("new\n") });
    });

    it("keeps a tree for a run that is about to start, and refuses one that is not there", async () => {
      const { workspaces, base } = await opened();
      await workspaces.keep(nextRun(), base);
      await expect(workspaces.keep(nextRun(), "0".repeat(40))).rejects.toMatchObject({
        code: "WORKSPACE_TREE_MISSING",
      });
    });

    it("saves nothing new when nothing has changed", async () => {
      const { workspaces, base } = await opened();
      const workspace = await workspaces.enter(place(), base, label());
      expect(await workspace.save(label())).toBe(base);
      expect(await workspace.save(label(2))).toBe(base);
    });

    it("says what it saved: the same for the same files, whatever led there", async () => {
      const { workspaces, base, write } = await opened();
      const workspace = await workspaces.enter(place(), base, label());
      const saved: string[] = [];
      for (const [at, text] of ["one\n", "two\n", "two\n", "one\n"].entries()) {
        write(workspace.folder, "a.txt", text);
        await workspace.save(label(at + 1));
        saved.push(workspace.content());
      }
      const [one, two] = saved;
      expect(saved).toEqual([one, two, two, one]);
      expect(new Set([one, two, ""]).size).toBe(3);
    });

    it("saves every kind of change, and gives it to whoever enters that tree", async () => {
      const { workspaces, base, write, read } = await opened();
      const workspace = await workspaces.enter(place(), base, label());
      write(workspace.folder, "a.txt", "changed\n");
      write(workspace.folder, "new/file", "new\n");
      write(workspace.folder, "run.sh", null);
      write(workspace.folder, "link", { mode: "120000", text: "/etc/passwd" });
      write(workspace.folder, "src/deep/b.txt", { mode: "100755", text: "b\n" });
      const tree = await workspace.save(label());
      expect(tree).not.toBe(base);
      expect(await workspace.save(label())).toBe(tree);
      const other = await workspaces.enter(place(), tree, label());
      expect(other.folder).not.toBe(workspace.folder);
      const { "run.sh": _, ...rest } = PROJECT;
      expect(read(other.folder)).toEqual({
        ...rest,
        "a.txt": plain("changed\n"),
        "new/file": plain("new\n"),
        link: { mode: "120000", text: "/etc/passwd" },
        "src/deep/b.txt": { mode: "100755", text: "b\n" },
      });
    });

    it("restores exactly the tree that is entered", async () => {
      const { workspaces, base, write, read } = await opened();
      const where = place();
      const { folder, save } = await workspaces.enter(where, base, label());
      write(folder, "a.txt", "one\n");
      const first = await save(label());
      const then = read(folder);
      await workspaces.enter(where, first, label());
      write(folder, "a.txt", "two\n");
      write(folder, "more", "more\n");
      write(folder, "src/deep/b.txt", null);
      await workspaces.enter(where, first, label(2));
      expect(read(folder)).toEqual(then);
      await workspaces.enter(where, base, label(3));
      expect(read(folder)).toEqual(PROJECT);
    });

    it("salvages what an attempt that was cut off left, also for another host", async () => {
      const { workspaces, another, base, write, read } = await opened();
      const where = place();
      expect(await workspaces.salvage(where, label())).toBeNull();
      const { folder } = await workspaces.enter(where, base, label());
      write(folder, "half", "half\n");
      const successor = another();
      const left = await successor.salvage(where, label());
      await successor.enter(where, base, label(2));
      expect(read(folder)).toEqual(PROJECT);
      await successor.enter(where, left as string, label(3));
      expect(read(folder)).toEqual({ ...PROJECT, half: plain("half\n") });
    });

    it("salvages the tree it began with when nothing has changed", async () => {
      const { workspaces, base } = await opened();
      const where = place();
      await workspaces.enter(where, base, label());
      expect(await workspaces.salvage(where, label())).toBe(base);
    });

    it("knows the trees of an earlier host", async () => {
      const { workspaces, another, base, write, read } = await opened();
      const where = place();
      const { folder, save } = await workspaces.enter(where, base, label());
      write(folder, "kept", "kept\n");
      const tree = await save(label());
      await another().leave(where.run, 1);
      const again = await another().enter(where, tree, label(2));
      expect(read(again.folder)).toEqual({ ...PROJECT, kept: plain("kept\n") });
    });

    it("gives a member a workspace of its own", async () => {
      const { workspaces, base, write, read } = await opened();
      const { run } = place();
      const places = [null, "fan[0]", "fan[1]", "fan/0", "../../escape"].map((member) => place(member, run));
      const entered = await Promise.all(places.map((where) => workspaces.enter(where, base, label())));
      expect(new Set(entered.map(({ folder }) => folder)).size).toBe(places.length);
      for (const [index, { folder }] of entered.entries()) write(folder, "a.txt", `${index}\n`);
      const saved = await Promise.all(entered.map(({ save }) => save(label())));
      expect(new Set(saved).size).toBe(places.length);
      for (const [index, { folder }] of entered.entries()) expect(read(folder)?.["a.txt"]).toEqual(plain(`${index}\n`));
    });

    it("lets two callers of one place wait for each other", async () => {
      const { workspaces, base, read } = await opened();
      const where = place();
      const entered = await Promise.all([1, 2, 3].map((attempt) => workspaces.enter(where, base, label(attempt))));
      expect(new Set(entered.map(({ folder }) => folder)).size).toBe(1);
      expect(read(entered[0]!.folder)).toEqual(PROJECT);
      expect(await Promise.all(entered.map(({ save }) => save(label())))).toEqual([base, base, base]);
    });

    it("removes one workspace and makes it anew", async () => {
      const { workspaces, base, write, read } = await opened();
      const where = place("member");
      const workspace = await workspaces.enter(where, base, label());
      write(workspace.folder, "x", "x\n");
      const tree = await workspace.save(label());
      await workspace.remove(label());
      await workspace.remove(label());
      expect(read(workspace.folder)).toBeUndefined();
      expect(read((await workspaces.enter(where, tree, label(2))).folder)).toEqual({ ...PROJECT, x: plain("x\n") });
    });

    it("removes the workspaces of a run, more than once, and of no other", async () => {
      const { workspaces, base, read } = await opened();
      const { run } = place();
      const mine = await Promise.all([null, "m"].map((member) => workspaces.enter(place(member, run), base, label())));
      const other = await workspaces.enter(place(), base, label());
      await workspaces.leave(run, 1);
      await workspaces.leave(run, 2);
      for (const { folder } of mine) expect(read(folder)).toBeUndefined();
      expect(read(other.folder)).toEqual(PROJECT);
    });

    it("composes a tree that is as the base at every protected path, and as the candidate elsewhere", async () => {
      const { workspaces, base, write, read } = await opened();
      const where = place();
      const { folder, save } = await workspaces.enter(where, base, label());
      write(folder, "a.txt", "honest\n");
      write(folder, "src/deep/b.txt", "weakened\n");
      write(folder, "src/deep/new.txt", "added\n");
      write(folder, "run.sh", null);
      const candidate = await save(label());
      const compose = (protect: readonly string[], at = 5): Promise<string> =>
        workspaces.compose(where.run, { candidate, base, protect, at });
      const judged = await compose(["src/**", "run.sh"]);
      expect(await compose(["src/**", "run.sh"])).toBe(judged);
      expect([candidate, base]).not.toContain(judged);
      const checkout = await workspaces.checkout(where, judged);
      expect(read(checkout.folder)).toEqual({ ...PROJECT, "a.txt": plain("honest\n") });
      expect(read(folder)?.["src/deep/b.txt"]).toEqual(plain("weakened\n"));
      expect(await compose([])).toBe(candidate);
      expect(await compose(["link", "other/**"])).toBe(candidate);
      await checkout.remove(label());
    });

    it("composes although a file is where the base has a protected folder, or the other way round", async () => {
      const { workspaces, base, write, read } = await opened();
      const where = place();
      const { folder, save } = await workspaces.enter(where, base, label());
      write(folder, "src/deep/b.txt", null);
      write(folder, "a.txt", null);
      write(folder, "src/deep", "a file\n");
      write(folder, "a.txt/inner", "a folder\n");
      write(folder, "kept", "kept\n");
      const candidate = await save(label());
      const protect = ["src/deep/*.txt", "a.txt"];
      const judged = await workspaces.compose(where.run, { candidate, base, protect, at: 5 });
      const checkout = await workspaces.checkout(where, judged);
      expect(read(checkout.folder)).toEqual({ ...PROJECT, kept: plain("kept\n") });
    });

    it("gives checkouts that hold a tree each, are written without a trace, and are thrown away", async () => {
      const { workspaces, base, write, read } = await opened();
      const where = place();
      const { folder, save } = await workspaces.enter(where, base, label());
      write(folder, "unsaved", "unsaved\n");
      const both = await Promise.all([workspaces.checkout(where, base), workspaces.checkout(where, base)]);
      expect(new Set([folder, ...both.map((checkout) => checkout.folder)]).size).toBe(3);
      const [one, other] = both;
      expect(read(one.folder)).toEqual(PROJECT);
      write(one.folder, "a.txt", "spoiled\n");
      expect(read(other.folder)).toEqual(PROJECT);
      await one.remove(label());
      await one.remove(label());
      expect([read(one.folder), read(other.folder)]).toEqual([undefined, PROJECT]);
      const tree = await save(label());
      expect(read(folder)).toEqual({ ...PROJECT, unsaved: plain("unsaved\n") });
      await workspaces.leave(where.run, 1);
      for (const at of [folder, other.folder]) expect(read(at)).toBeUndefined();
      await other.remove(label());
      expect(read((await workspaces.checkout(where, tree)).folder)?.["unsaved"]).toEqual(plain("unsaved\n"));
    });

    it("plants nothing that no tree can hold, and nothing on what is not there", async () => {
      const { workspaces, base } = await opened();
      const plant = (on: string, path: string): Promise<string> =>
        workspaces.plant(nextRun(), { base: on, files: [{ path, text: "" }], at: 1 });
      for (const path of ["", "../up", "/top", "a//b", "a/./b", ".git/config", "a/.GIT/x", "a\0b"])
        await expect(plant(base, path)).rejects.toMatchObject({ code: "WORKSPACE_TREE_UNFIT" });
      await expect(plant("0".repeat(40), "a.txt")).rejects.toMatchObject({ code: "WORKSPACE_TREE_MISSING" });
    });

    it("neither composes nor checks out what is not there", async () => {
      const { workspaces, base } = await opened();
      const missing = { code: "WORKSPACE_TREE_MISSING" };
      const none = "0".repeat(40);
      const compose = (candidate: string, on: string): Promise<string> =>
        workspaces.compose(nextRun(), { candidate, base: on, protect: ["**"], at: 1 });
      await expect(workspaces.checkout(place(), none)).rejects.toMatchObject(missing);
      await expect(compose(none, base)).rejects.toMatchObject(missing);
      await expect(compose(base, none)).rejects.toMatchObject(missing);
    });

    it("says when it does not have a tree, also for what is no tree", async () => {
      const { workspaces } = await opened();
      for (const tree of ["0".repeat(40), "", "HEAD", "--all", "x".repeat(500)])
        await expect(workspaces.enter(place(), tree, label())).rejects.toMatchObject({
          code: "WORKSPACE_TREE_MISSING",
        });
    });
  });
}
