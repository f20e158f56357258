/** The contract of the Trees port. */
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/base/digest.ts";
import type { TreeReader, Trees } from "../../src/ports/trees.ts";
import type { Place, SaveLabel, Workspaces } from "../../src/ports/workspaces.ts";
import { CLONE, nextRun } from "../support/git-project.ts";

export interface TreesFixture {
  readonly workspaces: Workspaces;
  readonly trees: Trees;
  /** Plays a stage: null removes the file. */
  write(folder: string, path: string, text: string | null): void;
  exists(folder: string): boolean;
}

export interface TreeReaderFixture extends Omit<TreesFixture, "trees" | "exists"> {
  readonly reader: TreeReader;
}

const AT = 1_700_000_000_000;
const MANY = 1 << 20;
const label = (at = AT): SaveLabel => ({ stage: "build", attempt: 1, at });
const code = (name: string) => expect.objectContaining({ code: name });

/** `open` gives workspaces over a project with these files. */
export function treesContract(name: string, open: (project: Readonly<Record<string, string>>) => TreesFixture): void {
  async function changed(fixture: TreesFixture) {
    const place: Place = { run: nextRun(), member: null, spec: CLONE };
    const base = await fixture.workspaces.base(CLONE, AT);
    const { folder, save } = await fixture.workspaces.enter(place, base, label());
    fixture.write(folder, "kept.txt", "new text\n");
    fixture.write(folder, "gone.txt", null);
    fixture.write(folder, "added.txt", "\u0000 not text\n");
    return { place, base, folder, tree: await save(label()) };
  }
  const opened = (): TreesFixture =>
    open({ "kept.txt": "old text\n", "gone.txt": "bye\n", ".gitattributes": "* -diff\n" });

  describe(`Trees contract: ${name}`, () => {
    it("shows every changed path and every line, whatever the tree says of itself", async () => {
      const fixture = opened();
      const { base, tree } = await changed(fixture);
      const { files, patch, truncated } = await fixture.trees.diff(base, tree, MANY);
      expect(files.map(({ status, path }) => `${status} ${path}`)).toEqual([
        "added added.txt",
        "deleted gone.txt",
        "modified kept.txt",
      ]);
      expect(Buffer.from(patch).toString()).toContain("-old text\n+new text\n");
      expect(Buffer.from(patch).toString()).toContain("+\u0000 not text");
      expect(truncated).toBe(false);
      expect((await fixture.trees.diff(base, base, MANY)).files).toEqual([]);
    });

    it("names what a tree holds, the same for the same files and another for others", async () => {
      const fixture = opened();
      const { base, tree } = await changed(fixture);
      const [first, again, other] = [
        await fixture.trees.oid(base),
        await fixture.trees.oid(base),
        await fixture.trees.oid(tree),
      ];
      expect([first === again, first === other, /^[0-9a-f]{40,64}$/.test(first)]).toEqual([true, false, true]);
      await expect(fixture.trees.oid("0".repeat(40))).rejects.toEqual(code("WORKSPACE_TREE_MISSING"));
    });

    it("cuts a patch that is too long, and says so", async () => {
      const fixture = opened();
      const { base, tree } = await changed(fixture);
      const { files, patch, truncated } = await fixture.trees.diff(base, tree, 20);
      expect([files.length, patch.length <= 20, truncated]).toEqual([3, true, true]);
    });

    it("refuses a tree that is not there", async () => {
      const fixture = opened();
      const { base } = await changed(fixture);
      for (const unknown of ["0".repeat(40), "HEAD", "--output=/tmp/x", ""])
        await expect(fixture.trees.diff(base, unknown, MANY)).rejects.toEqual(code("WORKSPACE_TREE_MISSING"));
    });

    it("sweeps workspaces of runs that are over, and keeps what they hold", async () => {
      const fixture = opened();
      const { base, folder, place, tree } = await changed(fixture);
      fixture.write(folder, "late.txt", "not saved yet\n");
      const open = await fixture.trees.sweep({ known: async () => "open", before: 0, at: AT });
      expect([open.workspaces, open.refs, fixture.exists(folder)]).toEqual([0, 0, true]);
      const dry = await fixture.trees.sweep({ known: async () => "ended", before: 0, at: AT, dryRun: true });
      expect([dry.workspaces, fixture.exists(folder)]).toEqual([1, true]);
      const asked: string[] = [];
      const known = async (run: string) => {
        asked.push(run);
        return "ended" as const;
      };
      const swept = await fixture.trees.sweep({ known, before: 0, at: AT });
      expect([swept.workspaces, swept.refs, fixture.exists(folder)]).toEqual([1, 0, false]);
      expect(asked).toContain(place.run);
      expect((await fixture.trees.diff(base, tree, MANY)).files).toHaveLength(3);
    });

    it("drops trees that are old enough, and proves what that freed", async () => {
      const fixture = opened();
      const { base, tree } = await changed(fixture);
      const before = Date.now() + 60_000;
      const dry = await fixture.trees.sweep({ known: async () => "ended", before, at: AT, dryRun: true });
      expect(dry.refs).toBeGreaterThan(0);
      expect((await fixture.trees.diff(base, tree, MANY)).files).toHaveLength(3);
      const swept = await fixture.trees.sweep({ known: async () => "ended", before, at: AT });
      expect(swept.refs).toBeGreaterThan(0);
      expect(swept.objectsAfter).toBeLessThan(swept.objectsBefore);
      await expect(fixture.trees.diff(base, tree, MANY)).rejects.toEqual(code("WORKSPACE_TREE_MISSING"));
    });

    it("keeps and names everything of a run that nobody knows, however old", async () => {
      const fixture = opened();
      const { base, folder, place, tree } = await changed(fixture);
      const request = { known: async () => "unknown" as const, before: Date.now() + 60_000, at: AT };
      for (const dryRun of [true, false]) {
        const swept = await fixture.trees.sweep({ ...request, dryRun });
        expect([swept.workspaces, swept.refs, fixture.exists(folder)]).toEqual([0, 0, true]);
        expect(swept.unknown).toEqual([{ run: place.run, workspaces: 1, refs: expect.any(Number) }]);
        expect(swept.unknown[0]?.refs).toBeGreaterThan(0);
      }
      expect((await fixture.trees.diff(base, tree, MANY)).files).toHaveLength(3);
      await fixture.workspaces.leave(place.run, AT);
      await fixture.workspaces.drop(place.run);
      expect((await fixture.trees.sweep(request)).unknown).toEqual([]);
      await expect(fixture.trees.diff(base, tree, MANY)).rejects.toEqual(code("WORKSPACE_TREE_MISSING"));
    });

    it("keeps what an open run is about to start from, however old", async () => {
      const fixture = opened();
      const { base, tree } = await changed(fixture);
      const forked = nextRun();
      await fixture.workspaces.keep(forked, tree);
      const before = Date.now() + 60_000;
      await fixture.trees.sweep({ known: async (run) => (run === forked ? "open" : "ended"), before, at: AT });
      const { folder } = await fixture.workspaces.enter({ run: forked, member: null, spec: CLONE }, tree, label());
      expect(fixture.exists(folder)).toBe(true);
      expect((await fixture.trees.diff(base, tree, MANY)).files).toHaveLength(3);
    });

    it("has nothing to sweep where nothing was ever saved", async () => {
      const { trees } = opened();
      expect(await trees.sweep({ known: async () => "unknown", before: AT, at: AT })).toMatchObject({
        workspaces: 0,
        refs: 0,
      });
    });
  });
}

