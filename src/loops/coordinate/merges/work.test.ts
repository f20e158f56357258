import { describe, expect, test } from "vitest";
import { createMemoryBoard } from "../../../adapters/memory/loops/board.ts";
import { createMemoryMainline, type MemoryFiles } from "../../../adapters/memory/loops/mainline.ts";
import type { RunId } from "../../../base/ids.ts";
import type { ChangeRecord } from "./change.ts";
import { createChanges } from "./changes.ts";
import { type Combination, PUT_OFF_MS, type Step, type Verdict, type WorkParts, workQueue } from "./work.ts";

const START: MemoryFiles = { a: "1", b: "1", c: "1", d: "1" };

/** A branch is green as long as no file says "bad", and not both a and b are new. */
function isGreen(files: MemoryFiles): boolean {
  return !Object.values(files).includes("bad") && !(files["a"] === "new" && files["b"] === "new");
}

function fixture(more: Partial<WorkParts> = {}) {
  const mainline = createMemoryMainline();
  const changes = createChanges(createMemoryBoard());
  const base = mainline.commit("main", START, null);
  const steps: Step[] = [];
  const checked: Combination[] = [];
  let at = 1;
  const parts: WorkParts = {
    ...{ changes, mainline, now: () => at++, stopped: () => null },
    async check(combination, alive): Promise<Verdict> {
      checked.push(combination);
      await alive();
      return isGreen(mainline.files(combination.commit)) ? { is: "green" } : { is: "red", why: "the tests fail" };
    },
    onStep: (step) => void steps.push(step),
    ...more,
  };
  const propose = async (name: string, files: MemoryFiles, from = base, priority = 0): Promise<ChangeRecord> => {
    const branch = `pawl/${name}`;
    const source = mainline.commit(branch, { ...mainline.files(from), ...files }, from);
    const facts = { id: name, run: name as RunId, loop: name, plan: "p", into: "main", branch, base: from, source };
    const none = { by: null, why: null, commit: null, collisions: [] };
    return changes.handIn({ ...facts, ...none, priority, at: at++, state: "queued", since: 1 });
  };
  const work = (worker = "w"): Promise<number> => workQueue(parts, "main", worker);
  const state = async (id: string) => (await changes.get(id))?.state;
  const main = async (): Promise<MemoryFiles> => mainline.files((await mainline.tip("main")) as string);
  return {
    mainline,
    changes,
    parts,
    base,
    steps,
    checked,
    propose,
    work,
    state,
    main,
    later: (ms: number) => (at += ms),
  };
}

