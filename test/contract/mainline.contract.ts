/** The contract of mainlines: changes are carried over as one commit each, and a branch moves only from where it was seen. */
import { describe, expect, it } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import type { Carried, Mainline } from "../../src/ports/loops/mainline.ts";

export interface MainlineFixture {
  readonly mainline: Mainline;
  /** Makes a branch with these files over those of the commit; without one, over the tip of main. */
  commit(branch: string, files: Readonly<Record<string, string>>, from?: string): Promise<string>;
  read(commit: string, path: string): Promise<string>;
}

export function mainlineContract(name: string, open: () => Promise<MainlineFixture>): void {
  const carried = (source: string, base: string, branch: string): Carried => ({
    ...{ key: `merge:${branch}`, run: "r_0123456789ab" as RunId, into: "main", branch, base, source, at: 5000 },
  });

  describe(`Mainline contract: ${name}`, () => {
    it("carries a change over what was merged since, twice to the same commit, and moves the branch", async () => {
      const { mainline, commit, read } = await open();
      const base = (await mainline.tip("main")) as string;
      const source = await commit("pawl/a", { "one.txt": "new" }, base);
      const tip = await commit("main", { "two.txt": "other" }, base);
      const made = await mainline.stack(tip, carried(source, base, "pawl/a"));
      if (!("commit" in made)) throw new Error(JSON.stringify(made));
      expect(made.exact).toBe(false);
      expect(await mainline.stack(tip, carried(source, base, "pawl/a"))).toEqual(made);
      expect(await mainline.tip("main")).toBe(tip);
      expect(await mainline.holds("main", made.commit)).toBe(false);
      expect(await mainline.advance("main", tip, made.commit, "k")).toEqual({ moved: true });
      expect([await mainline.tip("main"), await mainline.holds("main", tip)]).toEqual([made.commit, true]);
      expect([await read(made.commit, "one.txt"), await read(made.commit, "two.txt")]).toEqual(["new", "other"]);
      expect(await mainline.changed(base, source)).toEqual(["one.txt"]);
      expect(await mainline.current()).toBe("main");
    });

    it("says what is in the way, that there is nothing to do, and that somebody was quicker", async () => {
      const { mainline, commit } = await open();
      const base = (await mainline.tip("main")) as string;
      const source = await commit("pawl/a", { "one.txt": "new" }, base);
      const exact = await mainline.stack(base, carried(source, base, "pawl/a"));
      expect(exact).toMatchObject({ exact: true });
      const tip = await commit("main", { "one.txt": "theirs" }, base);
      expect(await mainline.stack(tip, carried(source, base, "pawl/a"))).toMatchObject({ conflicts: ["one.txt"] });
      const same = await commit("pawl/b", { "one.txt": "theirs" }, base);
      expect(await mainline.stack(tip, carried(same, base, "pawl/b"))).toEqual({ nothing: true });
      if ("commit" in exact)
        expect(await mainline.advance("main", base, exact.commit, "k")).toMatchObject({ moved: false, raced: true });
      expect(await mainline.tip("main")).toBe(tip);
      expect([await mainline.tip("nowhere"), await mainline.holds("nowhere", tip)]).toEqual([null, false]);
    });
  });
}