/** What is read of trees, also by an adapter that has no more of them. */
export function treeReaderContract(
  name: string,
  open: (project: Readonly<Record<string, string>>) => TreeReaderFixture,
): void {
  const lines = (...list: readonly string[]): string => list.map((line) => `${line}\n`).join("");
  const PROJECT = {
    "kept.txt": lines("one", "two", "three", "four", "five"),
    "gone.txt": lines("bye"),
    "old/name.txt": lines("first", "second", "third"),
    "test/same.js": lines("same"),
    "test/a.js": lines("a"),
    ".gitattributes": lines("* -diff -text", "*.txt linguist-generated"),
  };
  async function changed(fixture: TreeReaderFixture) {
    const place: Place = { run: nextRun(), member: null, spec: CLONE };
    const base = await fixture.workspaces.base(CLONE, AT);
    const { folder, save } = await fixture.workspaces.enter(place, base, label());
    fixture.write(folder, "kept.txt", lines("one", "2", "three", "four", "five", "six"));
    fixture.write(folder, "gone.txt", null);
    fixture.write(folder, "old/name.txt", null);
    fixture.write(folder, "new/name.txt", PROJECT["old/name.txt"]);
    fixture.write(folder, "binary", "\u0000 not text\n");
    fixture.write(folder, "empty", "");
    fixture.write(folder, "Test/B.js", "b");
    return { base, tree: await save(label()) };
  }
  const there = { oldMode: "100644", newMode: "100644" };
  const added = { status: "added", oldMode: "000000", newMode: "100644" };

  describe(`TreeReader contract: ${name}`, () => {
    it("counts the lines of every changed file, and knows a renamed one by both names", async () => {
      const fixture = open(PROJECT);
      const { base, tree } = await changed(fixture);
      expect(await fixture.reader.changes(base, tree)).toEqual([
        { ...added, path: "Test/B.js", addedLines: 1, deletedLines: 0 },
        { ...added, path: "binary", addedLines: null, deletedLines: null },
        { ...added, path: "empty", addedLines: 0, deletedLines: 0 },
        {
          ...{ status: "deleted", oldMode: "100644", newMode: "000000" },
          ...{ path: "gone.txt", addedLines: 0, deletedLines: 1 },
        },
        { status: "modified", ...there, path: "kept.txt", addedLines: 2, deletedLines: 1 },
        {
          ...{ status: "renamed", ...there, path: "new/name.txt", oldPath: "old/name.txt" },
          ...{ addedLines: 0, deletedLines: 0 },
        },
      ]);
      expect(await fixture.reader.changes(tree, tree)).toEqual([]);
    });

    it("holds what was planted over a base, and what a run made of that", async () => {
      const { workspaces, reader } = open(PROJECT);
      const base = await workspaces.base(CLONE, AT);
      const run = nextRun();
      const files = [
        { path: "kept.txt", text: "all new\n" },
        { path: "test/a.js", text: null },
        { path: "test/a.js/b.js", text: "a folder now\n" },
        { path: "nowhere", text: null },
        { path: "né w.txt", text: "ü\n" },
      ];
      const planted = await workspaces.plant(run, { base, files, at: AT });
      await workspaces.keep(run, planted);
      expect((await reader.changes(base, planted)).map(({ status, path }) => `${status} ${path}`)).toEqual([
        "modified kept.txt",
        "added né w.txt",
        "deleted test/a.js",
        "added test/a.js/b.js",
      ]);
      expect(Buffer.from((await reader.read(planted, "né w.txt", 9)) ?? []).toString()).toBe("ü\n");
      const { folder } = await workspaces.enter({ run, member: null, spec: CLONE }, planted, label());
      expect(folder).toContain(run);
      await workspaces.leave(run, AT);
      await workspaces.drop(run);
      await workspaces.drop(run);
      expect(await reader.changes(base, base)).toEqual([]);
    });

    it("reads a file whole or not at all", async () => {
      const fixture = open(PROJECT);
      const { base, tree } = await changed(fixture);
      const { reader } = fixture;
      const text = async (...call: Parameters<TreeReader["read"]>): Promise<string | null> => {
        const bytes = await reader.read(...call);
        return bytes === null ? null : Buffer.from(bytes).toString();
      };
      expect(await text(base, "old/name.txt", 100)).toBe(PROJECT["old/name.txt"]);
      expect(await text(tree, "binary", 11)).toBe("\u0000 not text\n");
      expect(await text(tree, "empty", 0)).toBe("");
      await expect(text(tree, "binary", 10)).rejects.toEqual(code("WORKSPACE_FILE_TOO_LARGE"));
      const none = [
        "gone.txt",
        "new",
        "new/",
        "",
        "/",
        ".",
        "..",
        "/etc/passwd",
        "./empty",
        "new/../empty",
        "*",
        ":/empty",
      ];
      for (const path of [...none, "a\0b", "--help"]) expect([path, await text(tree, path, 100)]).toEqual([path, null]);
    });

    it("gives the digest of every file that would be protected", async () => {
      const fixture = open(PROJECT);
      const { tree } = await changed(fixture);
      expect(await fixture.reader.hashes(tree, ["test/**", "{empty,none}"])).toEqual({
        "Test/B.js": sha256("b"),
        empty: sha256(""),
        "test/a.js": sha256("a\n"),
        "test/same.js": sha256("same\n"),
      });
      expect(await fixture.reader.hashes(tree, [])).toEqual({});
      expect(Object.keys(await fixture.reader.hashes(tree, ["**"]))).toHaveLength(8);
    });

    it("refuses a tree that is not there", async () => {
      const { reader, workspaces } = open(PROJECT);
      const base = await workspaces.base(CLONE, AT);
      const missing = code("WORKSPACE_TREE_MISSING");
      for (const unknown of ["0".repeat(40), "HEAD", "--output=/tmp/x", ""]) {
        await expect(reader.changes(base, unknown)).rejects.toEqual(missing);
        await expect(reader.changes(unknown, base)).rejects.toEqual(missing);
        await expect(reader.read(unknown, "empty", 100)).rejects.toEqual(missing);
        await expect(reader.hashes(unknown, ["**"])).rejects.toEqual(missing);
      }
    });
  });
}