describe("the queue in front of a branch", () => {
  test("L11: the innocent go in, the guilty one is sent back, and the branch is green after every step", async () => {
    const { propose, work, state, main, mainline, steps, parts } = fixture();
    const advance = mainline.advance;
    const seen: boolean[] = [];
    parts.mainline.advance = async (branch, from, to, key) => {
      seen.push(isGreen(mainline.files(to)));
      return advance(branch, from, to, key);
    };
    for (const name of ["a", "c", "d"]) await propose(name, { [name]: "ok" });
    await propose("guilty", { b: "bad" });
    await propose("e", { e: "ok" });
    await work();
    expect(await main()).toEqual({ a: "ok", b: "1", c: "ok", d: "ok", e: "ok" });
    expect(await state("guilty")).toBe("returned");
    expect(seen.every(Boolean)).toBe(true);
    const ends = steps.flatMap(({ ended }) => ended);
    expect(ends.find(({ id }) => id === "guilty")).toMatchObject({ to: "returned", why: "the tests fail" });
    expect(ends.filter(({ to }) => to === "merged")).toHaveLength(4);
  });

  test("of two that are red only together the later one is sent back", async () => {
    const { propose, work, state } = fixture();
    await propose("a", { a: "new" });
    await propose("b", { b: "new" });
    await work();
    expect([await state("a"), await state("b")]).toEqual(["merged", "returned"]);
  });

  test("what conflicts with what was merged since is sent back and named", async () => {
    const { propose, work, steps, main } = fixture();
    await propose("one", { a: "x" });
    await propose("two", { a: "y" });
    await work();
    expect(await main()).toMatchObject({ a: "x" });
    expect(steps.flatMap(({ ended }) => ended)).toMatchObject([
      { id: "one", to: "merged" },
      { id: "two", to: "returned", why: "it conflicts with what was merged since it began: a" },
    ]);
  });

  test("a long list of conflicts is cut", async () => {
    const { propose, work, changes, mainline, base } = fixture();
    const many = (text: string) => Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`f${i}`, text]));
    mainline.commit("main", { ...mainline.files(base), ...many("main") }, base);
    await propose("x", many("x"));
    await work();
    expect((await changes.get("x"))?.why).toMatch(/f0, f1, f2, f3, f4 and 2 more$/);
  });

  test("one change on the commit that it was made on is not judged again, and any other is", async () => {
    const { propose, work, checked } = fixture();
    await propose("a", { a: "x" });
    await work();
    expect(checked).toEqual([]);
    await propose("b", { b: "x" });
    await work();
    expect(checked.map(({ changes }) => changes.map(({ id }) => id))).toEqual([["b"]]);
  });

  test("what somebody merged by hand, and what is there already, is merged", async () => {
    const { propose, work, changes, mainline } = fixture();
    const { source } = await propose("a", { a: "x" });
    await mainline.advance("main", (await mainline.tip("main")) as string, source, "hand");
    await propose("again", { a: "x" });
    await work();
    expect(await changes.get("a")).toMatchObject({ state: "merged", why: "somebody merged it by hand" });
    expect(await changes.get("again")).toMatchObject({ state: "merged", why: "all of it was there already" });
  });

  test("without its branch, or its commits, a change is sent back", async () => {
    const { propose, work, changes, mainline, base } = fixture();
    const lost = await propose("lost", { a: "x" });
    await changes.handIn({ ...lost, id: "gone", source: "nowhere" });
    await changes.handIn({ ...lost, id: "astray", into: "other" });
    expect(mainline.files("nowhere")).toEqual({});
    await work();
    expect(await changes.get("gone")).toMatchObject({ state: "returned", why: "a commit that it is made of is gone" });
    await workQueue(
      { changes, mainline, check: async () => ({ is: "green" }), now: () => 9, stopped: () => null },
      "other",
      "w",
    );
    expect(await changes.get("astray")).toMatchObject({ state: "returned", why: "there is no branch other" });
    expect(await mainline.tip("main")).not.toBe(base);
  });

  test("no change is blamed for a branch that does not pass by itself; what mends it goes in", async () => {
    const { propose, work, state, mainline, base, steps, later, main } = fixture();
    mainline.commit("main", { ...mainline.files(base), d: "bad" }, base);
    await propose("innocent", { a: "x" });
    await work();
    expect(await state("innocent")).toBe("queued");
    expect(steps.at(-1)?.putOff).toBe("main itself does not pass: the tests fail");
    await propose("mend", { d: "2" }, (await mainline.tip("main")) as string);
    await work();
    expect(await main()).toMatchObject({ d: "2", a: "1" });
    later(PUT_OFF_MS);
    await work();
    expect(await main()).toMatchObject({ d: "2", a: "x" });
  });

  test("without a verdict nothing is merged and nobody is blamed", async () => {
    let verdict: Verdict = { is: "unknown", why: "the disk is full" };
    const { propose, work, state, later, steps } = fixture({ check: async () => verdict });
    await propose("a", { a: "x" });
    await propose("b", { b: "x" });
    expect(await work()).toBe(1);
    expect([await state("a"), steps[0]?.putOff]).toEqual(["queued", "the disk is full"]);
    expect(await work()).toBe(0);
    later(PUT_OFF_MS);
    verdict = { is: "green" };
    await work();
    expect([await state("a"), await state("b")]).toEqual(["merged", "merged"]);
  });

  test("a branch that moved meanwhile is judged with again; a checkout in the way puts the change off", async () => {
    const { propose, work, mainline, parts, state, main, steps, later } = fixture();
    const { advance } = mainline;
    let moves = 0;
    parts.mainline.advance = async (branch, from, to, key) => {
      moves += 1;
      if (moves === 1) mainline.commit("main", { ...mainline.files(from), z: "person" }, from);
      if (moves === 2) return { moved: false, raced: false, why: "files are in the way" };
      return advance(branch, from, to, key);
    };
    await propose("a", { a: "x" });
    await work();
    expect([moves, await state("a"), steps.at(-1)?.putOff]).toEqual([2, "queued", "files are in the way"]);
    later(PUT_OFF_MS);
    await work();
    expect(await main()).toMatchObject({ a: "x", z: "person" });
  });

  test("the kill switch stops it before anything moves", async () => {
    let stopped: string | null = null;
    const { propose, work, state, main, parts } = fixture({ stopped: () => stopped });
    await propose("a", { a: "x" });
    const { land } = parts.changes;
    parts.changes.land = async (...args) => {
      stopped = "killed";
      return land(...args);
    };
    await work();
    expect([await state("a"), await main()]).toEqual(["queued", START]);
    expect(await work()).toBe(0);
    stopped = null;
    parts.changes.land = land;
    await work();
    expect(await state("a")).toBe("merged");
  });

  test("of two workers one has the queue, and one that lost it reports nothing", async () => {
    const { propose, parts, changes, state, main, later } = fixture();
    await propose("a", { a: "x" });
    await propose("b", { b: "x" });
    const check = parts.check;
    let first = true;
    const slow: WorkParts = {
      ...parts,
      async check(combination, alive) {
        if (!first) return check(combination, alive);
        first = false;
        expect(await workQueue(parts, "main", "other")).toBe(0);
        later(1_000_000);
        await workQueue(parts, "main", "other");
        expect(await alive()).toBe(false);
        return check(combination, alive);
      },
    };
    expect(await workQueue(slow, "main", "slow")).toBe(0);
    expect([await state("a"), await state("b")]).toEqual(["merged", "merged"]);
    expect(await main()).toMatchObject({ a: "x", b: "x" });
    expect(await changes.endedWithin(0, 9_999_999_999)).toHaveLength(2);
  });

  test("a worker that lost the queue while the gates judged tells nobody what they found", async () => {
    const { propose, parts, changes, steps, state, later } = fixture();
    await propose("a", { a: "new" });
    await propose("b", { b: "new" });
    const slow: WorkParts = {
      ...parts,
      async check(combination, alive) {
        const taken = await changes.take("main", "other", later(1_000_000));
        expect(taken).toEqual({ group: ["a", "b"], landing: null, token: 2, tries: 0 });
        return parts.check(combination, alive);
      },
    };
    expect(await workQueue(slow, "main", "slow")).toBe(0);
    expect([steps, await state("a"), await state("b")]).toEqual([[], "queued", "queued"]);
    await workQueue(parts, "main", "other");
    expect([await state("a"), await state("b")]).toEqual(["merged", "returned"]);
  });

  test("what a worker that was cut off while it moved the branch has left is put right by the next", async () => {
    const { propose, parts, state } = fixture();
    await propose("a", { a: "x" });
    const mended: string[] = [];
    const mend = async (into: string): Promise<void> => void mended.push(into);
    const cut = { ...parts.mainline, mend, advance: () => Promise.reject(new Error("cut off")) };
    await expect(workQueue({ ...parts, mainline: cut }, "main", "w")).rejects.toThrow("cut off");
    expect(mended).toEqual([]);
    await workQueue({ ...parts, mainline: { ...parts.mainline, mend } }, "main", "w");
    expect([mended, await state("a")]).toEqual([["main"], "merged"]);
  });

  test("a worker whose lease is over can neither land nor report while another has the queue", async () => {
    const { propose, changes, state } = fixture();
    await propose("a", { a: "x" });
    const slow = await changes.take("main", "slow", 10);
    const other = await changes.take("main", "other", 1_000_000);
    expect([slow?.token, other?.token, other?.group]).toEqual([1, 2, ["a"]]);
    const ended = [{ id: "a", to: "merged", why: null, commit: "c" }] as const;
    expect(await changes.land("main", 1, null, 1_000_001)).toBe(false);
    expect(await changes.report("main", 1, { is: "over", ids: ["a"] }, ended, 1_000_001)).toBe(false);
    expect(await state("a")).toBe("queued");
    expect(await changes.report("main", 2, { is: "over", ids: ["a"] }, ended, 1_000_002)).toBe(true);
    expect(await state("a")).toBe("merged");
    expect(await changes.decide("a", "rejected", { by: "ann", why: "late", at: 1_000_003 })).toBeNull();
    expect(await changes.decide("none", "rejected", { by: "ann", why: "", at: 1 })).toBeNull();
  });

  test("a worker that is cut off anywhere is followed by one that merges each change exactly once", async () => {
    for (let cut = 1; cut < 60; cut += 1) {
      const { propose, parts, state, mainline, base } = fixture();
      await propose("a", { a: "x" });
      await propose("b", { b: "bad" });
      await propose("c", { c: "x" });
      let calls = 0;
      const cutting = <T extends object>(part: T): T =>
        new Proxy(part, {
          get: (target, key, own) => {
            const method: unknown = Reflect.get(target, key, own);
            if (typeof method !== "function") return method;
            return async (...args: unknown[]) => {
              calls += 1;
              const place = calls;
              if (place * 2 === cut) throw new Error("cut before");
              const result: unknown = await method.apply(target, args);
              if (place * 2 + 1 === cut) throw new Error("cut after");
              return result;
            };
          },
        });
      const frail = { ...parts, changes: cutting(parts.changes), mainline: cutting(parts.mainline) };
      await workQueue(frail, "main", "w").catch(() => undefined);
      await workQueue(parts, "main", "w");
      expect([await state("a"), await state("b"), await state("c")], `cut ${cut}`).toEqual([
        "merged",
        "returned",
        "merged",
      ]);
      let commits = 0;
      for (let at: string | null = await mainline.tip("main"); at !== base; commits += 1) {
        expect(isGreen(mainline.files(at as string))).toBe(true);
        at = mainline.parentOf(at as string);
      }
      expect(commits).toBe(2);
    }
  });
});
