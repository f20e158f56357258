/** The contract of the Trees port. */
import { describe, expect, it } from "vitest";
import type { Trees } from "../../src/ports/trees.ts";
import type { Place, SaveLabel, Workspaces } from "../../src/ports/workspaces.ts";
import { CLONE, nextRun } from "../support/git-project.ts";

export interface TreesFixture {
  readonly workspaces: Workspaces;
  readonly trees: Trees;
  /** Plays a stage: null removes the file. */
  write(folder: string, path: string, text: string | null): void;
  exists(folder: string): boolean;
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
      const dry = await fixture.trees.sweep({ known: async () => "unknown", before, at: AT, dryRun: true });
      expect(dry.refs).toBeGreaterThan(0);
      expect((await fixture.trees.diff(base, tree, MANY)).files).toHaveLength(3);
      const swept = await fixture.trees.sweep({ known: async () => "unknown", before, at: AT });
      expect(swept.refs).toBeGreaterThan(0);
      expect(swept.objectsAfter).toBeLessThan(swept.objectsBefore);
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
