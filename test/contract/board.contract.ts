/** The contract of boards: documents that are changed together or not at all, one change after the other, for every process. */
import { describe, expect, it } from "vitest";
import type { Board } from "../../src/ports/loops/board.ts";
import type { OpenLoops } from "./loop-store-fixture.ts";

const count = (board: Board, name: string): Promise<number> =>
  board.change([name], ([found]) => {
    const next = ((found as number | null | undefined) ?? 0) + 1;
    return { keep: [next], result: next };
  });

export function boardContract(name: string, open: OpenLoops): void {
  describe(`the board of the ${name} store of loops`, () => {
    it("keeps what a law says, for everybody, and forgets what it says no more of", async () => {
      const { loops: store, another } = await open();
      const other = await another();
      expect(await store.board.read("a")).toBeNull();
      await store.board.change(["a", "b"], () => ({ keep: [{ x: [1, "é"] }, "two"], result: null }));
      expect(await other.board.read("a")).toEqual({ x: [1, "é"] });
      await other.board.change(["b"], ([found]) => ({
        keep: [found === "two" ? null : (found ?? null)],
        result: null,
      }));
      expect(await store.board.read("b")).toBeNull();
    });

    it("loses no change of many that are made at once", async () => {
      const { loops: store, another } = await open();
      const boards = [store, await another(), await another()].map(({ board }) => board);
      const counted = await Promise.all(Array.from({ length: 60 }, (_, i) => count(boards[i % 3] as Board, "n")));
      expect(counted.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    });

    it("changes nothing when a law throws", async () => {
      const { loops: store } = await open();
      await count(store.board, "n");
      await expect(
        store.board.change(["n"], () => {
          throw new Error("no");
        }),
      ).rejects.toThrow();
      expect(await store.board.read("n")).toBe(1);
    });

    it("names each process, and knows which of them are gone", async () => {
      const { loops: store, another } = await open();
      const other = await another();
      const [own, theirs] = [await store.board.host(), await other.board.host()];
      expect([own === theirs, await store.board.host()]).toEqual([false, own]);
      const gone = async () => [await store.board.isGone(own), await store.board.isGone(theirs)];
      expect(await gone()).toEqual([false, false]);
      await other.close();
      expect(await gone()).toEqual([false, true]);
    });

    it("lists documents of a prefix in order, those after a name, as many as are wanted", async () => {
      const { loops: store } = await open();
      for (const each of ["b/2", "b/1", "a/9", "b/3", "b", "bc"])
        await store.board.change([each], () => ({ keep: [each], result: null }));
      const names = async (...args: [string, string, number]) =>
        (await store.board.list(...args)).map((page) => page.body);
      expect(await names("b/", "", 10)).toEqual(["b/1", "b/2", "b/3"]);
      expect(await names("b/", "b/1", 1)).toEqual(["b/2"]);
      expect(await names("x", "", 10)).toEqual([]);
    });
  });
}
