import { describe, expect, test } from "vitest";
import { createMemoryBoard } from "../../adapters/memory/loops/board.ts";
import type { RunId } from "../../base/ids.ts";
import { createCoordinator, LOCK_LEASE_MS } from "./coordinator.ts";
import { backPressure, holdText, lockedBy, type StartAsk } from "./hold.ts";
import { createChanges } from "./merges/changes.ts";

const ask = (loop: string, more: Partial<StartAsk> = {}): StartAsk => ({
  ...{ id: `${loop}@1`, loop, level: "L2", priority: 0, paths: ["src/**"], maxOpen: null },
  ...more,
});

async function propose(board: ReturnType<typeof createMemoryBoard>, loop: string, id: string): Promise<void> {
  const facts = { id, run: id as RunId, loop, plan: "p", into: "main", branch: `pawl/${id}`, base: "b", source: id };
  await createChanges(board).handIn({
    ...{ ...facts, priority: 0, at: 1, state: "open", since: 1, by: null, why: null, commit: null, collisions: [] },
  });
}

describe("the coordinator", () => {
  test("L11: the second loop with the same paths waits, and is told for whom", async () => {
    const coordinator = createCoordinator(createMemoryBoard());
    const first = await coordinator.mayStart(ask("one"), 0);
    expect(first).toEqual({ start: true, token: 1 });
    const second = await coordinator.mayStart(ask("two", { paths: ["src/a.ts"] }), 1);
    expect(second).toMatchObject({ start: false, hold: { kind: "path_lock", loop: "one" } });
    if (!second.start)
      expect(holdText(second.hold)).toBe("it waits for the path lock of loop one (src/a.ts meets src/**)");
    const third = await coordinator.mayStart(ask("three"), 2);
    if (!third.start) expect(holdText(third.hold)).toMatch(/^it waits for the path lock of loop one \(src\/\*\*\)$/);
    const view = await coordinator.view(2);
    expect(view.held).toMatchObject([{ owner: "one@1" }]);
    expect(view.waiting).toMatchObject([{ loop: "two" }, { loop: "three", hold: { holds: true } }]);
    await coordinator.release("one@1", 1);
    expect((await coordinator.view(3)).waiting).toMatchObject([{ loop: "three", hold: { loop: "two", holds: false } }]);
    const behind = await coordinator.mayStart(ask("three"), 3);
    if (!behind.start)
      expect(holdText(behind.hold)).toMatch(/^it waits behind loop two, which waits for the same paths/);
    expect(await coordinator.mayStart(ask("two", { paths: ["src/a.ts"] }), 4)).toEqual({ start: true, token: 2 });
  });

  test("L11: whoever goes on with a run whose process is gone has its paths at once, and not when its lease is over", async () => {
    const workers = [{ alive: true }, { alive: true }];
    const shared = { pages: new Map<string, string>(), workers };
    const [first, second] = [0, 1].map((host) =>
      createCoordinator(createMemoryBoard(shared, async (work) => work(), host)),
    );
    expect(await first?.mayStart(ask("one"), 0)).toEqual({ start: true, token: 1 });
    expect((await second?.mayStart(ask("one"), 1))?.start).toBe(false);
    workers[0] = { alive: false };
    expect(await second?.mayStart(ask("one"), 2)).toMatchObject({ start: true });
  });

  test("what it took is kept by renewing it, and lost to whoever takes it after its lease", async () => {
    const coordinator = createCoordinator(createMemoryBoard());
    await coordinator.mayStart(ask("one"), 0);
    expect(await coordinator.renew("one@1", 1, LOCK_LEASE_MS - 1)).toBe(true);
    expect((await coordinator.mayStart(ask("two"), LOCK_LEASE_MS)).start).toBe(false);
    expect((await coordinator.mayStart(ask("two"), 3 * LOCK_LEASE_MS)).start).toBe(true);
    expect(await coordinator.renew("one@1", 1, 3 * LOCK_LEASE_MS)).toBe(false);
    expect(await coordinator.renew("report@1", 0, 0)).toBe(true);
  });

  test("R14: a loop with too many open proposals is held back, and safe work and other loops still flow", async () => {
    const board = createMemoryBoard();
    const coordinator = createCoordinator(board);
    for (const id of ["r_1", "r_2", "r_3"]) await propose(board, "major", id);
    const held = await coordinator.mayStart(ask("major", { maxOpen: 3 }), 1);
    expect(held).toEqual({ start: false, hold: { kind: "max_open", open: 3, most: 3 } });
    if (!held.start) expect(holdText(held.hold)).toMatch(/^3 of its proposals wait for an answer/);
    expect((await coordinator.mayStart(ask("report", { level: "L1", maxOpen: 0 }), 1)).start).toBe(true);
    expect((await coordinator.mayStart(ask("patch", { maxOpen: 3 }), 1)).start).toBe(true);
    await coordinator.release("patch@1", 1);
    await createChanges(board).decide("r_1", "rejected", { by: "ann", why: "no", at: 2 });
    expect((await coordinator.mayStart(ask("major", { maxOpen: 3 }), 3)).start).toBe(true);
  });

  test("a loop that is held back for its proposals gives up its place in line", async () => {
    const board = createMemoryBoard();
    const coordinator = createCoordinator(board);
    await coordinator.mayStart(ask("one"), 0);
    await coordinator.mayStart(ask("two", { maxOpen: 1 }), 1);
    await propose(board, "two", "r_1");
    await coordinator.mayStart(ask("two", { maxOpen: 1 }), 2);
    await coordinator.release("one@1", 1);
    expect((await coordinator.mayStart(ask("three"), 3)).start).toBe(true);
  });

  test("who says no paths may touch any, and who only reports none", () => {
    expect(lockedBy({ level: "L2", paths: [] })).toEqual(["**"]);
    expect(lockedBy({ level: "L1", paths: ["x"] })).toEqual([]);
    expect(backPressure({ level: "L3", maxOpen: null }, 99)).toBeNull();
  });
});
